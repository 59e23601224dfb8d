import FHIR
import Foundation
import Measuring
import OrderedJSON
import Surveys

// SurveyBenchmarks populate FILE… fills the questionnaires in the files.
if CommandLine.arguments.dropFirst().first == "populate" {
    for path in CommandLine.arguments.dropFirst(2) {
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        try HealthCheck.measure(URL(filePath: path).lastPathComponent, text, resources: 2_000)
    }
    exit(0)
}
try HealthCheck.measure("a health check", HealthCheck.questionnaire().text(), resources: 2_000)

// A questionnaire with 1,000 items and 1,000 conditions: what loading it takes, and what an answer takes
// beside evaluating all conditions again.
let count = 1_000
let items = (0..<count).map { index -> JSONValue in
    [
        "linkId": JSONValue("q\(index)"), "type": "integer", "text": JSONValue("Question \(index)"),
        // Each item asks for one some way before it.
        "enableWhen": [
            [
                "question": JSONValue("q\(index * 7 / 8)"), "operator": index == 0 ? "exists" : "!=",
                index == 0 ? "answerBoolean" : "answerInteger": index == 0 ? false : 5,
            ]
        ],
    ]
}
let text = (["resourceType": "Questionnaire", "status": "draft", "item": JSONValue(items)] as JSONValue)
    .text()
let survey = Survey(try Questionnaire(parsing: text))
let empty = SurveySession(survey)

let load = ProcessorTime.best(ofTurns: 5) {
    guard let questionnaire = try? Questionnaire(parsing: text) else { return .min }
    return SurveySession(Survey(questionnaire)).progress.questions
}
print(String(format: "load %d items with %d conditions: %.2f ms (target 50)", count, count, load / 1000))

func measureAnswers() {
    var session = empty
    var turn = 0
    func answer(_ linkId: String) -> Int {
        turn += 1
        try? session.answer(linkId, with: .integer(turn % 2 == 0 ? 5 : 4))
        return turn
    }

    for (name, linkId) in [
        ("one that few ask for", "q990"), ("one on which conditions of conditions depend", "q100"),
    ] {
        let result = Comparison(rounds: 20) {
            answer(linkId)
        } theirs: {
            // Everything again: a new session with the answers.
            SurveySession(survey, restoring: QuestionnaireResponse(status: .inProgress)).progress.questions
        }
        .measure()
        print(
            String(
                format: "answer %@: %.3f ms (target 1), all conditions again %.2f ms, ratio %.4f",
                name,
                result.ours / 1000,
                result.theirs / 1000,
                result.ratio
            )
        )
    }
}
measureAnswers()

// Questionnaires of strangers: reading, the first session, and one answer.
let calculated = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-calculatedExpression"

func hostile(_ name: String, _ items: [JSONValue], _ more: JSONValue = [:]) {
    var questionnaire: JSONValue = [
        "resourceType": "Questionnaire", "status": "draft", "item": JSONValue(items),
    ]
    for member in more.members ?? [] { questionnaire[member.name] = member.value }
    let text = questionnaire.text()
    var parts: [String] = []
    let whole = ProcessorTime.ofRound(1) {
        guard let questionnaire = try? Questionnaire(parsing: text) else { return .min }
        let survey = Survey(questionnaire)
        var session = SurveySession(survey)
        try? session.answer("q0", with: .integer(5))
        parts = Set(session.diagnostics.map(\.code)).sorted()
        return session.problems().count
    }
    print(String(format: "%@: %.0f ms (target 1000) %@", name, whole / 1000, parts.joined(separator: ", ")))
}

func item(_ index: Int, _ type: String = "integer", _ expression: String? = nil) -> JSONValue {
    var item: JSONValue = ["linkId": JSONValue("q\(index)"), "type": JSONValue(type)]
    if let expression {
        item["extension"] = [
            [
                "url": JSONValue(calculated),
                "valueExpression": ["language": "text/fhirpath", "expression": JSONValue(expression)],
            ]
        ]
    }
    return item
}

hostile(
    "20,000 items with a condition each",
    (0..<20_000).map { index in
        var item = item(index)
        if index > 0 {
            item["enableWhen"] = [
                ["question": JSONValue("q\(index - 1)"), "operator": "=", "answerInteger": 5]
            ]
        }
        return item
    }
)
hostile(
    "20,000 values calculated from the one before",
    (0..<20_000).map { index in
        item(
            index,
            "integer",
            index == 0 ? nil : "%resource.item.where(linkId='q\(index - 1)').answer.value + 1"
        )
    }
)
hostile(
    "20,000 values calculated from all",
    (0..<20_000).map { index in
        item(index, "integer", index == 0 ? nil : "%resource.descendants().count()")
    }
)
hostile(
    "20,000 constant values",
    (0..<20_000).map { index in item(index, "integer", index == 0 ? nil : "1 + 1") }
)
var nested: JSONValue = item(0)
for depth in 0..<200 { nested = ["linkId": JSONValue("g\(depth)"), "type": "group", "item": [nested]] }
hostile("200 deep", [nested])
let variables = (0..<1_000).map {
    ["name": JSONValue("v\($0)"), "next": JSONValue($0 < 999 ? "%v\($0 + 1)" : "1")] as JSONValue
}
hostile(
    "20,000 values from a chain of variables",
    (0..<20_000).map { index in item(index, "integer", "%v\(index % 1_000)") },
    [
        "extension": JSONValue(
            variables.map { variable in
                [
                    "url": "http://hl7.org/fhir/StructureDefinition/variable",
                    "valueExpression": [
                        "name": variable["name"] ?? .null, "language": "text/fhirpath",
                        "expression": variable["next"] ?? .null,
                    ],
                ]
            }
        )
    ]
)
hostile(
    "20,000 choices among 20,000 codes",
    (0..<20_000).map { index in
        [
            "linkId": JSONValue("q\(index)"), "type": "choice", "answerValueSet": "#v",
            "initial": [["valueCoding": ["system": "s", "code": "c19999"]]],
        ]
    },
    [
        "contained": [
            [
                "resourceType": "ValueSet", "id": "v", "status": "draft",
                "compose": [
                    "include": [
                        [
                            "system": "s",
                            "concept": JSONValue(
                                (0..<20_000).map { ["code": JSONValue("c\($0)")] as JSONValue }
                            ),
                        ]
                    ]
                ],
            ]
        ]
    ]
)
hostile(
    "a pattern that backtracks",
    (0..<100).map { index in
        [
            "linkId": JSONValue("q\(index)"), "type": index == 0 ? "integer" : "string",
            "initial": index == 0
                ? [] : [["valueString": JSONValue(String(repeating: "a", count: 5_000) + "b")]],
            "extension": [["url": "http://hl7.org/fhir/StructureDefinition/regex", "valueString": "(a+)+$"]],
        ]
    }
)
hostile(
    "expressions that loop",
    (0..<200).map { index in
        item(index, "integer", index == 0 ? nil : "(1 | 2 | 3).repeatAll($this).count()")
    }
)
