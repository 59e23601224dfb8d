import FHIR
import OrderedJSON
import Surveys
import Testing

struct FillingTests {
    private static func session() -> SurveySession {
        SurveySession(
            survey([
                ["linkId": "name", "type": "string"], ["linkId": "age", "type": "integer"],
                [
                    "linkId": "weight", "type": "quantity",
                    "extension": [
                        [
                            "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
                            "valueCoding": [
                                "system": "http://unitsofmeasure.org", "code": "kg", "display": "kilogram",
                            ],
                        ]
                    ],
                ],
                [
                    "linkId": "colours", "type": "choice", "repeats": true,
                    "answerOption": [
                        ["valueCoding": ["system": "s", "code": "r", "display": "Red"]],
                        ["valueCoding": ["system": "s", "code": "b", "display": "Blue"]],
                        ["valueCoding": ["system": "t", "code": "b", "display": "Black"]],
                    ],
                ],
                [
                    "linkId": "visit", "type": "group", "repeats": true,
                    "item": [
                        ["linkId": "day", "type": "date"],
                        ["linkId": "tags", "type": "string", "repeats": true],
                    ],
                ],
                [
                    "linkId": "pet", "type": "string", "repeats": true,
                    "item": [["linkId": "legs", "type": "integer"]],
                ],
            ])
        )
    }

    @Test("values, codes alone, quantities alone and lists are answers")
    func values() throws {
        var session = Self.session()
        let answers = try JSONValue(
            parsing: """
                {"age": 36, "name": "Ada", "weight": 54.5, "colours": ["r", {"system": "t", "code": "b"}, \
                "Blue"],
                 "legs": [4, 2], "pet": ["cat", "bird"]}
                """
        )
        #expect(session.fill(with: answers).isEmpty)
        let response = session.response(authored: "2026", includesText: false).tree["item"]
        let expected = try JSONValue(
            parsing: """
                [{"linkId": "name", "answer": [{"valueString": "Ada"}]}, {"linkId": "age", "answer": \
                [{"valueInteger": 36}]},
                 {"linkId": "weight", "answer": [{"valueQuantity": {"value": 54.5, "unit": "kilogram",
                  "system": "http://unitsofmeasure.org", "code": "kg"}}]},
                 {"linkId": "colours", "answer": [{"valueCoding": {"system": "s", "code": "r", "display": \
                "Red"}},
                  {"valueCoding": {"system": "t", "code": "b", "display": "Black"}},
                  {"valueCoding": {"system": "s", "code": "b", "display": "Blue"}}]},
                 {"linkId": "pet", "answer": [{"valueString": "cat", "item": [{"linkId": "legs", "answer": \
                [{"valueInteger": 4}]}]},
                  {"valueString": "bird", "item": [{"linkId": "legs", "answer": [{"valueInteger": 2}]}]}]}]
                """
        )
        #expect(response == expected)
    }

    @Test(
        "repetitions come from objects, and from values for each",
        arguments: [
            #"{"visit": [{"day": "2026-01-01", "tags": ["a", "b"]}, {"day": "2026-01-02"}]}"#,
            #"{"day": ["2026-01-01", "2026-01-02"], "tags": [["a", "b"]]}"#,
        ]
    )
    func repetitions(answers: String) throws {
        var session = Self.session()
        #expect(session.fill(with: try JSONValue(parsing: answers)).isEmpty)
        #expect(
            session.occurrences(of: "day").map(session.answers) == [
                [.date("2026-01-01")], [.date("2026-01-02")],
            ]
        )
        #expect(session.occurrences(of: "tags").map { session.answers(of: $0).count } == [2, 0])
    }

    @Test(
        "what does not fit is reported and left out",
        arguments: [
            (#"{"nothing": 1}"#, "unknownItem"), (#"{"age": "old"}"#, "wrongType"),
            (#"{"colours": "b"}"#, "notAnOption"),
            (#"{"visit": 5}"#, "wrongType"), (#"{"legs": 4}"#, "notAsked"),
            (#"{"visit": {"name": "x"}}"#, "misplaced"),
            ("[]", "wrongType"),
        ]
    )
    func misfits(answers: String, code: String) throws {
        var session = Self.session()
        #expect(session.fill(with: try JSONValue(parsing: answers)).map(\.code) == [code])
        #expect(session.response().item.isEmpty)
    }

    @Test("an option that an answer further down enables can be chosen in any order")
    func optionsFromBelow() {
        let url =
            "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-answerOptionsToggleExpression"
        let toggle: JSONValue = [
            "url": JSONValue(url),
            "extension": [
                ["url": "option", "valueCoding": ["system": "s", "code": "b"]],
                [
                    "url": "expression",
                    "valueExpression": [
                        "language": "text/fhirpath",
                        "expression": "%resource.item.where(linkId='fever').answer.value = true",
                    ],
                ],
            ],
        ]
        let survey = survey([
            [
                "linkId": "symptom", "type": "choice", "extension": [toggle],
                "answerOption": [
                    ["valueCoding": ["system": "s", "code": "a"]],
                    ["valueCoding": ["system": "s", "code": "b"]],
                ],
            ],
            ["linkId": "fever", "type": "boolean"],
        ])
        var session = SurveySession(survey)
        #expect(session.fill(with: ["symptom": "b", "fever": true]).isEmpty)
        #expect(session.answers(of: session.occurrences(of: "symptom")[0]).first?.coding?.code == "b")
        var other = SurveySession(survey)
        #expect(other.fill(with: ["symptom": "b", "fever": false]).map(\.code) == ["notAnOption"])
    }
}
