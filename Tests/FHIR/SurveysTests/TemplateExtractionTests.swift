import FHIR
import OrderedJSON
import Testing

@testable import Surveys

struct TemplateExtractionTests {
    /// A survey with one template and one item of a type, with the template's use at the questionnaire.
    private func survey(_ resource: JSONValue, type: String = "string", extensions: [JSONValue] = [])
        -> Survey
    {
        SurveysTests.survey(
            [["linkId": "q", "type": JSONValue(type), "repeats": true]],
            ["contained": [resource], "extension": JSONValue([templateUse("t")] + extensions)]
        )
    }

    private static let answered = "item.where(linkId='q').answer.value"

    /// An Observation whose value is an expression's.
    private func observation(_ name: String, _ text: String) -> JSONValue {
        var tree: JSONValue = [
            "resourceType": "Observation", "id": "t", "status": "final", "code": ["text": "c"],
        ]
        tree[name] = templateValue(text)
        return tree
    }

    @Test(
        "a path from the response works wherever it begins",
        arguments: [
            "QuestionnaireResponse.item.where(linkId='q').answer.value",
            "%resource.item.where(linkId='q').answer.value",
            "(QuestionnaireResponse.item.where(linkId='q')).answer.value",
            "iif(true, QuestionnaireResponse.item.answer.value)",
            "answer.value", "%context.answer.value",
        ]
    )
    func beginnings(text: String) throws {
        let survey = SurveysTests.survey(
            [["linkId": "q", "type": "string", "extension": [templateUse("t")]]],
            ["contained": [observation("_valueString", text)]]
        )
        let extraction = try extract(survey, #"{"linkId": "q", "answer": [{"valueString": "x"}]}"#)
        #expect(extraction.resources.map { $0["valueString"] } == ["x"], "\(extraction.diagnostics)")
        #expect(extraction.resources[0]["id"] == nil && extraction.resources[0]["_valueString"] == nil)
    }

    @Test(
        "a text is a number, a date or a code as a whole, or not at all",
        arguments: [
            ("_valueInteger", "12 apples"), ("_valueInteger", "12.5"), ("_valueInteger", "4000000000"),
            ("_effectiveDateTime", "2026-11-22 or so"), ("_effectiveDateTime", "2026-13"),
            ("_issued", "2026-11-22"), ("_valueBoolean", "1"), ("_valueTime", "7 o'clock"),
            ("_status", "finished"),
            ("_implicitRules", "no uri"),
        ]
    )
    func wholeTexts(name: String, text: String) throws {
        let extraction = try extract(
            survey(observation(name, Self.answered)),
            #"{"linkId": "q", "answer": [{"valueString": "\#(text)"}]}"#
        )
        #expect(extraction.codes.first == " wrongType")
        #expect(!extraction.resources.contains { $0[String(name.dropFirst())] != nil && name != "_status" })
    }

    @Test(
        "a text that is a number, a date or a code is one",
        arguments: [
            ("_valueInteger", "12", "12"), ("_effectiveDateTime", "2026-11", "\"2026-11\""),
            ("_valueBoolean", "true", "true"),
            ("_status", "amended", "\"amended\""),
        ]
    )
    func texts(name: String, text: String, expected: String) throws {
        let extraction = try extract(
            survey(observation(name, Self.answered)),
            #"{"linkId": "q", "answer": [{"valueString": "\#(text)"}]}"#
        )
        #expect(
            extraction.diagnostics.isEmpty
                && extraction.resources.first?[String(name.dropFirst())]?.text() == expected
        )
    }

