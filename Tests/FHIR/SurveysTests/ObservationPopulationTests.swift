import FHIR
import OrderedJSON
import Surveys
import Testing

/// Which earlier Observations fill a survey, and with what (SDC, observation-based population).
@Suite("Surveys: population by Observations")
struct ObservationPopulationTests {
    private static let period: JSONValue = [
        "url": JSONValue(sdc + "observationLinkPeriod"),
        "valueDuration": ["value": 1, "unit": "year", "code": "a"],
    ]

    private func code(_ code: String) -> JSONValue {
        [["system": "http://loinc.org", "code": JSONValue(code)]]
    }

    private func question(_ code: String, _ type: String = "decimal") -> JSONValue {
        ["linkId": JSONValue(code), "type": JSONValue(type), "code": self.code(code)]
    }

    private func observation(_ code: String, _ members: JSONValue) -> JSONValue {
        var observation: JSONValue = [
            "resourceType": "Observation", "id": JSONValue("o" + code), "status": "final",
            "code": ["coding": self.code(code)], "effectiveDateTime": "2026-10-02",
        ]
        for member in members.members ?? [] { observation[member.name] = member.value }
        return observation
    }

    /// A session that is filled from Observations, of which a search finds those with its codes.
    private func filled(_ survey: Survey, _ observations: JSONValue...) -> SurveySession {
        var context = SurveyContext(
            now: "2026-11-22T09:30:00Z",
            resources: ["patient": [["resourceType": "Patient", "id": "7"]]]
        )
        for url in SurveySession(survey, context: context).openQueries {
            let found = observations.filter {
                let code = $0["code"]?["coding"]?[0]?["code"]?.string ?? ""
                return url.contains("%7C\(code)&") || url.contains("%7C\(code),")
            }
            context.queries[url] = [
                "resourceType": "Bundle", "type": "searchset",
                "entry": JSONValue(found.map { ["resource": $0] }),
            ]
        }
        return SurveySession(survey, context: context)
    }

    private func texts(_ session: SurveySession, _ linkId: String) -> [String] {
        session.occurrences(of: linkId).flatMap { session.answers(of: $0).map(\.label) }
    }

    @Test("a period counts for the items under it, until there is a nearer one")
    func inheritedPeriod() {
        let month: JSONValue = [
            "url": JSONValue(sdc + "observationLinkPeriod"),
            "valueDuration": ["value": "1", "unit": "month", "code": "mo"],
        ]
        let survey = survey(
            [
                ["linkId": "g", "type": "group", "extension": [month], "item": [question("1")]],
                question("2"), ["linkId": "none", "type": "decimal"],
            ],
            ["extension": [Self.period]]
        )
        #expect(survey.diagnostics.isEmpty)
        #expect(survey.item("1")?.observationPeriod?.code == "mo")
        #expect(survey.item("2")?.observationPeriod?.code == "a")
        let session = filled(
            survey,
            observation("1", ["valueInteger": 5]),
            observation("2", ["valueInteger": 6])
        )
        #expect(texts(session, "1") == ["5"] && texts(session, "2") == ["6"] && texts(session, "none") == [])
    }

