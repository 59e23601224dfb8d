import FHIR
import OrderedJSON

@testable import StudyWarehouse

enum Samples {
    static let questionnaire = """
        {"resourceType": "Questionnaire", "url": "http://example.org/Questionnaire/diary", "status": \
        "active", "title": "Diary",
         "item": [
          {"linkId": "mood", "type": "choice", "text": "How are you?", "repeats": true, "answerOption": [
           {"valueCoding": {"system": "http://example.org/mood", "code": "good", "display": "Good"}},
           {"valueCoding": {"system": "http://example.org/mood", "code": "tired", "display": "Tired"}}]},
          {"linkId": "pain", "type": "choice", "text": "Pain", "code": [{"system": "http://loinc.org", \
        "code": "44250-9"}], "answerOption": [
           {"valueCoding": {"system": "http://loinc.org", "code": "LA6568-5", "display": "Not at all"}}]},
          {"linkId": "well", "type": "boolean", "text": "Slept well"},
          {"linkId": "meds", "type": "group", "text": "Medications", "repeats": true, "item": [
           {"linkId": "drug", "type": "choice", "text": "Drug", "answerOption": [
            {"valueCoding": {"system": "http://www.nlm.nih.gov/research/umls/rxnorm", "code": "1191", \
        "display": "Aspirin"}}]},
           {"linkId": "dose", "type": "quantity", "text": "Dose"}]},
          {"linkId": "note", "type": "text", "text": "Anything else"}]}
        """

    static func response(
        _ items: String,
        status: String = "completed",
        authored: String = "2026-03-01T10:00:00+01:00",
        identifier: String? = "r-1"
    ) throws -> QuestionnaireResponse {
        let id =
            identifier.map { #""identifier": {"system": "http://example.org", "value": "\#($0)"},"# } ?? ""
        return try QuestionnaireResponse(
            parsing: """
                {"resourceType": "QuestionnaireResponse", \(id) "questionnaire": \
                "http://example.org/Questionnaire/diary|1",
                 "status": "\(status)", "authored": "\(authored)", "subject": {"reference": "Patient/x"}, \
                "item": [\(items)]}
                """
        )
    }

    static let items = """
        {"linkId": "mood", "answer": [{"valueCoding": {"system": "http://example.org/mood", "code": "good"}},
          {"valueCoding": {"system": "http://example.org/mood", "code": "tired"}}]},
        {"linkId": "pain", "answer": [{"valueCoding": {"system": "http://loinc.org", "code": "LA6568-5"}}]},
        {"linkId": "well", "answer": [{"valueBoolean": true}]},
        {"linkId": "meds", "item": [
          {"linkId": "drug", "answer": [{"valueCoding": {"system": \
        "http://www.nlm.nih.gov/research/umls/rxnorm", "code": "1191"}}]},
          {"linkId": "dose", "answer": [{"valueQuantity": {"value": 100.50, "unit": "mg", "system": \
        "http://unitsofmeasure.org", "code": "mg"}}]}]},
        {"linkId": "meds", "item": [{"linkId": "dose", "answer": [{"valueQuantity": {"value": 20, \
        "comparator": "<", "code": "mg"}}]}]},
        {"linkId": "note", "answer": [{"valueString": "a < b & \\"c\\""}]}
        """

    static var mapper: ResponseMapper {
        get throws { ResponseMapper(Codebook([try Questionnaire(parsing: questionnaire)])) }
    }

    static let received: FHIRDateTime = "2026-03-02T00:00:00Z"
    static let now = WarehouseTime(received)

    static func facts() throws -> FactSet { try mapper.map(response(items), visit: "v", received: received) }
}
