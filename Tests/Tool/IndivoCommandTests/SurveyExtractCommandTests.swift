import Foundation
import Testing

@testable import IndivoCommand

/// `indivo survey extract`, as a user runs it.
struct SurveyExtractCommandTests {
    private static let questionnaire = """
        {"resourceType": "Questionnaire", "status": "draft", "extension": [
          {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-observationExtract", \
        "valueBoolean": true}],
         "item": [{"linkId": "weight", "type": "decimal", "code": [{"system": "http://loinc.org", "code": \
        "72514-3"}]},
          {"linkId": "photo", "type": "attachment", "code": [{"system": "http://loinc.org", "code": \
        "72170-4"}]}]}
        """

    @Test("extract prints a transaction, and says on standard error why it is empty")
    func extract() throws {
        try Tool.use { tool in
            try tool.write(Self.questionnaire, to: "q.json")
            try tool.write(
                """
                {"resourceType": "QuestionnaireResponse", "status": "completed", "item": [{"linkId": \
                "weight", "answer": [{"valueDecimal": 70.50}]}]}
                """,
                to: "r.json"
            )
            let run = try tool.run("survey", "extract", "q.json", "r.json")
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            #expect(run.output.contains(#""method": "POST""#) && run.output.contains("70.50"))
            try tool.write(run.output, to: "bundle.json")
            #expect(try tool.run("fhir", "check", "bundle.json").status == 0)
            try tool.write(
                #"{"resourceType": "QuestionnaireResponse", "status": "completed"}"#,
                to: "empty.json"
            )
            let empty = try tool.run("survey", "extract", "q.json", "empty.json")
            #expect(
                empty.status == 0
                    && empty.errors == "warning: Nothing was answered of what the questionnaire extracts.\n",
                "\(empty.errors)"
            )
            #expect(!empty.output.contains("entry"))
            #expect(try tool.run("survey", "extract", "q.json", "q.json").status == 2)
        }
    }
}
