import FHIR
import OrderedJSON
import Surveys
import Testing

/// Questionnaires of strangers. None of the tests measures time; what they check ends by bounds on steps.
struct HostileTests {
    @Test("20,000 items with conditions in a chain")
    func manyItems() throws {
        let items = (0..<20_000).map { index -> JSONValue in
            var item: JSONValue = ["linkId": JSONValue("q\(index)"), "type": "boolean"]
            if index > 0 {
                item["enableWhen"] = [
                    ["question": JSONValue("q\(index - 1)"), "operator": "=", "answerBoolean": true]
                ]
            }
            return item
        }
        var session = SurveySession(survey(JSONValue(items)))
        #expect(session.progress.questions == 1)
        try session.answer("q0", with: .boolean(true))
        #expect(session.progress.questions == 2)
    }

    @Test("what is nested more than 64 deep is left out and reported", arguments: ["group", "boolean"])
    func tooDeepItems(type: String) throws {
        var item: JSONValue = ["linkId": "leaf", "type": "string"]
        for depth in 0..<120 {
            item = ["linkId": JSONValue("g\(depth)"), "type": JSONValue(type), "item": [item]]
        }
        let survey = survey([item])
        #expect(survey.items.count == 64)
        #expect(survey.diagnostics.map { "\($0.linkId ?? "") \($0.code)" }.contains("g56 tooDeep"))
    }

    @Test("63 items deep, by groups and by questions", arguments: ["group", "boolean"])
    func deepItems(type: String) throws {
        var item: JSONValue = ["linkId": "leaf", "type": "string"]
        for depth in 0..<63 {
            item = [
                "linkId": JSONValue("g\(depth)"), "type": JSONValue(type),
                "initial": [["valueBoolean": true]], "item": [item],
            ]
            if type == "group" { item["initial"] = nil }
        }
        var session = SurveySession(survey([item]))
        try session.answer("leaf", with: .string("x"))
        let response = session.response()
        #expect(SurveySession(session.survey, restoring: response).response().tree == response.tree)
    }

    @Test("a pattern that backtracks for ever")
    func backtracking() throws {
        let survey = survey([
            [
                "linkId": "q", "type": "string",
                "extension": [
                    ["url": "http://hl7.org/fhir/StructureDefinition/regex", "valueString": "(a+)+$"]
                ],
            ]
        ])
        var session = SurveySession(survey)
        try session.answer("q", with: .string(String(repeating: "a", count: 5_000) + "b"))
        #expect(session.problems().map(\.code) == ["pattern"])
    }

    @Test(
        "expressions that grow without end are given up and reported",
        arguments: [
            "repeat(iif(true, %resource.descendants() | $this))", "(1 | 2 | 3).repeatAll($this)",
            """
            1.power(2).toString().replace('1', '11111111').replace('1', '11111111').replace('1', \
            '11111111').replace('1', '11111111').replace('1', '11111111').replace('1', \
            '11111111').replace('1', '11111111').length()
            """,
        ]
    )
    func loops(text: String) throws {
        var items: [JSONValue] = [["linkId": "in", "type": "string"]]
        for index in 0..<50 {
            items.append([
                "linkId": JSONValue("q\(index)"), "type": "string",
                "extension": [expression(calculated, text)],
            ])
        }
        var session = SurveySession(survey(JSONValue(items)))
        try session.answer("in", with: .string("x"))
        #expect(!session.diagnostics.isEmpty || text.hasPrefix("repeat"))
    }

    @Test("calculated values that read each other end, and are reported")
    func calculationCycle() throws {
        let survey = survey([
            [
                "linkId": "a", "type": "integer",
                "extension": [expression(calculated, "%resource.item.where(linkId='b').answer.value + 1")],
            ],
            [
                "linkId": "b", "type": "integer",
                "extension": [expression(calculated, "%resource.item.where(linkId='a').answer.value + 1")],
            ],
        ])
        #expect(survey.diagnostics.map(\.code) == ["cycle", "cycle"])
        var session = SurveySession(survey)
        try session.answer("a", with: .integer(1))
        #expect(session.answers(of: session.occurrences(of: "a")[0]).count == 1)
    }

