import FHIR
import IndivoBase
import OrderedJSON
import Surveys
import Testing

/// Values that a session keeps, or finds without going through the response, beside expressions that mean the
/// same and are evaluated on the whole response each time.
struct KeptValueTests {
    private static let calculated =
        "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-calculatedExpression"
    private static let variable = "http://hl7.org/fhir/StructureDefinition/variable"

    private static func expression(_ url: String, _ text: String, name: String? = nil) -> JSONValue {
        var value: JSONValue = ["language": "text/fhirpath", "expression": JSONValue(text)]
        if let name { value["name"] = JSONValue(name) }
        return ["url": JSONValue(url), "valueExpression": value]
    }

    private static func text(_ linkId: String, _ calculation: String) -> JSONValue {
        [
            "linkId": JSONValue(linkId), "type": "string",
            "extension": [expression(calculated, calculation)],
        ]
    }

    /// A repeating group that may not be asked, with a question in it that has another under its answers; and
    /// pairs of calculated texts, the second of each without anything that is known beforehand.
    private static func questionnaire() -> JSONValue {
        func rows(_ linkId: String, _ isKnown: Bool) -> String {
            isKnown ? "where(linkId='\(linkId)')" : "where((linkId='\(linkId)')=true)"
        }
        func pair(_ name: String, _ text: (Bool) -> String) -> [JSONValue] {
            [Self.text(name, text(true)), Self.text(name + "-anew", text(false))]
        }
        let row: JSONValue = [
            "linkId": "row", "type": "group", "repeats": true,
            "enableWhen": [["question": "on", "operator": "=", "answerBoolean": true]],
            "extension": JSONValue(
                [true, false].map {
                    expression(variable, "item.\(rows("a", $0)).answer.value", name: $0 ? "own" : "ownAnew")
                }
            ),
            "item": JSONValue(
                [
                    [
                        "linkId": "a", "type": "integer", "repeats": true,
                        "item": [["linkId": "under", "type": "integer"]],
                    ]
                ] + pair("own") { "%\($0 ? "own" : "ownAnew").select(toString()).join(',')" }
            ),
        ]
        let variables = [true, false].flatMap { isKnown in
            let end = isKnown ? "" : "Anew"
            return [
                expression(variable, "repeat(item).\(rows("a", isKnown)).answer.value", name: "all" + end),
                expression(variable, "%all\(end).count() + %resource.id.count() * 100", name: "count" + end),
            ]
        }
        let all: JSONValue = [
            "linkId": "all", "type": "group", "extension": JSONValue(variables),
            "item": JSONValue(
                [["linkId": "on", "type": "boolean"], row]
                    + pair("variable") { "%all\($0 ? "" : "Anew").select(toString()).join(',')" }
                    + pair("over") { "%count\($0 ? "" : "Anew").toString()" }
            ),
        ]
        let ends = pair("found") {
            "%resource.repeat(item).\(rows("a", $0)).select(answer.value.count().toString()).join(',')"
        }
        let under = pair("under-answers") {
            "%rootResource.repeat(item).\(rows("under", $0)).answer.value.count().toString()"
        }
        return ["resourceType": "Questionnaire", "status": "draft", "item": JSONValue([all] + ends + under)]
    }

    @Test("after any changes what a session keeps is what the response says", arguments: 1...8)
    func kept(seed: Int) throws {
        let survey = Survey(try Questionnaire(parsing: Self.questionnaire().text()))
        #expect(survey.diagnostics.filter { $0.severity == .error }.isEmpty)
        var session = SurveySession(survey)
        var generator = SeededGenerator(seed: UInt64(seed))
        var found: Set<String> = []
        for step in 0..<60 {
            let rows = session.occurrences(of: "row")
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: try session.answer("on", with: .boolean(Int.random(in: 0..<4, using: &generator) > 0))
            case 1 where rows.count < 5:
                try session.addRepetition(after: rows[Int.random(in: 0..<rows.count, using: &generator)])
            case 2:
                try session.removeRepetition(rows[Int.random(in: 0..<rows.count, using: &generator)])
            case 3:
                if let under = session.occurrences(of: "under").randomElement(using: &generator) {
                    try session.answer(under, with: .integer(step))
                }
            case 4: session.header.tree["id"] = session.header.tree["id"] == nil ? "x" : nil
            default:
                let questions = session.occurrences(of: "a")
                let question = questions[Int.random(in: 0..<questions.count, using: &generator)]
                let count = Int.random(in: 0..<3, using: &generator)
                let answers = (0..<count).map { step * 4 + $0 }
                try session.answer(question, with: answers.map { .integer($0) })
            }
            // The header is no answer: what reads it is calculated again when it is asked for.
            session.recalculate()
            for name in ["own", "variable", "over", "found", "under-answers"] {
                let kept = session.occurrences(of: name).map(session.answers)
                let anew = session.occurrences(of: name + "-anew").map(session.answers)
                #expect(kept == anew, "\(name) after step \(step) with seed \(seed)")
                found.formUnion(kept.joined().map { "\(name) \($0)" })
            }
        }
        #expect(found.count > 10)
    }

    @Test("of two items with one link id an expression finds both")
    func duplicates() throws {
        let text = "%resource.repeat(item).where(linkId='a').answer.value.sum().toString()"
        func item(_ value: Int) -> JSONValue {
            ["linkId": "a", "type": "integer", "initial": [["valueInteger": JSONValue(value)]]]
        }
        let session = SurveySession(survey([item(2), item(3), Self.text("sum", text)]))
        #expect(session.occurrences(of: "sum").flatMap(session.answers) == [.string("5")])
    }

    @Test("a variable that an expression defines is read in the place of the response")
    func definedResource() throws {
        let text =
            "defineVariable('rootResource', item)"
            + ".select(%rootResource.repeat(item).where(linkId='a').count()).toString()"
        let session = SurveySession(
            survey([
                ["linkId": "a", "type": "integer", "initial": [["valueInteger": 2]]],
                ["linkId": "g", "type": "group", "item": [Self.text("count", text)]],
            ])
        )
        #expect(session.occurrences(of: "count").flatMap(session.answers) == [.string("0")])
    }

    @Test("an answer that no expression reads causes no evaluation, also beside a search")
    func unread() throws {
        let clock = "now().toString()"
        let rows = (0..<400).map { index -> JSONValue in
            Self.text("t\(index)", "repeat(item).where(linkId='a').answer.value.toString() & \(clock)")
        }
        var session = SurveySession(
            survey(
                JSONValue(
                    [["linkId": "a", "type": "integer"], ["linkId": "b", "type": "integer"]] as [JSONValue]
                        + rows
                )
            )
        )
        let before = session.occurrences(of: "t7").flatMap(session.answers)
        try session.answer("b", with: .integer(1))
        #expect(session.occurrences(of: "t7").flatMap(session.answers) == before)
    }
}
