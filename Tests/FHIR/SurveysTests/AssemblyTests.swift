import FHIR
import FHIRPathEngine
import Foundation
import OrderedJSON
import Surveys
import Testing

/// Putting modular questionnaires together.
@Suite("Surveys: assembly")
struct AssemblyTests {
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"

    private func questionnaire(_ url: String, _ items: JSONValue, extensions: JSONValue = []) throws
        -> Questionnaire
    {
        let tree: JSONValue = [
            "resourceType": "Questionnaire", "url": JSONValue(url), "status": "active",
            "extension": extensions,
            "item": items,
        ]
        return try Questionnaire(parsing: Data(tree.text().utf8))
    }

    private func reference(_ linkId: String, _ canonical: String) -> JSONValue {
        [
            "linkId": JSONValue(linkId), "type": "display", "text": "not found",
            "extension": [
                ["url": JSONValue(Self.sdc + "subQuestionnaire"), "valueCanonical": JSONValue(canonical)]
            ],
        ]
    }

    private func variable(_ name: String, _ expression: String) -> JSONValue {
        [
            "url": "http://hl7.org/fhir/StructureDefinition/variable",
            "valueExpression": [
                "name": JSONValue(name), "language": "text/fhirpath", "expression": JSONValue(expression),
            ],
        ]
    }

    @Test("items of a module replace its reference, and linkIds get the place's prefix")
    func modules() throws {
        let name = try questionnaire(
            "urn:name",
            [
                ["linkId": "1", "type": "string"],
                [
                    "linkId": "2", "type": "string",
                    "enableWhen": [["question": "1", "operator": "exists", "answerBoolean": true]],
                ],
            ],
            extensions: [variable("known", "%linkIdPrefix + '1'")]
        )
        let contact = try questionnaire(
            "urn:contact",
            [
                [
                    "linkId": "1", "type": "group",
                    "extension": [variable("linkIdPrefix", "%linkIdPrefix + 'name.'")],
                    "item": [reference("1.1", "urn:name|3.0")],
                ]
            ]
        )
        let root = try questionnaire(
            "urn:root",
            [
                [
                    "linkId": "own", "type": "group", "extension": [variable("linkIdPrefix", "'me.'")],
                    "item": [reference("own.1", "urn:name|3.0")],
                ],
                [
                    "linkId": "other", "type": "group", "extension": [variable("linkIdPrefix", "'contact.'")],
                    "item": [reference("other.1", "urn:contact")],
                ],
            ]
        )
        let library = ["urn:name|3.0": name, "urn:contact": contact]
        let assembled = AssembledQuestionnaire(root) { library[$0] }
        #expect(assembled.diagnostics.isEmpty && assembled.missing.isEmpty)
        let survey = Survey(assembled.questionnaire)
        #expect(
            survey.items.map(\.linkId)
                == ["own", "me.1", "me.2", "other", "contact.1", "contact.name.1", "contact.name.2"]
        )
        #expect(survey.item("contact.name.2")?.conditions.first?.question == "contact.name.1")
        // What a module says at its root stands at the item that it is in.
        #expect(survey.item("own")?.variables.compactMap(\.name) == ["linkIdPrefix", "known"])
        #expect(survey.diagnostics.filter { $0.severity == .error }.isEmpty)
        let origins = try FHIRPath("extension('\(Self.sdc)assembledFrom').value")
        #expect(
            Set(try origins.evaluate(on: assembled.questionnaire.tree).map(\.text))
                == ["urn:name|3.0", "urn:contact"]
        )
    }

    @Test("a module that is missing, or part of itself, stays a reference and is reported")
    func wrong() throws {
        let loop = try questionnaire("urn:loop", [reference("again", "urn:loop")])
        let root = try questionnaire("urn:root", [reference("a", "urn:loop"), reference("b", "urn:gone")])
        let assembled = AssembledQuestionnaire(root) { $0 == "urn:loop" ? loop : nil }
        #expect(assembled.missing == ["urn:gone"])
        #expect(
            assembled.diagnostics.map { "\($0.linkId ?? "") \($0.code)" }
                == ["again cycle", "b questionnaireNotFound"]
        )
        #expect(Survey(assembled.questionnaire).items.map(\.linkId) == ["again", "b"])
    }

    @Test("what several modules say in the same words stands in the questionnaire once")
    func sameVariable() throws {
        let module = try questionnaire("urn:m", [], extensions: [variable("a", "1")])
        let root = try questionnaire("urn:root", [reference("x", "urn:m"), reference("y", "urn:m")])
        let assembled = AssembledQuestionnaire(root) { _ in module }
        let count = try FHIRPath("extension.where(url.endsWith('/variable')).count()")
        #expect(try count.evaluate(on: assembled.questionnaire.tree).map(\.text) == ["1"])
    }

    @Test("modules that refer to each other many times over end in a diagnostic")
    func bomb() throws {
        var library: [String: Questionnaire] = [:]
        for level in 0..<20 {
            let references = (0..<10).map { reference("\(level).\($0)", "urn:\(level + 1)") }
            library["urn:\(level)"] = try questionnaire("urn:\(level)", JSONValue(references))
        }
        let root = try #require(library["urn:0"])
        let assembled = AssembledQuestionnaire(root) { library[$0] }
        #expect(assembled.diagnostics.contains { $0.code == "tooManyItems" || $0.code == "tooDeep" })
    }
}