    @Test("variables that read each other fail once, and are reported")
    func variableCycle() throws {
        let session = SurveySession(
            survey(
                [["linkId": "a", "type": "integer", "extension": [expression(calculated, "%x")]]],
                [
                    "extension": [
                        expression(variable, "%y + 1", name: "x"), expression(variable, "%x + 1", name: "y"),
                    ]
                ]
            )
        )
        #expect(session.diagnostics.map(\.code) == ["expressionFailed"])
    }

    @Test("variables in a long chain are given up, and reported")
    func variableChain() throws {
        let variables = (0..<2_000).map {
            expression(variable, $0 < 1_999 ? "%v\($0 + 1)" : "1", name: "v\($0)")
        }
        let survey = survey(
            [["linkId": "a", "type": "integer", "extension": [expression(calculated, "%v0")]]],
            ["extension": JSONValue(variables)]
        )
        let session = SurveySession(survey)
        #expect(session.diagnostics.contains { $0.code == "variablesTooDeep" })
    }

    @Test("many items over many variables, of which each reads the next")
    func variablesOfManyItems() throws {
        let variables = (0..<200).map {
            expression(
                variable,
                $0 < 199 ? "%v\($0 + 1)" : "%resource.item.where(linkId='in').answer.value",
                name: "v\($0)"
            )
        }
        var items = (0..<400).map { index -> JSONValue in
            [
                "linkId": JSONValue("a\(index)"), "type": "integer",
                "extension": [expression(calculated, "%v\(index % 200)")],
            ]
        }
        items.append(["linkId": "in", "type": "integer"])
        var session = SurveySession(survey(JSONValue(items), ["extension": JSONValue(variables)]))
        try session.answer("in", with: .integer(7))
        #expect(session.answers(of: session.occurrences(of: "a199")[0]) == [.integer(7)])
    }

    @Test("many items that are each calculated from everything are given up and reported")
    func calculatedFromEverything() throws {
        let items = (0..<4_000).map { index -> JSONValue in
            [
                "linkId": JSONValue("q\(index)"), "type": "integer",
                "extension": [expression(calculated, "%resource.descendants().count()")],
            ]
        }
        let session = SurveySession(survey(JSONValue(items)))
        #expect(session.diagnostics.contains { $0.code == "expressionsTooSlow" })
    }

    @Test("a constraint that cannot be evaluated is reported, and not taken as kept")
    func constraintsThatFail() throws {
        let constraint: JSONValue = [
            "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-constraint",
            "extension": [
                ["url": "key", "valueId": "k"], ["url": "severity", "valueCode": "error"],
                ["url": "human", "valueString": "h"],
                ["url": "expression", "valueString": "(1 | 2 | 3).repeatAll($this).count() > 0"],
            ],
        ]
        var session = SurveySession(survey([["linkId": "q", "type": "string", "extension": [constraint]]]))
        try session.answer("q", with: .string("x"))
        #expect(session.problems().map(\.code) == ["notEvaluated"])
    }

    @Test("one of 5,000 options is found for each of many items")
    func manyOptions() throws {
        let concepts = (0..<5_000).map { ["code": JSONValue("c\($0)")] as JSONValue }
        let items = (0..<500).map { index -> JSONValue in
            [
                "linkId": JSONValue("q\(index)"), "type": "choice", "answerValueSet": "#v",
                "initial": [
                    ["valueCoding": ["system": "s", "code": JSONValue(index == 0 ? "wrong" : "c4999")]]
                ],
            ]
        }
        let valueSet: JSONValue = [
            "resourceType": "ValueSet", "id": "v",
            "compose": ["include": [["system": "s", "concept": JSONValue(concepts)]]],
        ]
        let session = SurveySession(survey(JSONValue(items), ["contained": [valueSet]]))
        #expect(session.problems().map(\.code) == ["notAnOption"])
    }

