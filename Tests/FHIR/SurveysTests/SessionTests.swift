import FHIR
import OrderedJSON
import Surveys
import Testing

/// A questionnaire with items.
func survey(_ items: JSONValue, _ members: [String: JSONValue] = [:]) -> Survey {
    var tree: JSONValue = [
        "resourceType": "Questionnaire", "url": "http://example.org/q", "version": "2", "status": "draft",
    ]
    for (name, value) in members { tree[name] = value }
    tree["item"] = items
    return Survey(Questionnaire(view: tree))
}

func expression(_ url: String, _ text: String, name: String? = nil) -> JSONValue {
    var value: JSONValue = ["language": "text/fhirpath", "expression": JSONValue(text)]
    if let name { value["name"] = JSONValue(name) }
    return ["url": JSONValue("http://hl7.org/fhir/" + url), "valueExpression": value]
}

let calculated = "uv/sdc/StructureDefinition/sdc-questionnaire-calculatedExpression"
let variable = "StructureDefinition/variable"

struct SessionTests {
    private static let context = SurveyContext(now: "2026-11-22T09:30:00+01:00")

    @Test("a question is answered by link id or occurrence, with values or an array of them")
    func forms() throws {
        let survey = survey([["linkId": "a", "type": "string", "repeats": true]])
        var session = SurveySession(survey)
        let occurrence = try #require(session.occurrences(of: "a").first)
        let both: [SurveyAnswer] = [.string("x"), .string("y")]
        try session.answer("a", with: .string("x"), .string("y"))
        #expect(session.answers(of: occurrence) == both)
        try session.answer("a", with: [])
        #expect(session.answers(of: occurrence).isEmpty)
        try session.answer(occurrence, with: .string("x"), .string("y"))
        #expect(session.answers(of: occurrence) == both)
        try session.answer(occurrence, with: [])
        #expect(session.answers(of: occurrence).isEmpty)
        try session.answer("a", with: both)
        #expect(session.answers(of: occurrence) == both)
    }

    @Test("the response is nested as the questionnaire, and says what it answers")
    func response() throws {
        let survey = survey([
            [
                "linkId": "g", "type": "group", "text": "Group",
                "item": [
                    [
                        "linkId": "q", "type": "boolean", "text": "Question",
                        "item": [["linkId": "why", "type": "string"]],
                    ],
                    ["linkId": "empty", "type": "string"],
                    ["linkId": "note", "type": "display", "text": "Read this"],
                ],
            ],
            ["linkId": "nothing", "type": "group", "item": [["linkId": "x", "type": "string"]]],
        ])
        var session = SurveySession(survey, context: Self.context)
        session.header.subject = Reference("Patient/7")
        #expect(session.occurrences(of: "why").isEmpty)
        try session.answer("q", with: .boolean(true))
        try session.answer("why", with: .string("because"))
        let expected = try JSONValue(
            parsing: """
                {"resourceType": "QuestionnaireResponse", "status": "completed", "questionnaire": \
                "http://example.org/q|2",
                 "subject": {"reference": "Patient/7"}, "authored": "2026-11-22T09:30:00+01:00",
                 "item": [{"linkId": "g", "text": "Group", "item": [{"linkId": "q", "text": "Question",
                 "answer": [{"valueBoolean": true, "item": [{"linkId": "why", "answer": [{"valueString": \
                "because"}]}]}]}]}]}
                """
        )
        #expect(session.response().tree == expected)
        // A change of the answer keeps what is under it, taking it away does not.
        try session.answer("q", with: .boolean(false))
        #expect(session.occurrences(of: "why").count == 1)
        session.clear(session.occurrences(of: "g")[0])
        #expect(session.response().tree["item"] == nil)
    }

