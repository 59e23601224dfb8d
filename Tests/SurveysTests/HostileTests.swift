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
            if index > 0 { item["enableWhen"] = [["question": JSONValue("q\(index - 1)"), "operator": "=", "answerBoolean": true]] }
            return item
        }
        var session = SurveySession(survey(JSONValue(items)))
        #expect(session.progress.questions == 1)
        try session.answer("q0", with: .boolean(true))
        #expect(session.progress.questions == 2)
    }

    @Test("200 items deep, by groups and by questions", arguments: ["group", "boolean"])
    func deepItems(type: String) throws {
        var item: JSONValue = ["linkId": "leaf", "type": "string"]
        for depth in 0..<200 {
            item = ["linkId": JSONValue("g\(depth)"), "type": JSONValue(type), "initial": [["valueBoolean": true]], "item": [item]]
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
            ["linkId": "q", "type": "string",
             "extension": [["url": "http://hl7.org/fhir/StructureDefinition/regex", "valueString": "(a+)+$"]]]
        ])
        var session = SurveySession(survey)
        try session.answer("q", with: .string(String(repeating: "a", count: 5_000) + "b"))
        #expect(session.problems().map(\.code) == ["pattern"])
    }

    @Test("expressions that grow without end are given up and reported", arguments: [
        "repeat(iif(true, %resource.descendants() | $this))", "(1 | 2 | 3).repeatAll($this)",
        "1.power(2).toString().replace('1', '11111111').replace('1', '11111111').replace('1', '11111111').replace('1', '11111111').replace('1', '11111111').replace('1', '11111111').replace('1', '11111111').length()",
    ])
    func loops(text: String) throws {
        var items: [JSONValue] = [["linkId": "in", "type": "string"]]
        for index in 0..<50 {
            items.append([
                "linkId": JSONValue("q\(index)"), "type": "string", "extension": [expression(calculated, text)],
            ])
        }
        var session = SurveySession(survey(JSONValue(items)))
        try session.answer("in", with: .string("x"))
        #expect(!session.diagnostics.isEmpty || text.hasPrefix("repeat"))
    }

    @Test("calculated values that read each other end, and are reported")
    func calculationCycle() throws {
        let survey = survey([
            ["linkId": "a", "type": "integer", "extension": [expression(calculated, "%resource.item.where(linkId='b').answer.value + 1")]],
            ["linkId": "b", "type": "integer", "extension": [expression(calculated, "%resource.item.where(linkId='a').answer.value + 1")]],
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
                ["extension": [expression(variable, "%y + 1", name: "x"), expression(variable, "%x + 1", name: "y")]]))
        #expect(session.diagnostics.map(\.code) == ["expressionFailed"])
    }

    @Test("value sets that include each other")
    func valueSetCycle() throws {
        let sets = (0..<8).map { index -> JSONValue in
            let others = (0..<8).map { ["valueSet": [JSONValue("http://example.org/\($0)")]] as JSONValue }
            return [
                "resourceType": "ValueSet", "id": JSONValue("v\(index)"), "url": JSONValue("http://example.org/\(index)"),
                "compose": ["include": JSONValue(others)],
            ]
        }
        let survey = survey([["linkId": "q", "type": "choice", "answerValueSet": "#v0"]], ["contained": JSONValue(sets)])
        #expect(survey.diagnostics.contains { $0.code == "valueSetIncomplete" })
    }
}
