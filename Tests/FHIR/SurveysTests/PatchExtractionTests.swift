import FHIR
import OrderedJSON
import Testing

@testable import Surveys

/// Templates that change a resource, that make one with an id, and that make several.
@Suite("Surveys: patches, allocated ids and contexts of templates")
struct PatchExtractionTests {
    private func operation(_ path: String, _ value: String) -> JSONValue {
        [
            "name": "operation",
            "part": [
                ["name": "type", "valueCode": "replace"], ["name": "path", "valueString": JSONValue(path)],
                ["name": "value", "_valueString": templateValue(value)],
            ],
        ]
    }

    private func patched(_ parts: (String, String, JSONValue)..., answers: String) throws
        -> SurveyExtraction
    {
        var uses: [JSONValue] = [["url": "template", "valueReference": ["reference": "#patch"]]]
        uses += parts.map { ["url": JSONValue($0.0), $0.1: $0.2] }
        let survey = survey(
            [
                [
                    "linkId": "g", "type": "group",
                    "extension": [
                        ["url": JSONValue(sdc + "templateExtract"), "extension": JSONValue(uses)]
                    ],
                    "item": [
                        ["linkId": "id", "type": "string"], ["linkId": "note", "type": "string"],
                        ["linkId": "title", "type": "string"],
                    ],
                ]
            ],
            [
                "contained": [
                    [
                        "resourceType": "Parameters", "id": "patch",
                        "parameter": [
                            operation("Basic.note", "item.where(linkId = 'note').answer.value"),
                            operation("Basic.title", "item.where(linkId = 'title').answer.value"),
                        ],
                    ]
                ]
            ]
        )
        return try extract(survey, #"{"linkId": "g", "item": [\#(answers)]}"#)
    }

    private static let answers = """
        {"linkId": "id", "answer": [{"valueString": "b7"}]}, \
        {"linkId": "note", "answer": [{"valueString": "new"}]}
        """
    private static let id = "item.where(linkId = 'id').answer.value"

    @Test("a template that is a Parameters patches the resource it names with the answers")
    func patch() throws {
        let byType = try patched(
            ("resourceId", "valueString", JSONValue(Self.id)),
            ("type", "valueCode", "Basic"),
            answers: Self.answers
        )
        let byURL = try patched(
            (ExtensionURL.patchRequestURL, "valueString", JSONValue("'Basic/' + " + Self.id)),
            answers: Self.answers
        )
        for extraction in [byType, byURL] {
            #expect(extraction.diagnostics.isEmpty)
            let entry = try #require(extraction.bundle.entry.first)
            #expect(entry.request?.method == .patch && entry.request?.url == "Basic/b7")
            let tree = try #require(entry.resource?.tree)
            #expect(tree["parameter"]?.elements?.count == 1 && tree["id"] == nil)
            #expect(tree["parameter"]?[0]?["part"]?[2]?["valueString"] == "new")
        }
    }

    @Test("a patch without a resource is told, and one that changes nothing is not made")
    func noPatch() throws {
        let untold = try patched(("type", "valueCode", "Basic"), answers: Self.answers)
        #expect(untold.resources.isEmpty && untold.codes == ["g noPatchTarget"])
        for (type, id) in [("Basic", "'a b'"), ("Nothing", Self.id), ("Basic/1/2", Self.id)] {
            let wrong = try patched(
                ("resourceId", "valueString", JSONValue(id)),
                ("type", "valueCode", JSONValue(type)),
                answers: Self.answers
            )
            #expect(wrong.resources.isEmpty && wrong.codes == ["g noPatchTarget"])
        }
        let empty = try patched(
            ("resourceId", "valueString", JSONValue(Self.id)),
            ("type", "valueCode", "Basic"),
            answers: #"{"linkId": "id", "answer": [{"valueString": "b7"}]}"#
        )
        #expect(empty.resources.isEmpty && empty.codes == [" nothingExtracted"])
    }

    @Test("an allocated id may be a resource's, and references by it have it")
    func allocatedId() throws {
        let survey = survey(
            [["linkId": "name", "type": "string"], ["linkId": "phone", "type": "string"]],
            [
                "extension": [
                    ["url": JSONValue(sdc + "extractAllocateId"), "valueString": "new"],
                    templateUse("p", ("resourceId", "%new"), ("fullUrl", "%new")), templateUse("o"),
                ],
                "contained": [
                    [
                        "resourceType": "Patient", "id": "p",
                        "name": [["_text": templateValue("item.where(linkId = 'name').answer.value")]],
                        "telecom": [["_value": templateValue("item.where(linkId = 'phone').answer.value")]],
                    ],
                    [
                        "resourceType": "Observation", "id": "o", "status": "final", "code": ["text": "x"],
                        "subject": ["_reference": templateValue("'Patient/' + %new")],
                    ],
                ],
            ]
        )
        let extraction = try extract(survey, #"{"linkId": "name", "answer": [{"valueString": "Ada"}]}"#)
        #expect(extraction.diagnostics.isEmpty)
        let id = "00000000-0000-0000-0000-000000000001"
        #expect(extraction.resources.first?["id"]?.string == id)
        #expect(extraction.bundle.entry.first?.request?.url?.rawValue == "Patient/" + id)
        #expect(extraction.bundle.entry.first?.fullUrl?.rawValue == "urn:uuid:" + id)
        #expect(extraction.resources.last?["subject"]?["reference"]?.string == "Patient/" + id)
    }

    @Test("a context of a whole template makes one resource for each of its values")
    func contextOfResource() throws {
        let survey = survey(
            [["linkId": "q", "type": "string", "repeats": true]],
            [
                "extension": [templateUse("b")],
                "contained": [
                    [
                        "resourceType": "Basic", "id": "b", "code": ["_text": templateValue("$this")],
                        "extension": [
                            [
                                "url": JSONValue(sdc + "templateExtractContext"),
                                "valueString": "item.where(linkId = 'q').answer.value",
                            ]
                        ],
                    ]
                ],
            ]
        )
        let two = try extract(
            survey,
            #"{"linkId": "q", "answer": [{"valueString": "a"}, {"valueString": "b"}]}"#
        )
        #expect(two.diagnostics.isEmpty)
        #expect(two.resources.map { $0["code"]?["text"]?.string } == ["a", "b"])
        #expect(two.resources.allSatisfy { $0["extension"] == nil })
        #expect(try extract(survey, "").codes == [" nothingExtracted"])
    }

    @Test("what is not valid FHIR is not in the transaction, and is there unchecked")
    func unchecked() throws {
        let survey = survey(
            [["linkId": "q", "type": "string"]],
            [
                "extension": [templateUse("o"), templateUse("b")],
                "contained": [
                    [
                        "resourceType": "Observation", "id": "o", "status": "final",
                        "_valueString": templateValue("item.answer.value"),
                    ],
                    [
                        "resourceType": "Basic", "id": "b",
                        "code": ["_text": templateValue("item.answer.value")],
                        "author": ["reference": "#nobody"],
                    ],
                ],
            ]
        )
        let extraction = try extract(survey, #"{"linkId": "q", "answer": [{"valueString": "x"}]}"#)
        #expect(extraction.codes.contains(" invalidResource") && extraction.codes.contains(" invalidElement"))
        #expect(extraction.resources.map { $0["resourceType"]?.string } == ["Basic"])
        #expect(extraction.resources.first?["author"] == nil)
        let unchecked = extraction.unchecked.entry.compactMap { $0.resource?.tree }
        #expect(unchecked.map { $0["resourceType"]?.string } == ["Observation", "Basic"])
        #expect(unchecked.first?["valueString"] == "x")
        #expect(unchecked.last?["author"]?["reference"] == "#nobody")
    }
}