    @Test("quantities of expressions are quantities, with their unit")
    func quantities() throws {
        let extraction = try extract(survey(observation("valueQuantity", "5.50 'mg' + 1 'mg'")), "")
        #expect(
            extraction.resources.first?["valueQuantity"]?["code"] == "mg"
                && extraction.resources.first?["valueQuantity"]?["system"] == "http://unitsofmeasure.org",
            "\(extraction.diagnostics)"
        )
        #expect(extraction.resources.first?["valueQuantity"]?["value"]?.number == "6.50")
    }

    @Test(
        "expressions that fail are reported with the item, and empty ones are not",
        arguments: [
            ("%nobody", "expressionFailed"), ("answer.value.ofType(Chicken)", "expressionFailed"),
            ("answer.value +", "malformedExpression"),
            ("item.ofType(Chicken)", "expressionFailed"), ("'a'.power(2)", "expressionFailed"),
            ("item.nothing", ""),
        ]
    )
    func failures(text: String, code: String) throws {
        for tree in [observation("_valueString", text), context(text)] {
            let survey = SurveysTests.survey(
                [["linkId": "q", "type": "string", "extension": [templateUse("t")]]],
                ["contained": [tree]]
            )
            let extraction = try extract(survey, #"{"linkId": "q", "answer": [{"valueString": "x"}]}"#)
            #expect(extraction.codes == (code.isEmpty ? [] : ["q \(code)"]), "\(extraction.diagnostics)")
            #expect(
                extraction.resources.count == 1 && extraction.resources[0]["valueString"] == nil
                    && extraction.resources[0]["note"] == nil
            )
        }
    }

    private func context(_ text: String, name: String? = nil, value inner: String = "'x'") -> JSONValue {
        var expression: JSONValue = ["expression": JSONValue(text)]
        if let name { expression["name"] = JSONValue(name) }
        return [
            "resourceType": "Observation", "id": "t", "status": "final", "code": ["text": "c"],
            "note": [
                [
                    "extension": [
                        ["url": JSONValue(sdc + "templateExtractContext"), "valueExpression": expression]
                    ],
                    "_text": templateValue(inner),
                ]
            ],
        ]
    }

    @Test("a context repeats its element, and its name is known inside, on primitives too")
    func contexts() throws {
        let response = #"{"linkId": "q", "answer": [{"valueString": "a"}, {"valueString": "b"}]}"#
        let notes = try extract(survey(context(Self.answered, name: "one", value: "%one & '!'")), response)
        #expect(
            notes.diagnostics.isEmpty
                && notes.resources[0]["note"]?.text() == #"[{"text":"a!"},{"text":"b!"}]"#
        )
        let primitive: JSONValue = [
            "resourceType": "Patient", "id": "t",
            "name": [
                [
                    "_given": [
                        [
                            "extension": [
                                [
                                    "url": JSONValue(sdc + "templateExtractContext"),
                                    "valueExpression": ["name": "g", "expression": JSONValue(Self.answered)],
                                ],
                                [
                                    "url": JSONValue(sdc + "templateExtractValue"),
                                    "valueString": "%g & $this",
                                ],
                            ]
                        ]
                    ]
                ]
            ],
        ]
        let patient = try extract(survey(primitive), response)
        #expect(
            patient.resources.first?["name"]?[0]?.text() == #"{"given":["aa","bb"]}"#,
            "\(patient.diagnostics)"
        )
    }

    @Test("several values for an element that has one are left out and reported")
    func several() throws {
        let extraction = try extract(
            survey(observation("_valueString", Self.answered)),
            #"{"linkId": "q", "answer": [{"valueString": "a"}, {"valueString": "b"}]}"#
        )
        #expect(extraction.codes == [" severalValues"] && extraction.resources[0]["valueString"] == nil)
    }

    @Test("an update has all that the template sets and keeps the rest of the resource")
    func updates() throws {
        var patient: JSONValue = [
            "resourceType": "Patient", "id": "t", "_id": templateValue("'7'"),
            "_birthDate": templateValue(Self.answered),
        ]
        let answer = #"{"linkId": "q", "answer": [{"valueString": "1980-05-06"}]}"#
        let update = try extract(survey(patient), answer)
        #expect(
            update.bundle.entry.first?.request?.method == .put
                && update.bundle.entry.first?.request?.url == "Patient/7"
        )
        // With only an id, the update would erase the patient.
        #expect(try extract(survey(patient), "").codes == [" emptyResource"])
        patient["active"] = true
        #expect(try extract(survey(patient), "").codes == [" incompleteUpdate"])
        let known: JSONValue = [
            "resourceType": "Patient", "id": "7", "gender": "female", "birthDate": "1980",
        ]
        let merged = try extract(survey(patient), answer, resources: ["patient": [known]])
        #expect(
            merged.resources.first?["gender"] == "female"
                && merged.resources.first?["birthDate"] == "1980-05-06",
            "\(merged.diagnostics)"
        )
        let partly = try extract(survey(patient), "", resources: ["patient": [known]])
        #expect(partly.resources.first?["birthDate"] == "1980" && partly.resources.first?["active"] == true)
    }

    @Test("what refers to an unextracted resource is left out, and what refers to that too")
    func dangling() throws {
        func item(_ linkId: String, _ extensions: JSONValue...) -> JSONValue {
            ["linkId": JSONValue(linkId), "type": "string", "extension": JSONValue(extensions)]
        }
        let survey = SurveysTests.survey(
            [
                item("p", templateUse("patient", ("fullUrl", "%P"))),
                item("o", templateUse("observation", ("fullUrl", "%O"))),
                item("d", templateUse("report")),
            ],
            [
                "extension": JSONValue(
                    ["P", "O"].map {
                        ["url": JSONValue(sdc + "extractAllocateId"), "valueString": JSONValue($0)]
                            as JSONValue
                    }
                ),
                "contained": [
                    [
                        "resourceType": "Patient", "id": "patient",
                        "name": [["_text": templateValue("answer.value")]],
                    ],
                    [
                        "resourceType": "Observation", "id": "observation", "status": "final",
                        "code": ["text": "c"],
                        "subject": templateValue("%P"),
                    ],
                    [
                        "resourceType": "Observation", "id": "report", "status": "final",
                        "code": ["text": "d"],
                        "hasMember": [templateValue("%O")],
                    ],
                ],
            ]
        )
        func answers(_ linkIds: String...) -> String {
            linkIds.map { #"{"linkId": "\#($0)", "answer": [{"valueString": "x"}]}"# }.joined(separator: ",")
        }
        let all = try extract(survey, answers("p", "o", "d"))
        #expect(all.diagnostics.isEmpty && all.resources.count == 3)
        #expect(all.resources[1]["subject"]?["reference"]?.string == all.bundle.entry[0].fullUrl?.rawValue)
        let without = try extract(survey, answers("o", "d"))
        #expect(without.resources.isEmpty && without.codes == ["o danglingReference", "d danglingReference"])
    }

    @Test("a repeating question gives a resource for each answer, with an id of its own")
    func repeating() throws {
        let survey = SurveysTests.survey(
            [
                [
                    "linkId": "q", "type": "decimal", "repeats": true,
                    "extension": [
                        ["url": JSONValue(sdc + "extractAllocateId"), "valueString": "Id"],
                        templateUse("t", ("fullUrl", "%Id")),
                    ],
                ]
            ],
            ["contained": [observation("valueQuantity", "answer.value")]]
        )
        let extraction = try extract(
            survey,
            #"{"linkId": "q", "answer": [{"valueDecimal": 1.5}, {"valueDecimal": 2.50}]}"#
        )
        #expect(extraction.resources.map { $0["valueQuantity"]?["value"]?.number } == ["1.5", "2.50"])
        #expect(Set(extraction.bundle.entry.map(\.fullUrl)).count == 2)
    }

    @Test("a Bundle template gives its entries that create or update, and no others")
    func bundles() throws {
        let entries: JSONValue = [
            [
                "fullUrl": "http://example.org/1", "resource": observation("_valueString", Self.answered),
                "request": ["method": "POST", "url": "Observation"],
            ],
            [
                "_fullUrl": templateValue("%X"), "resource": ["resourceType": "Patient", "active": true],
                "request": ["method": "POST", "url": "Patient"],
            ],
            [
                "resource": ["resourceType": "Patient", "active": true],
                "request": ["method": "DELETE", "url": "Patient/1"],
            ],
        ]
        let survey = SurveysTests.survey(
            [["linkId": "q", "type": "string"]],
            [
                "contained": [
                    ["resourceType": "Bundle", "id": "b", "type": "transaction", "entry": entries]
                ],
                "extension": [
                    ["url": JSONValue(sdc + "extractAllocateId"), "valueString": "X"],
                    ["url": JSONValue(sdc + "templateExtractBundle"), "valueReference": ["reference": "#b"]],
                ],
            ]
        )
        let extraction = try extract(survey, #"{"linkId": "q", "answer": [{"valueString": "x"}]}"#)
        #expect(extraction.codes == [" unsupportedRequest"])
        #expect(extraction.resources.map { $0["valueString"]?.string } == ["x", nil])
        #expect(extraction.bundle.entry[1].fullUrl?.rawValue.hasPrefix("urn:uuid:") == true)
    }

    @Test("one budget bounds all templates together")
    func bounds() throws {
        // Contexts in contexts: ten to the sixth elements from a kilobyte.
        var inner: JSONValue = [
            "url": "http://example.org/e", "valueString": JSONValue(String(repeating: "x", count: 100)),
        ]
        let ten = (0..<10).map(String.init).joined(separator: "|")
        for _ in 0..<6 {
            inner = [
                "url": "http://example.org/e",
                "extension": [
                    ["url": JSONValue(sdc + "templateExtractContext"), "valueString": JSONValue("(\(ten))")],
                    inner,
                ],
            ]
        }
        let survey = survey(["resourceType": "Patient", "id": "t", "active": true, "extension": [inner]])
        let extraction = try extract(survey, "")
        #expect(
            [[" extractionTooLarge"], [" extractionTooSlow"]].contains(extraction.codes)
                && extraction.resources.isEmpty
        )
        // Texts that grow without more elements.
        let text = "%resource.status" + String(repeating: ".replace('', 'xxxxxxxxxx')", count: 8)
        let long = try extract(self.survey(observation("_valueString", text)), "")
        #expect(
            long.codes.contains {
                $0.contains("expressionTooExpensive") || $0.contains("extractionTooLarge")
            },
            "\(long.codes)"
        )
        // Many small ones.
        var small = ExtractionBudget()
        small.elements = 30
        let many = try extract(
            self.survey(
                observation("_valueString", "'x'"),
                extensions: Array(repeating: templateUse("t"), count: 10)
            ),
            "",
            budget: small
        )
        #expect(many.codes == [" extractionTooLarge"] && many.resources.isEmpty)
    }
}
