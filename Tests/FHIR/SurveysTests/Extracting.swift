import FHIR
import FHIRValidation
import Foundation
import OrderedJSON
import Testing

@testable import Surveys

let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"

/// An extension of a template.
func templateValue(_ text: String) -> JSONValue {
    ["extension": [["url": JSONValue(sdc + "templateExtractValue"), "valueString": JSONValue(text)]]]
}

/// An extension at an item that names a template.
func templateUse(_ id: String, _ parts: (String, String)...) -> JSONValue {
    var list: [JSONValue] = [["url": "template", "valueReference": ["reference": JSONValue("#" + id)]]]
    list += parts.map { ["url": JSONValue($0.0), "valueString": JSONValue($0.1)] }
    return ["url": JSONValue(sdc + "templateExtract"), "extension": JSONValue(list)]
}

func definitionUse(_ type: String, _ parts: (String, String)...) -> JSONValue {
    var list: [JSONValue] = [
        ["url": "definition", "valueCanonical": JSONValue("http://hl7.org/fhir/StructureDefinition/" + type)]
    ]
    list += parts.map { ["url": JSONValue($0.0), "valueString": JSONValue($0.1)] }
    return ["url": JSONValue(sdc + "definitionExtract"), "extension": JSONValue(list)]
}

func elementDefinition(_ path: String) -> JSONValue {
    JSONValue("http://hl7.org/fhir/StructureDefinition/\(path.prefix { $0 != "." })#\(path)")
}

/// A response, and what is extracted from it with UUIDs that count up.
func extract(
    _ survey: Survey,
    _ items: String,
    resources: [String: [JSONValue]] = [:],
    budget: ExtractionBudget = ExtractionBudget(),
    status: String = "completed"
) throws -> SurveyExtraction {
    let response = try QuestionnaireResponse(
        parsing: """
            {"resourceType": "QuestionnaireResponse", "id": "r1", "status": "\(status)", "subject": \
            {"reference": "Patient/7"},
             "authored": "2026-11-22T09:30:00+01:00", "author": {"reference": "Patient/7"}, "item": \
            [\(items)]}
            """
    )
    var count = 0
    let extraction = survey.extract(
        from: response,
        context: SurveyContext(now: "2026-11-22T10:00:00Z", resources: resources),
        budget: budget
    ) {
        count += 1
        return UUID(
            uuidString: "00000000-0000-0000-0000-" + String(repeating: "0", count: 12 - String(count).count)
                + String(count)
        )
            ?? UUID()
    }
    // Whatever was extracted is valid, and has no references to nowhere.
    #expect(extraction.bundle.issues(.withoutProfiles).filter(\.isError).isEmpty)
    return extraction
}

extension SurveyExtraction {
    var resources: [JSONValue] { bundle.entry.compactMap { $0.resource?.tree } }
    var codes: [String] { diagnostics.map { "\($0.linkId ?? "") \($0.code)" } }
}

extension ValidationOptions {
    /// R4's types alone: the codes of examples are of vital signs, and these are none.
    static var withoutProfiles: ValidationOptions {
        var options = ValidationOptions()
        options.appliesProfiles = false
        return options
    }
}