    @Test(
        "Observations that are no result, or about somebody else, do not count",
        arguments: [
            (#"{"status": "preliminary"}"#, false), (#"{"status": "unknown"}"#, false),
            (#"{"status": "amended"}"#, true), (#"{"status": "corrected"}"#, true),
            (#"{"focus": [{"reference": "Patient/8"}]}"#, false),
            (#"{"focus": [{"reference": "Patient/7"}]}"#, true),
        ]
    )
    func status(members: String, counts: Bool) throws {
        var found = observation("1", ["valueInteger": 5])
        for member in try JSONValue(parsing: members).members ?? [] { found[member.name] = member.value }
        let survey = survey([question("1")], ["extension": [Self.period]])
        #expect(texts(filled(survey, found), "1") == (counts ? ["5"] : []))
    }

    @Test("the latest Observation that has a value of the item's type is the one")
    func latestThatFits() {
        let survey = survey([question("1")], ["extension": [Self.period]])
        let session = filled(
            survey,
            observation("1", ["valueString": "much", "effectiveDateTime": "2026-11-01"]),
            observation("1", ["dataAbsentReason": ["text": "lost"], "effectiveDateTime": "2026-11-02"]),
            observation("1", ["valueInteger": 4, "effectiveDateTime": "2026-09-01"]),
            observation("1", ["valueInteger": 5])
        )
        #expect(texts(session, "1") == ["5"])
    }

    @Test("in a group for an Observation only that one's components and members count")
    func panels() {
        let panel: JSONValue = [
            "linkId": "panel", "type": "group", "code": code("85354-9"),
            "item": [question("8480-6"), question("8462-4")],
        ]
        let survey = survey([panel], ["extension": [Self.period]])
        let other = observation("8462-4", ["valueInteger": 70])
        let components = filled(
            survey,
            observation(
                "85354-9",
                ["component": [["code": ["coding": code("8480-6")], "valueInteger": 120]]]
            ),
            other
        )
        #expect(texts(components, "8480-6") == ["120"] && texts(components, "8462-4") == [])
        let occurrence = components.occurrences(of: "8480-6")[0]
        #expect(components.origin(of: occurrence) == .observation("Observation/o85354-9"))
        let members = filled(
            survey,
            observation("85354-9", ["hasMember": [["reference": "Observation/o8462-4"]]]),
            other
        )
        #expect(texts(members, "8462-4") == ["70"])
        // Without such an Observation each question is by itself.
        #expect(texts(filled(survey, other), "8462-4") == ["70"])
    }

    @Test("what is about somebody else is not filled from the patient's Observations")
    func otherSubject() {
        let subject: JSONValue = ["url": JSONValue(sdc + "isSubject"), "valueBoolean": true]
        let survey = survey(
            [
                [
                    "linkId": "child", "type": "group",
                    "item": [
                        ["linkId": "who", "type": "reference", "extension": [subject]], question("1"),
                    ],
                ], question("2"),
            ],
            ["extension": [Self.period]]
        )
        #expect(survey.diagnostics.isEmpty)
        let session = filled(
            survey,
            observation("1", ["valueInteger": 5]),
            observation("2", ["valueInteger": 6])
        )
        #expect(texts(session, "1") == [] && texts(session, "2") == ["6"])
    }

    @Test(
        "a quantity is in one of the units of its question",
        arguments: [
            (["value": 5, "unit": "kg", "code": "kg"], "5 kg"),
            (["value": 5, "unit": "mg", "code": "mg"], "0.000005 kg"), (["value": 4, "code": "m"], nil),
        ] as [(JSONValue, String?)]
    )
    func units(value: JSONValue, expected: String?) {
        var quantity = question("1", "quantity")
        quantity["extension"] = JSONValue(
            ["kg", "g"].map { unit -> JSONValue in
                [
                    "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unitOption",
                    "valueCoding": [
                        "system": "http://unitsofmeasure.org", "code": JSONValue(unit),
                        "display": JSONValue(unit),
                    ],
                ]
            }
        )
        var value = value
        value["system"] = "http://unitsofmeasure.org"
        let survey = survey([quantity], ["extension": [Self.period]])
        let session = filled(survey, observation("1", ["valueQuantity": value]))
        #expect(texts(session, "1") == (expected.map { [$0] } ?? []))
    }

    @Test(
        "a quantity may be in another unit where the units are open",
        arguments: ["optionsOnly", "optionsOrType"]
    )
    func openUnits(openness: String) throws {
        var quantity = question("1", "quantity")
        quantity["extension"] = [
            [
                "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unitOption",
                "valueCoding": ["system": "http://unitsofmeasure.org", "code": "kg"],
            ],
            ["url": JSONValue(sdc + "unitOpen"), "valueCode": JSONValue(openness)],
        ]
        let isOpen = openness == "optionsOrType"
        let survey = survey([quantity], ["extension": [Self.period]])
        #expect(survey.diagnostics.isEmpty && survey.item("1")?.format.isUnitOpen == isOpen)
        let metres: JSONValue = ["value": 4, "system": "http://unitsofmeasure.org", "code": "m"]
        let session = filled(survey, observation("1", ["valueQuantity": metres]))
        #expect(texts(session, "1") == (isOpen ? ["4 m"] : []))
        var answered = SurveySession(survey)
        try answered.answer("1", with: .quantity(Quantity(value: 4, unit: "m", code: "m")))
        #expect(answered.problems().isEmpty == isOpen)
    }

    @Test(
        "the result of an expression becomes the option, reference or text it stands for",
        arguments: [
            ("choice", "%patient.maritalStatus", ["Married (option)"]),
            ("choice", "%patient.communication.language.coding", []),
            ("choice", "%patient.contact.relationship", ["Married (option)"]),
            ("reference", "%patient", ["Patient/7"]),
            ("string", "%patient.maritalStatus", ["spouse"]),
            ("decimal", "%patient.extension.value", ["72.5"]),
        ] as [(String, String, [String])]
    )
    func values(type: String, text: String, expected: [String]) {
        let item: JSONValue = [
            "linkId": "q", "type": JSONValue(type),
            "answerOption": type == "choice"
                ? [["valueCoding": ["system": "http://s", "code": "M", "display": "Married (option)"]]] : [],
            "extension": [
                [
                    "url": JSONValue(sdc + "initialExpression"),
                    "valueExpression": ["language": "text/fhirpath", "expression": JSONValue(text)],
                ],
                [
                    "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
                    "valueCoding": ["system": "http://unitsofmeasure.org", "code": "kg"],
                ],
            ],
        ]
        let patient: JSONValue = [
            "resourceType": "Patient", "id": "7",
            "extension": [
                [
                    "url": "http://e.org/weight",
                    "valueQuantity": ["value": 72500, "system": "http://unitsofmeasure.org", "code": "g"],
                ]
            ],
            "maritalStatus": [
                "coding": [["system": "http://s", "code": "M", "display": "Married"]], "text": "spouse",
            ],
            "contact": [["relationship": [["coding": [["code": "M"]]]]]],
            "communication": [["language": ["coding": [["system": "http://s", "code": "de"]]]]],
        ]
        let survey = survey([item])
        let session = SurveySession(survey, context: SurveyContext(resources: ["patient": [patient]]))
        #expect(texts(session, "q") == expected)
        #expect(session.diagnostics.map(\.code) == (expected.isEmpty ? ["unfittingResult"] : []))
    }

    @Test("an expression that reads its own item's definition does not depend on itself")
    func readsQuestionnaire() throws {
        let survey = survey([
            ["linkId": "a", "type": "boolean"],
            [
                "linkId": "b", "type": "choice",
                "answerOption": [["valueCoding": ["code": "x"]], ["valueCoding": ["code": "y"]]],
                "extension": [
                    [
                        "url": JSONValue(sdc + "calculatedExpression"),
                        "valueExpression": [
                            "language": "text/fhirpath",
                            "expression": """
                            iif(%resource.item.where(linkId = 'a').answer.value, \
                            %questionnaire.item.where(linkId = 'b').answerOption.value.where(code = 'y'), {})
                            """,
                        ],
                    ]
                ],
            ],
        ])
        #expect(survey.diagnostics.isEmpty)
        var session = SurveySession(survey)
        try session.answer("a", with: .boolean(true))
        #expect(session.answers(of: session.occurrences(of: "b")[0]).map(\.content.tree["code"]) == ["y"])
    }

    @Test("a named calculated expression is a variable, for items under it or for all")
    func namedExpressions() throws {
        func calculated(_ text: String, _ name: String? = nil) -> JSONValue {
            var value: JSONValue = ["language": "text/fhirpath", "expression": JSONValue(text)]
            if let name { value["name"] = JSONValue(name) }
            return ["url": JSONValue(sdc + "calculatedExpression"), "valueExpression": value]
        }
        let survey = survey(
            [
                ["linkId": "a", "type": "integer"],
                [
                    "linkId": "g", "type": "group",
                    "item": [
                        [
                            "linkId": "b", "type": "integer",
                            "extension": [
                                calculated("%resource.item.where(linkId = 'a').answer.value + 1", "varB")
                            ],
                            "item": [
                                ["linkId": "c", "type": "integer", "extension": [calculated("%varB + 1")]]
                            ],
                        ]
                    ],
                ],
                ["linkId": "d", "type": "integer", "extension": [calculated("%varA * 10")]],
            ],
            ["extension": [calculated("%resource.item.where(linkId = 'a').answer.value", "varA")]]
        )
        var session = SurveySession(survey)
        #expect(texts(session, "d") == [])
        try session.answer("a", with: .integer(4))
        #expect(texts(session, "b") == ["5"] && texts(session, "c") == ["6"] && texts(session, "d") == ["40"])
    }
}