    @Test("an answer of another type, an unknown item and an item that is gone are refused")
    func refusals() throws {
        var session = SurveySession(
            survey([["linkId": "n", "type": "integer", "item": [["linkId": "c", "type": "string"]]]])
        )
        #expect(throws: SurveySessionError.wrongType(linkId: "n", type: "integer")) {
            try session.answer("n", with: .string("5"))
        }
        #expect(throws: SurveySessionError.noSuchItem(linkId: "x")) {
            try session.answer("x", with: .integer(5))
        }
        try session.answer("n", with: .integer(5))
        let child = session.occurrences(of: "c")[0]
        try session.answer("n")
        #expect(throws: SurveySessionError.noSuchItem(linkId: "c")) {
            try session.answer(child, with: [.string("x")])
        }
        try session.answer("n", with: .integer(6))
        #expect(!session.isEnabled(child), "the number of a node is used again, the occurrence is another")
    }

    @Test("initial values, preselected options and values from launch contexts")
    func initialValues() throws {
        let initialExpression = "uv/sdc/StructureDefinition/sdc-questionnaire-initialExpression"
        let survey = survey(
            [
                ["linkId": "a", "type": "string", "initial": [["valueString": "x"]]],
                [
                    "linkId": "b", "type": "choice", "repeats": true,
                    "answerOption": [
                        ["valueCoding": ["code": "1"], "initialSelected": true],
                        ["valueCoding": ["code": "2"]],
                        ["valueCoding": ["code": "3"], "initialSelected": true],
                    ],
                ],
                [
                    "linkId": "born", "type": "date",
                    "extension": [expression(initialExpression, "%patient.birthDate")],
                ],
                ["linkId": "today", "type": "date", "extension": [expression(initialExpression, "today()")]],
            ],
            [
                "extension": [
                    [
                        "url":
                            "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-launchContext",
                        "extension": [["url": "name", "valueCoding": ["code": "patient"]]],
                    ]
                ]
            ]
        )
        let empty = SurveySession(survey, context: Self.context)
        #expect(empty.answers(of: empty.occurrences(of: "born")[0]).isEmpty)
        #expect(empty.diagnostics.isEmpty)
        let session = SurveySession(
            survey,
            context: SurveyContext(
                now: Self.context.now,
                resources: ["patient": [["resourceType": "Patient", "birthDate": "1980-02-03"]]]
            )
        )
        #expect(session.answers(of: session.occurrences(of: "a")[0]) == [.string("x")])
        #expect(session.answers(of: session.occurrences(of: "b")[0]).map(\.label) == ["1", "3"])
        #expect(session.answers(of: session.occurrences(of: "born")[0]) == [.date("1980-02-03")])
        #expect(session.answers(of: session.occurrences(of: "today")[0]) == [.date("2026-11-22")])
        #expect(!session.isChanged)
    }

    @Test("calculated values follow what they read, also through variables and other values")
    func calculatedValues() throws {
        let survey = survey(
            [
                ["linkId": "height", "type": "decimal"], ["linkId": "weight", "type": "decimal"],
                [
                    "linkId": "bmi", "type": "decimal", "readOnly": true,
                    "extension": [expression(calculated, "(%w / (%h / 100).power(2)).round(1)")],
                ],
                [
                    "linkId": "heavy", "type": "boolean",
                    "extension": [
                        expression(calculated, "%resource.item.where(linkId='bmi').answer.value > 25")
                    ],
                ],
            ],
            [
                "extension": [
                    expression(variable, "%resource.item.where(linkId='weight').answer.value", name: "w"),
                    expression(variable, "%resource.item.where(linkId='height').answer.value", name: "h"),
                ]
            ]
        )
        #expect(survey.diagnostics.isEmpty)
        var session = SurveySession(survey)
        try session.answer("height", with: .decimal(180))
        #expect(session.answers(of: session.occurrences(of: "bmi")[0]).isEmpty)
        try session.answer("weight", with: .decimal(74.8))
        #expect(session.answers(of: session.occurrences(of: "bmi")[0]) == [.decimal(23.1)])
        #expect(session.answers(of: session.occurrences(of: "heavy")[0]) == [.boolean(false)])
        try session.answer("weight", with: .decimal(100))
        #expect(session.answers(of: session.occurrences(of: "heavy")[0]) == [.boolean(true)])
        try session.answer("weight")
        #expect(session.answers(of: session.occurrences(of: "heavy")[0]).isEmpty)
    }

    @Test("a variable counts in its item and below, the nearest of a name")
    func variableScope() throws {
        let survey = survey(
            [
                [
                    "linkId": "g", "type": "group", "repeats": true,
                    "extension": [expression(variable, "item.where(linkId='n').answer.value", name: "x")],
                    "item": [
                        ["linkId": "n", "type": "integer"],
                        [
                            "linkId": "double", "type": "integer",
                            "extension": [expression(calculated, "%x * 2")],
                        ],
                    ],
                ],
                ["linkId": "outer", "type": "integer", "extension": [expression(calculated, "%x")]],
            ],
            ["extension": [expression(variable, "7", name: "x")]]
        )
        var session = SurveySession(survey)
        try session.addRepetition(after: session.occurrences(of: "g")[0])
        for (index, occurrence) in session.occurrences(of: "n").enumerated() {
            try session.answer(occurrence, with: [.integer(index + 10)])
        }
        #expect(session.occurrences(of: "double").map(session.answers) == [[.integer(20)], [.integer(22)]])
        #expect(session.answers(of: session.occurrences(of: "outer")[0]) == [.integer(7)])
    }

    @Test("expressions enable, and are evaluated again when what they read changes")
    func enableExpressions() throws {
        let enable = "uv/sdc/StructureDefinition/sdc-questionnaire-enableWhenExpression"
        var session = SurveySession(
            survey([
                ["linkId": "a", "type": "integer"], ["linkId": "b", "type": "integer"],
                [
                    "linkId": "sum", "type": "string",
                    "extension": [
                        expression(
                            enable,
                            "%resource.descendants().where(linkId in ('a' | 'b')).answer.value.sum() > 10"
                        )
                    ],
                ],
            ])
        )
        let sum = session.occurrences(of: "sum")[0]
        #expect(!session.isEnabled(sum))
        try session.answer("a", with: .integer(6))
        #expect(!session.isEnabled(sum))
        try session.answer("b", with: .integer(5))
        #expect(session.isEnabled(sum))
    }

    @Test("a saved session comes back, also in another version of the questionnaire")
    func restoring() throws {
        var session = SurveySession(
            survey([
                ["linkId": "kept", "type": "string"], ["linkId": "gone", "type": "string"],
                ["linkId": "moved", "type": "integer"], ["linkId": "other", "type": "integer"],
            ])
        )
        for linkId in ["kept", "gone"] { try session.answer(linkId, with: .string(linkId)) }
        for linkId in ["moved", "other"] { try session.answer(linkId, with: .integer(3)) }
        let saved = session.response(.inProgress)
        #expect(SurveySession(session.survey, restoring: saved).response(.inProgress).tree == saved.tree)
        let newer = survey(
            [
                ["linkId": "kept", "type": "string"],
                ["linkId": "g", "type": "group", "item": [["linkId": "moved", "type": "integer"]]],
                ["linkId": "other", "type": "date"],
            ],
            ["version": "3"]
        )
        let restored = SurveySession(newer, restoring: saved)
        #expect(
            restored.restorationProblems.map { "\($0.linkId ?? "") \($0.code)" }
                == [" otherVersion", "gone unknownItem", "other wrongType", "moved misplaced"]
        )
        #expect(restored.response().questionnaire == "http://example.org/q|3")
        #expect(restored.answers(of: restored.occurrences(of: "kept")[0]) == [.string("kept")])
        #expect(restored.answers(of: restored.occurrences(of: "moved")[0]) == [.integer(3)])
    }

    @Test("what a response says besides comes back with it")
    func extras() throws {
        let survey = survey([["linkId": "q", "type": "string"], ["linkId": "r", "type": "string"]])
        let response = try QuestionnaireResponse(
            parsing: """
                {"resourceType": "QuestionnaireResponse", "id": "7", "status": "amended", "questionnaire": \
                "http://example.org/q|2",
                 "authored": "2020-01-01", "item": [{"id": "i", "linkId": "q", "text": "as it was asked",
                 "answer": [{"id": "a", "valueString": "x", "_valueString": {"extension": [{"url": "u", \
                "valueBoolean": true}]}}]},
                 {"linkId": "r", "text": "not answered"}]}
                """
        )
        var session = SurveySession(survey, restoring: response)
        #expect(session.response(.amended).tree == response.tree)
        try session.answer("q", with: .string("y"))
        let answer = session.response().tree["item"]?[0]?["answer"]?[0]
        #expect(answer?.text() == #"{"id":"a","valueString":"y"}"#)
    }

    @Test("pages are the groups marked as such, and are shown only with something on them")
    func pages() throws {
        let page: JSONValue = [
            "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-itemControl",
            "valueCodeableConcept": ["coding": [["code": "page"]]],
        ]
        var session = SurveySession(
            survey([
                [
                    "linkId": "p1", "type": "group", "extension": [page],
                    "item": [["linkId": "a", "type": "boolean", "required": true]],
                ],
                [
                    "linkId": "p2", "type": "group", "extension": [page],
                    "enableWhen": [["question": "a", "operator": "=", "answerBoolean": true]],
                    "item": [["linkId": "b", "type": "string"]],
                ],
                [
                    "linkId": "p3", "type": "group", "extension": [page],
                    "item": [["linkId": "c", "type": "string"]],
                ],
            ])
        )
        #expect(session.pages.count == 2)
        #expect(session.pageProblems.map(\.code) == ["required"])
        try session.answer("a", with: .boolean(true))
        #expect(session.pages.count == 3)
        session.next()
        #expect(session.visibleItems.map(\.item.linkId) == ["p2", "b"])
        #expect(session.progress == SurveySession(session.survey, restoring: session.response()).progress)
        #expect(session.progress.questions == 3 && session.progress.answered == 1)
        session.next()
        session.next()
        #expect(session.isOnLastPage && session.pageIndex == 2)
        session.back()
        #expect(session.pageIndex == 1)
    }

    @Test("an exclusive option and the others exclude each other")
    func exclusiveOptions() throws {
        let exclusive: JSONValue = [
            "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-optionExclusive",
            "valueBoolean": true,
        ]
        var session = SurveySession(
            survey([
                [
                    "linkId": "q", "type": "choice", "repeats": true,
                    "answerOption": [
                        ["valueString": "a"], ["valueString": "b"],
                        ["valueString": "none", "extension": [exclusive]],
                    ],
                ]
            ])
        )
        let question = session.occurrences(of: "q")[0]
        let options = session.options(of: question)
        try session.toggle(options[0], of: question)
        try session.toggle(options[1], of: question)
        #expect(session.answers(of: question).map(\.label) == ["a", "b"])
        try session.toggle(options[2], of: question)
        #expect(session.answers(of: question).map(\.label) == ["none"])
        try session.toggle(options[0], of: question)
        #expect(session.answers(of: question).map(\.label) == ["a"])
        try session.toggle(options[0], of: question)
        #expect(session.answers(of: question).isEmpty)
        try session.answer(question, with: [.string("a"), .string("none")])
        #expect(session.problems().map(\.code) == ["exclusiveOption"])
    }

    @Test("options that a rule toggles are there while it holds")
    func toggledOptions() throws {
        let url =
            "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-answerOptionsToggleExpression"
        var session = SurveySession(
            survey([
                ["linkId": "adult", "type": "boolean"],
                [
                    "linkId": "drink", "type": "choice",
                    "answerOption": [["valueString": "milk"], ["valueString": "wine"]],
                    "extension": [
                        [
                            "url": JSONValue(url),
                            "extension": [
                                ["url": "option", "valueString": "wine"],
                                [
                                    "url": "expression",
                                    "valueExpression": [
                                        "language": "text/fhirpath",
                                        "expression": "%resource.item.where(linkId='adult').answer.value",
                                    ],
                                ],
                            ],
                        ]
                    ],
                ],
            ])
        )
        let drink = session.occurrences(of: "drink")[0]
        #expect(session.options(of: drink).map(\.label.plain) == ["milk"])
        try session.answer("adult", with: .boolean(true))
        #expect(session.options(of: drink).map(\.label.plain) == ["milk", "wine"])
        try session.answer("drink", with: .string("wine"))
        #expect(session.problems().isEmpty)
        try session.answer("adult", with: .boolean(false))
        #expect(session.problems().map(\.code) == ["notAnOption"])
    }
}
