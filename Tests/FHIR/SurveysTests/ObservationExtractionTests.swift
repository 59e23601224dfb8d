import FHIR
import OrderedJSON
import Testing

@testable import Surveys

private let sevenKilograms = """
    "valueQuantity":{"value":7,"unit":"kilogram","system":"http://unitsofmeasure.org","code":"kg"}
    """

private let sevenPointOneKilograms = """
    "valueQuantity":{"value":7.10,"unit":"kilogram","system":"http://unitsofmeasure.org","code":"kg"}
    """

struct ObservationExtractionTests {
    private static let observe: JSONValue = [
        "url": JSONValue(sdc + "observationExtract"), "valueBoolean": true,
    ]
    private static let code: JSONValue = [["system": "http://loinc.org", "code": "29463-7"]]

    /// The type of an item, its answer, and the value of the Observation.
    @Test(
        "answers become values of the types that Observations have",
        arguments: [
            (
                "quantity", #""valueQuantity": {"value": 70.50, "unit": "kg"}"#,
                #""valueQuantity":{"value":70.50,"unit":"kg"}"#
            ),
            (
                "integer", #""valueInteger": 7"#,
                sevenKilograms
            ),
            (
                "decimal", #""valueDecimal": 7.10"#,
                sevenPointOneKilograms
            ),
            (
                "choice", #""valueCoding": {"system": "http://s", "code": "a"}"#,
                #""valueCodeableConcept":{"coding":[{"system":"http://s","code":"a"}]}"#
            ),
            ("boolean", #""valueBoolean": true"#, #""valueBoolean":true"#),
            ("date", #""valueDate": "2026-11""#, #""valueDateTime":"2026-11""#),
            ("string", #""valueString": "12 apples""#, #""valueString":"12 apples""#),
            ("url", #""valueUri": "http://example.org/x""#, #""valueString":"http://example.org/x""#),
            ("time", #""valueTime": "07:05:00""#, #""valueTime":"07:05:00""#),
        ]
    )
    func values(type: String, answer: String, expected: String) throws {
        let unit: JSONValue = [
            "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
            "valueCoding": ["system": "http://unitsofmeasure.org", "code": "kg", "display": "kilogram"],
        ]
        let survey = survey([
            ["linkId": "q", "type": JSONValue(type), "code": Self.code, "extension": [Self.observe, unit]]
        ])
        let extraction = try extract(survey, #"{"linkId": "q", "answer": [{\#(answer)}]}"#)
        #expect(extraction.diagnostics.isEmpty)
        let text = try #require(extraction.resources.first).text()
        #expect(text.contains(expected), "\(text)")
        #expect(
            text.contains(#""status":"final""#)
                && text.contains(#""effectiveDateTime":"2026-11-22T09:30:00+01:00""#)
        )
        #expect(
            text.contains(#""derivedFrom":[{"reference":"QuestionnaireResponse/r1"}]"#)
                && text.contains(#""performer":[{"reference":"Patient/7"}]"#)
        )
        #expect(
            extraction.bundle.entry[0].request?.method == .post
                && extraction.bundle.entry[0].request?.url == "Observation"
        )
    }

    @Test("an integer without a unit stays one, an attachment is reported")
    func others() throws {
        let survey = survey(
            [
                ["linkId": "i", "type": "integer", "code": Self.code],
                ["linkId": "a", "type": "attachment", "code": Self.code],
                ["linkId": "n", "type": "string"],
            ],
            ["extension": [Self.observe]]
        )
        let extraction = try extract(
            survey,
            """
            {"linkId": "i", "answer": [{"valueInteger": 7}]}, {"linkId": "a", "answer": [{"valueAttachment": \
            {"title": "t"}}]}, {"linkId": "n", "answer": [{"valueString": "x"}]}
            """
        )
        #expect(extraction.resources.count == 1 && extraction.resources[0]["valueInteger"] == 7)
        #expect(extraction.codes == ["a unsupportedAnswer"])
    }

    @Test("where a code is marked, the codes beside it that are not are left out")
    func markedCodes() throws {
        func code(_ code: String, _ mark: (name: String, value: JSONValue)? = nil) -> JSONValue {
            var json: JSONValue = ["system": "http://s", "code": JSONValue(code)]
            guard let mark else { return json }
            var tree: JSONValue = ["url": JSONValue(sdc + "observationExtract")]
            tree[mark.name] = mark.value
            json["extension"] = [tree]
            return json
        }
        let survey = survey(
            [
                [
                    "linkId": "weight", "type": "integer",
                    "code": [code("weight", ("valueBoolean", true)), code("clothed"), code("unclothed")],
                ],
                [
                    "linkId": "not", "type": "integer",
                    "code": [code("a"), code("b", ("valueBoolean", false))],
                ],
                [
                    "linkId": "coded", "type": "integer",
                    "code": [code("c", ("valueCode", "independent")), code("d")],
                ],
            ],
            ["extension": [Self.observe]]
        )
        let extraction = try extract(
            survey,
            ["weight", "not", "coded"].map { #"{"linkId": "\#($0)", "answer": [{"valueInteger": 1}]}"# }
                .joined(separator: ",")
        )
        let codes = extraction.resources.map { resource in
            (resource["code"]?["coding"]?.elements ?? []).compactMap { $0["code"]?.string }
        }
        #expect(codes == [["weight"], ["a"], ["c"]])
    }

    @Test("a transaction changes no resource twice: the first answer with an id is taken")
    func sameResource() throws {
        let survey = survey(
            [
                [
                    "linkId": "q", "type": "integer", "repeats": true, "code": Self.code,
                    "extension": [
                        [
                            "url": JSONValue(sdc + "observationExtractEntry"),
                            "extension": [["url": "resourceId", "valueString": "'weight'"]],
                        ]
                    ],
                ]
            ],
            ["extension": [Self.observe]]
        )
        let extraction = try extract(
            survey,
            #"{"linkId": "q", "answer": [{"valueInteger": 1}, {"valueInteger": 2}]}"#
        )
        #expect(extraction.resources.map { $0["valueInteger"]?.integer } == [1])
        #expect(extraction.codes == ["q duplicateRequest"])
    }

    @Test("what is under an answer that no Observation can have is no part of the outer one")
    func partOfNothing() throws {
        let part: JSONValue = ["url": JSONValue(sdc + "observationExtract"), "valueCode": "component"]
        let survey = survey(
            [
                [
                    "linkId": "panel", "type": "group", "code": Self.code,
                    "item": [
                        [
                            "linkId": "photo", "type": "attachment",
                            "code": [["system": "http://s", "code": "photo"]],
                            "item": [
                                [
                                    "linkId": "size", "type": "integer", "extension": [part],
                                    "code": [["system": "http://s", "code": "size"]],
                                ]
                            ],
                        ],
                        [
                            "linkId": "own", "type": "integer", "extension": [part],
                            "code": [["system": "http://s", "code": "own"]],
                        ],
                    ],
                ]
            ],
            ["extension": [Self.observe]]
        )
        let extraction = try extract(
            survey,
            """
            {"linkId": "panel", "item": [
              {"linkId": "photo", "answer": [{"valueAttachment": {"title": "t"},
               "item": [{"linkId": "size", "answer": [{"valueInteger": 3}]}]}]},
              {"linkId": "own", "answer": [{"valueInteger": 4}]}]}
            """
        )
        #expect(extraction.resources.count == 1)
        let components = extraction.resources.first?["component"]?.elements.map(Array.init) ?? []
        #expect(components.map { $0["valueInteger"]?.integer } == [4])
        #expect(extraction.codes == ["photo unsupportedAnswer", "size noParent"])
    }

    @Test("a unit without a system is a text, not a code of nobody")
    func unitWithoutSystem() throws {
        let unit: JSONValue = [
            "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
            "valueCoding": ["code": "cups"],
        ]
        let survey = survey(
            [["linkId": "q", "type": "decimal", "code": Self.code, "extension": [unit]]],
            ["extension": [Self.observe]]
        )
        let extraction = try extract(survey, #"{"linkId": "q", "answer": [{"valueDecimal": 2.50}]}"#)
        #expect(extraction.resources.first?["valueQuantity"]?.text() == #"{"value":2.50,"unit":"cups"}"#)
        #expect(extraction.codes == [])
    }

    @Test("who is contained in the response is not referred to from outside, and is told")
    func contained() throws {
        let survey = survey(
            [["linkId": "q", "type": "integer", "code": Self.code]],
            ["extension": [Self.observe]]
        )
        let response = try QuestionnaireResponse(
            parsing: """
                {"resourceType": "QuestionnaireResponse", "id": "r", "status": "completed",
                 "contained": [{"resourceType": "Patient", "id": "p"}], "subject": {"reference": "#p"},
                 "author": {"reference": "#p"}, "encounter": {"reference": "#e"},
                 "item": [{"linkId": "q", "answer": [{"valueInteger": 1}]}]}
                """
        )
        let extraction = survey.extract(from: response)
        #expect(extraction.resources.first?.text().contains("#") == false)
        #expect(extraction.codes == Array(repeating: "q invalidElement", count: 3))
    }

    @Test("categories, excluded codes, several answers and disabled items are respected")
    func options() throws {
        func category(_ code: String) -> JSONValue {
            [
                "url": JSONValue(sdc + "observation-extract-category"),
                "valueCodeableConcept": [
                    "coding": [
                        [
                            "system": "http://terminology.hl7.org/CodeSystem/observation-category",
                            "code": JSONValue(code),
                        ]
                    ]
                ],
            ]
        }
        let off: JSONValue = ["url": JSONValue(sdc + "observationExtract"), "valueBoolean": false]
        let survey = survey(
            [
                [
                    "linkId": "two", "type": "string", "repeats": true, "extension": [category("survey")],
                    "code": [
                        ["code": "x", "system": "http://s"],
                        ["code": "y", "system": "http://s", "extension": [off]],
                    ],
                ],
                ["linkId": "off", "type": "string", "code": Self.code, "extension": [off]],
                ["linkId": "on", "type": "string", "code": Self.code],
            ],
            ["extension": [Self.observe, category("vital-signs")]]
        )
        let extraction = try extract(
            survey,
            ["two", "off", "on"].map {
                #"""
                {"linkId": "\#($0)", "answer": [{"valueString": \#
                "1"}\#($0 == "two" ? #", {"valueString": "2"}"# : "")]}
                """#
            }.joined(separator: ",")
        )
        #expect(extraction.resources.map { $0["valueString"]?.string } == ["1", "2", "1"])
        #expect(
            extraction.resources.map { $0["category"]?[0]?["coding"]?[0]?["code"]?.string } == [
                "survey", "survey", "vital-signs",
            ]
        )
        #expect(extraction.resources[0]["code"]?["coding"]?.text() == #"[{"code":"x","system":"http://s"}]"#)
        #expect(
            extraction.bundle.entry.map(\.fullUrl).count == Set(extraction.bundle.entry.map(\.fullUrl)).count
        )
    }

    @Test(
        "components and members belong to the Observation of their group",
        arguments: ["component", "member"]
    )
    func groups(kind: String) throws {
        let part: JSONValue = ["url": JSONValue(sdc + "observationExtract"), "valueCode": JSONValue(kind)]
        let survey = survey(
            [
                [
                    "linkId": "bp", "type": "group",
                    "code": [["system": "http://loinc.org", "code": "85354-9"]],
                    "item": [
                        [
                            "linkId": "s", "type": "integer",
                            "code": [["system": "http://loinc.org", "code": "8480-6"]], "extension": [part],
                        ],
                        [
                            "linkId": "d", "type": "integer",
                            "code": [["system": "http://loinc.org", "code": "8462-4"]],
                            "extension": [part],
                        ],
                    ],
                ]
            ],
            ["extension": [Self.observe]]
        )
        let extraction = try extract(
            survey,
            """
            {"linkId": "bp", "item": [{"linkId": "s", "answer": [{"valueInteger": 120}]}, {"linkId": "d", \
            "answer": [{"valueInteger": 80}]}]}
            """
        )
        #expect(extraction.diagnostics.isEmpty)
        let panel = try #require(extraction.resources.first)
        #expect(panel["code"]?["coding"]?[0]?["code"] == "85354-9")
        if kind == "component" {
            #expect(extraction.resources.count == 1 && panel["component"]?[1]?["valueInteger"] == 80)
        } else {
            #expect(
                extraction.resources.count == 3
                    && panel["hasMember"]?[0]?["reference"]?.string
                        == extraction.bundle.entry[1].fullUrl?.rawValue
            )
        }
    }

    @Test(
        "components and members under an answer belong to its Observation",
        arguments: ["component", "member"]
    )
    func answers(kind: String) throws {
        let part: JSONValue = ["url": JSONValue(sdc + "observationExtract"), "valueCode": JSONValue(kind)]
        let survey = survey([
            [
                "linkId": "arm", "type": "string", "repeats": true,
                "code": [["system": "http://loinc.org", "code": "85354-9"]], "extension": [Self.observe],
                "item": [
                    [
                        "linkId": "s", "type": "integer",
                        "code": [["system": "http://loinc.org", "code": "8480-6"]], "extension": [part],
                    ]
                ],
            ]
        ])
        func answer(_ arm: String, _ value: Int) -> String {
            """
            {"valueString": "\(arm)", "item": [{"linkId": "s", "answer": [{"valueInteger": \(value)}]}]}
            """
        }
        let extraction = try extract(
            survey,
            #"{"linkId": "arm", "answer": [\#(answer("left", 120)), \#(answer("right", 130))]}"#
        )
        #expect(extraction.diagnostics.isEmpty)
        let arms = extraction.resources.filter { $0["valueString"] != nil }
        #expect(arms.map { $0["valueString"]?.string } == ["left", "right"])
        if kind == "component" {
            #expect(extraction.resources.count == 2)
            #expect(arms.map { $0["component"]?[0]?["valueInteger"]?.integer } == [120, 130])
        } else {
            let values = Dictionary(
                uniqueKeysWithValues: extraction.bundle.entry.map {
                    ($0.fullUrl?.rawValue, $0.resource?.tree["valueInteger"]?.integer)
                }
            )
            #expect(
                arms.map { arm in values[arm["hasMember"]?[0]?["reference"]?.string] ?? nil } == [120, 130]
            )
        }
    }

    private func item(_ code: String, _ members: JSONValue) -> JSONValue {
        var item: JSONValue = [
            "linkId": JSONValue(code), "type": "integer", "text": JSONValue("Text of \(code)"),
            "code": [["system": "http://s", "code": JSONValue(code)]],
        ]
        for member in members.members ?? [] { item[member.name] = member.value }
        return item
    }

    @Test("the question's text and the display of the choice go along")
    func texts() throws {
        let uncoded: JSONValue = [
            "linkId": "n", "type": "choice", "text": "Which?", "extension": [Self.observe],
        ]
        let extraction = try extract(
            survey([item("a", ["extension": [Self.observe]]), uncoded]),
            """
            {"linkId": "a", "answer": [{"valueInteger": 1}]}, {"linkId": "n", "answer": [{"valueCoding": \
            {"system": "http://s", "code": "r", "display": "Red"}}]}
            """
        )
        #expect(extraction.diagnostics.isEmpty)
        #expect(
            extraction.resources.first?["code"]?.text()
                == #"{"coding":[{"system":"http://s","code":"a"}],"text":"Text of a"}"#
        )
        #expect(extraction.resources.last?["code"]?.text() == #"{"text":"Which?"}"#)
        #expect(extraction.resources.last?["valueCodeableConcept"]?["text"] == "Red")
    }

    @Test("a part of an Observation that is not made is not extracted, and that is told")
    func partsWithoutWhole() throws {
        for kind in ["component", "member"] {
            let part: JSONValue = [
                "url": JSONValue(sdc + "observationExtract"), "valueCode": JSONValue(kind),
            ]
            let extraction = try extract(
                survey([item("a", ["extension": [part]])]),
                #"{"linkId": "a", "answer": [{"valueInteger": 1}]}"#
            )
            #expect(extraction.resources.isEmpty && extraction.codes == ["a noParent"])
        }
    }

    @Test("a derived Observation refers to the one around it")
    func derived() throws {
        let part: JSONValue = ["url": JSONValue(sdc + "observationExtract"), "valueCode": "derived"]
        let extraction = try extract(
            survey([
                item("a", ["extension": [Self.observe], "item": [item("b", ["extension": [part]])]])
            ]),
            """
            {"linkId": "a", "answer": [{"valueInteger": 1, "item": [{"linkId": "b", "answer": \
            [{"valueInteger": 2}]}]}]}
            """
        )
        #expect(extraction.diagnostics.isEmpty && extraction.resources.count == 2)
        #expect(
            extraction.resources.last?["derivedFrom"]?.elements?.compactMap { $0["reference"]?.string }
                == ["QuestionnaireResponse/r1", extraction.bundle.entry[0].fullUrl?.rawValue ?? ""]
        )
    }

    @Test("Observations of a group are about whom one of its questions names, or nobody")
    func subjects() throws {
        let subject: JSONValue = ["url": JSONValue(sdc + "isSubject"), "valueBoolean": true]
        let survey = survey(
            [
                item("a", [:]),
                [
                    "linkId": "g", "type": "group", "repeats": true,
                    "item": [
                        ["linkId": "who", "type": "reference", "extension": [subject]], item("b", [:]),
                    ],
                ],
            ],
            ["extension": [Self.observe]]
        )
        let extraction = try extract(
            survey,
            """
            {"linkId": "a", "answer": [{"valueInteger": 1}]}, {"linkId": "g", "item": [{"linkId": "who", \
            "answer": [{"valueReference": {"reference": "Patient/8"}}]}, {"linkId": "b", "answer": \
            [{"valueInteger": 2}]}]}, {"linkId": "g", "item": [{"linkId": "b", "answer": \
            [{"valueInteger": 3}]}]}
            """
        )
        #expect(extraction.codes == ["b noSubject"])
        #expect(
            extraction.resources.map { $0["subject"]?["reference"]?.string } == ["Patient/7", "Patient/8"]
        )
    }

    @Test("a code of a system that is no URL is kept, and told")
    func localSystems() throws {
        var local = item("a", ["extension": [Self.observe]])
        local["code"] = [["system": "local", "code": "a"]]
        let response = try QuestionnaireResponse(
            parsing: """
                {"resourceType": "QuestionnaireResponse", "status": "completed", "item": \
                [{"linkId": "a", "answer": [{"valueInteger": 1}]}]}
                """
        )
        let extraction = survey([local]).extract(from: response)
        #expect(extraction.resources.first?["code"]?["coding"]?[0]?["system"] == "local")
        #expect(extraction.codes == ["a relativeURL"])
    }

    @Test("an empty extraction says why")
    func empty() throws {
        #expect(try extract(survey([["linkId": "q", "type": "string"]]), "").codes == [" noExtraction"])
        let observed = survey(
            [["linkId": "q", "type": "string", "code": Self.code]],
            ["extension": [Self.observe]]
        )
        #expect(try extract(observed, "").codes == [" nothingExtracted"])
        #expect(
            try extract(
                observed,
                #"{"linkId": "q", "answer": [{"valueString": "x"}]}"#,
                status: "entered-in-error"
            ).codes == [
                " enteredInError"
            ]
        )
        #expect(
            try extract(observed, #"{"linkId": "z", "answer": [{"valueString": "x"}]}"#).codes == [
                "z unknownItem"
            ]
        )
    }
}