    @Test("thousands of repetitions are filled in, restored, scored and removed")
    func manyRepetitions() throws {
        let survey = survey([
            [
                "linkId": "g", "type": "group", "repeats": true,
                "item": [
                    ["linkId": "a", "type": "integer"],
                    [
                        "linkId": "b", "type": "integer",
                        "enableWhen": [["question": "a", "operator": "exists", "answerBoolean": true]],
                    ],
                ],
            ]
        ])
        var session = SurveySession(survey)
        let list = (0..<5_000).map { ["a": JSONValue($0), "b": JSONValue($0)] as JSONValue }
        #expect(session.fill(with: ["g": JSONValue(list)]).isEmpty)
        #expect(session.problems().isEmpty)
        let numbers = session.occurrences(of: "b").map { session.answers(of: $0) }
        #expect(numbers == (0..<5_000).map { [.integer($0)] })
        let response = session.response()
        #expect(SurveySession(survey, restoring: response).response().tree == response.tree)
        for group in session.occurrences(of: "g").dropFirst(4_990) { try session.removeRepetition(group) }
        #expect(session.occurrences(of: "a").count == 4_990)
    }

    @Test("many answers of a question are set, changed and cleared")
    func manyAnswers() throws {
        var session = SurveySession(
            survey([
                [
                    "linkId": "q", "type": "integer", "repeats": true,
                    "item": [["linkId": "why", "type": "string"]],
                ]
            ])
        )
        let question = session.occurrences(of: "q")[0]
        try session.answer(question, with: (0..<20_000).map { .integer($0) })
        try session.answer(session.children(of: question, answer: 3)[0], with: [.string("because")])
        try session.answer(question, with: (0..<20_000).reversed().map { .integer($0) })
        #expect(
            session.answers(of: session.children(of: question, answer: 19_996)[0]) == [.string("because")]
        )
        session.clear(question)
        #expect(session.occurrences(of: "why").isEmpty)
    }

    @Test("what of a response is too large is reported")
    func responseTooLarge() throws {
        let answers = (0...SurveySession.maximumNodes).map { ["valueInteger": JSONValue($0)] as JSONValue }
        let response = try #require(
            QuestionnaireResponse(tree: [
                "resourceType": "QuestionnaireResponse", "status": "completed",
                "item": [["linkId": "q", "answer": JSONValue(answers)]],
            ])
        )
        let session = SurveySession(
            survey([["linkId": "q", "type": "integer", "repeats": true]]),
            restoring: response
        )
        #expect(session.restorationProblems.map(\.code) == ["responseTooLarge"])
    }

    @Test("value sets that include each other")
    func valueSetCycle() throws {
        let sets = (0..<8).map { index -> JSONValue in
            let others = (0..<8).map { ["valueSet": [JSONValue("http://example.org/\($0)")]] as JSONValue }
            return [
                "resourceType": "ValueSet", "id": JSONValue("v\(index)"),
                "url": JSONValue("http://example.org/\(index)"),
                "compose": ["include": JSONValue(others)],
            ]
        }
        let survey = survey(
            [["linkId": "q", "type": "choice", "answerValueSet": "#v0"]],
            ["contained": JSONValue(sets)]
        )
        #expect(survey.diagnostics.contains { $0.code == "valueSetIncomplete" })
    }

    @Test("filling in many answers from which everything is calculated ends with all values")
    func manyAnswersTogether() throws {
        var items: [JSONValue] = []
        for index in 0..<40 {
            items.append(["linkId": JSONValue("q\(index)"), "type": "boolean"])
            let count = expression(
                calculated,
                "%resource.descendants().where(linkId.startsWith('q')).count()"
            )
            items.append(["linkId": JSONValue("c\(index)"), "type": "integer", "extension": [count]])
        }
        let survey = survey(JSONValue(items))
        let results = (0..<40).map { index -> JSONValue in
            [
                "_class": "ORKBooleanQuestionResult", "identifier": JSONValue("q\(index)"),
                "booleanAnswer": true,
            ]
        }
        var first = SurveySession(survey)
        #expect(
            first.fill(withResearchKitResult: ["_class": "ORKTaskResult", "results": JSONValue(results)])
                == []
        )
        var second = SurveySession(survey)
        let answers = JSONValue(members: (0..<40).map { JSONMember(name: "q\($0)", value: true) })
        #expect(second.fill(with: answers) == [])
        for session in [first, second] {
            let values = (0..<40).flatMap { session.occurrences(of: "c\($0)") }.flatMap(session.answers)
            #expect(
                values.count == 40 && values.contains(.integer(40)),
                "\(values.prefix(3)) \(session.diagnostics)"
            )
        }
    }
}
