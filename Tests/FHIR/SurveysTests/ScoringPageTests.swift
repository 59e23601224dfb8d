import FHIR
import FHIRPathEngine
import FHIRValidation
import Foundation
import Surveys
import Testing

/// The questionnaire and the code of the page “Scoring”, as they stand there.
@Suite("The page on scoring")
struct ScoringPageTests {
    private let json = Data(
        """
        {
          "resourceType": "Questionnaire", "status": "active",
          "url": "https://study.example.org/Questionnaire/week", "title": "Your last seven days",
          "contained": [{
            "resourceType": "ValueSet", "id": "days", "status": "active",
            "compose": {"include": [{"system": "https://study.example.org/days", "concept": [
              {"code": "none", "display": "On no day", "extension": [
                {"url": "http://hl7.org/fhir/StructureDefinition/ordinalValue", "valueDecimal": 0}
              ]},
              {"code": "some", "display": "On one to three days", "extension": [
                {"url": "http://hl7.org/fhir/StructureDefinition/ordinalValue", "valueDecimal": 1}
              ]},
              {"code": "most", "display": "On four to six days", "extension": [
                {"url": "http://hl7.org/fhir/StructureDefinition/ordinalValue", "valueDecimal": 2}
              ]},
              {"code": "all", "display": "Every day", "extension": [
                {"url": "http://hl7.org/fhir/StructureDefinition/ordinalValue", "valueDecimal": 3}
              ]}
            ]}]}
          }],
          "item": [
            {"linkId": "mood", "type": "group", "text": "How often did this happen?", "item": [
              {"linkId": "tired", "type": "choice", "required": true, "answerValueSet": "#days",
               "text": "Getting up took a lot of effort."},
              {"linkId": "bored", "type": "choice", "required": true, "answerValueSet": "#days",
               "text": "What I usually like gave me little joy."}
            ]},
            {"linkId": "total", "type": "decimal", "readOnly": true, "text": "Sum, 0 to 6",
             "extension": [{
               "url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-calculatedExpression",
               "valueExpression": {"language": "text/fhirpath",
                 "expression": "%resource.item.where(linkId = 'mood').item.answer.value.ordinal().sum()"}
             }]}
          ]
        }
        """.utf8
    )

    @Test("the questionnaire is valid, and its answers add up as the page says")
    func page() throws {
        let survey = Survey(try Questionnaire(parsing: json))
        for diagnostic in survey.diagnostics { print(diagnostic) }
        var session = SurveySession(survey)
        for visible in session.visibleItems where visible.item.type == .choice {
            // The person's choice; here always the third option.
            let option = session.options(of: visible.occurrence)[2]
            try session.answer(visible.occurrence, with: option.value)
        }
        print(session.score ?? 0)  // 4, for the app
        let response = session.response(.completed)
        let path = try FHIRPath("item.where(linkId = 'total').answer.value")
        print(try path.evaluate(on: response.tree).map(\.text))  // ["4"], for whoever reads the response
        #expect(survey.questionnaire.issues().filter(\.isError).isEmpty && survey.diagnostics.isEmpty)
        #expect(session.score == 4 && session.problems().isEmpty)
        #expect(try path.evaluate(on: response.tree).map(\.text) == ["4"])
    }
}
