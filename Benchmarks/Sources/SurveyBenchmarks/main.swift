import FHIR
import Foundation
import Measuring
import OrderedJSON
import Surveys

// A questionnaire with 1,000 items and 1,000 conditions: what loading it takes, and what an answer takes beside
// evaluating all conditions again.
let count = 1_000
let items = (0..<count).map { index -> JSONValue in
    [
        "linkId": JSONValue("q\(index)"), "type": "integer", "text": JSONValue("Question \(index)"),
        // Each item asks for one some way before it.
        "enableWhen": [["question": JSONValue("q\(index * 7 / 8)"), "operator": index == 0 ? "exists" : "!=",
            index == 0 ? "answerBoolean" : "answerInteger": index == 0 ? false : 5]],
    ]
}
let text = (["resourceType": "Questionnaire", "status": "draft", "item": JSONValue(items)] as JSONValue).text()
let survey = Survey(try Questionnaire(parsing: text))
let empty = SurveySession(survey)

let load = ProcessorTime.best(ofTurns: 5) {
    guard let questionnaire = try? Questionnaire(parsing: text) else { return .min }
    return SurveySession(Survey(questionnaire)).progress.questions
}
print(String(format: "load %d items with %d conditions: %.2f ms (target 50)", count, count, load / 1000))

var session = empty
var turn = 0
func answer(_ linkId: String) -> Int {
    turn += 1
    try? session.answer(linkId, with: .integer(turn % 2 == 0 ? 5 : 4))
    return turn
}

for (name, linkId) in [("one that few ask for", "q990"), ("one on which conditions of conditions depend", "q100")] {
    let result = Comparison(rounds: 20) {
        answer(linkId)
    } theirs: {
        // Everything again: a new session with the answers.
        SurveySession(survey, restoring: QuestionnaireResponse(status: .inProgress)).progress.questions
    }
    .measure()
    print(String(
        format: "answer %@: %.3f ms (target 1), all conditions again %.2f ms, ratio %.4f", name, result.ours / 1000,
        result.theirs / 1000, result.ratio))
}
