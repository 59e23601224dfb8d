import FHIR
import OrderedJSON
import Surveys
import Testing

/// What a condition is evaluated on.
enum TargetState: String, CaseIterable, Sendable {
    case equal, less, greater, unanswered, disabled, several
}

/// One line of the matrix: a type, an operator, and in which states the condition holds.
struct OperatorCase: Sendable, CustomStringConvertible {
    let type: String
    let comparison: String
    let holds: Set<TargetState>
    var description: String { "\(type) \(comparison)" }

    /// The condition's value, and answers that are equal to it, less (or different) and greater (or
    /// different).
    var values: (suffix: String, equal: JSONValue, less: JSONValue, greater: JSONValue) {
        switch type {
        case "boolean": ("Boolean", true, false, false)
        case "integer": ("Integer", 5, 4, 6)
        case "decimal": ("Decimal", 5.5, 5.25, 6)
        case "date": ("Date", "2026-05-05", "2026-05-04", "2026-05-06")
        case "dateTime":
            ("DateTime", "2026-05-05T10:00:00Z", "2026-05-05T10:30:00+01:00", "2026-05-05T10:00:01Z")
        case "time": ("Time", "10:00:00", "09:59:59", "10:00:00.5")
        case "string": ("String", "mm", "ml", "mn")
        case "choice":
            (
                "Coding", ["system": "s", "code": "b"], ["system": "s", "code": "a"],
                ["system": "t", "code": "b"]
            )
        case "quantity":
            (
                "Quantity", ["value": 1, "system": "http://unitsofmeasure.org", "code": "kg"],
                ["value": 900, "system": "http://unitsofmeasure.org", "code": "g"],
                ["value": 1.1, "system": "http://unitsofmeasure.org", "code": "kg"]
            )
        default:
            ("Reference", ["reference": "Patient/2"], ["reference": "Patient/1"], ["reference": "Patient/3"])
        }
    }

    /// Every operator with every type. A relational operator that a type does not have never holds.
    static let all: [OperatorCase] = {
        let ordered = ["integer", "decimal", "date", "dateTime", "time", "string", "quantity"]
        let types = ordered + ["boolean", "choice", "reference"]
        return types.flatMap { type -> [OperatorCase] in
            let isOrdered = ordered.contains(type)
            func relation(_ states: Set<TargetState>) -> Set<TargetState> { isOrdered ? states : [] }
            return [
                OperatorCase(type: type, comparison: "=", holds: [.equal, .several]),
                OperatorCase(type: type, comparison: "!=", holds: [.less, .greater, .unanswered, .disabled]),
                OperatorCase(type: type, comparison: ">", holds: relation([.greater, .several])),
                OperatorCase(type: type, comparison: "<", holds: relation([.less])),
                OperatorCase(type: type, comparison: ">=", holds: relation([.equal, .greater, .several])),
                OperatorCase(type: type, comparison: "<=", holds: relation([.equal, .less, .several])),
                OperatorCase(type: type, comparison: "exists", holds: [.equal, .less, .greater, .several]),
                OperatorCase(type: type, comparison: "exists not", holds: [.unanswered, .disabled]),
            ]
        }
    }()
}

struct EnableWhenTests {
    @Test("the matrix has every operator with every type")
    func matrixIsWhole() {
        #expect(OperatorCase.all.count == 80)
    }

    @Test(
        "each operator holds in the states that it should",
        arguments: OperatorCase.all,
        TargetState.allCases
    )
    func operatorMatrix(row: OperatorCase, state: TargetState) throws {
        let values = row.values
        let isExists = row.comparison.hasPrefix("exists")
        let condition: JSONValue = [
            "question": "target", "operator": JSONValue(isExists ? "exists" : row.comparison),
            "answer\(isExists ? "Boolean" : values.suffix)": isExists
                ? JSONValue(row.comparison == "exists") : values.equal,
        ]
        let survey = Survey(
            Questionnaire(view: [
                "resourceType": "Questionnaire", "status": "draft",
                "item": [
                    ["linkId": "gate", "type": "boolean"],
                    [
                        "linkId": "target", "type": JSONValue(row.type), "repeats": true,
                        "enableWhen": [["question": "gate", "operator": "!=", "answerBoolean": true]],
                    ],
                    ["linkId": "asked", "type": "string", "enableWhen": [condition]],
                ],
            ])
        )
        var session = SurveySession(survey)
        let given: [JSONValue] =
            switch state {
            case .equal, .disabled: [values.equal]
            case .less: [values.less]
            case .greater: [values.greater]
            case .unanswered: []
            case .several: [values.greater, values.equal]
            }
        let target = try #require(session.occurrences(of: "target").first)
        let answers = try given.map { try #require(SurveyAnswer(values.suffix, $0)) }
        try session.answer(target, with: answers)
        if state == .disabled { try session.answer("gate", with: .boolean(true)) }
        let asked = try #require(session.occurrences(of: "asked").first)
        #expect(session.isEnabled(asked) == row.holds.contains(state), "\(row) \(state)")
    }

    @Test("dates of different precision are neither equal nor ordered")
    func precision() throws {
        let day = SurveyAnswer.date("2026-05-05")
        let month = SurveyAnswer.date("2026-05")
        #expect(!day.equals(month))
        #expect(SurveyAnswer.date("2026-06").equals(month) == false)
        #expect(SurveyAnswer.dateTime("2026-05-05T01:00:00+01:00").equals(.dateTime("2026-05-05T00:00:00Z")))
        #expect(SurveyAnswer.integer(1).equals(.decimal(1.0)))
    }

    @Test("a coding without a system matches only one without")
    func codings() {
        let bare = SurveyAnswer.coding(Coding(view: ["code": "a"]))
        #expect(bare.equals(.coding(Coding(view: ["code": "a", "display": "A"]))))
        #expect(!bare.equals(.coding(Coding(view: ["system": "s", "code": "a"]))))
    }

    private static func nested() -> Survey {
        Survey(
            Questionnaire(view: [
                "resourceType": "Questionnaire", "status": "draft",
                "item": [
                    ["linkId": "all", "type": "boolean"],
                    [
                        "linkId": "visit", "type": "group", "repeats": true,
                        "item": [
                            ["linkId": "ill", "type": "boolean"],
                            [
                                "linkId": "what", "type": "choice", "repeats": true,
                                "enableWhen": [["question": "ill", "operator": "=", "answerBoolean": true]],
                                "answerOption": [["valueString": "cough"], ["valueString": "fever"]],
                                "item": [
                                    [
                                        "linkId": "degrees", "type": "decimal",
                                        "enableWhen": [
                                            ["question": "what", "operator": "=", "answerString": "fever"]
                                        ],
                                    ]
                                ],
                            ],
                        ],
                    ],
                    [
                        "linkId": "after", "type": "string",
                        "enableWhen": [["question": "ill", "operator": "=", "answerBoolean": true]],
                    ],
                ],
            ])
        )
    }

    @Test("in a repeated group a condition means the question of the same repetition")
    func nearestRepetition() throws {
        var session = SurveySession(Self.nested())
        let first = try #require(session.occurrences(of: "visit").first)
        try session.addRepetition(after: first)
        try session.answer(session.occurrences(of: "ill")[1], with: [.boolean(true)])
        #expect(session.occurrences(of: "what").map(session.isEnabled) == [false, true])
        // From behind the group it is the last repetition.
        #expect(session.isEnabled(session.occurrences(of: "after")[0]))
        try session.removeRepetition(session.occurrences(of: "visit")[1])
        #expect(!session.isEnabled(session.occurrences(of: "after")[0]))
    }

    @Test("under an answer a condition means that answer, and a disabled ancestor disables")
    func underAnswers() throws {
        var session = SurveySession(Self.nested())
        try session.answer("ill", with: .boolean(true))
        try session.answer("what", with: .string("cough"), .string("fever"))
        #expect(session.occurrences(of: "degrees").map(session.isEnabled) == [false, true])
        try session.answer(session.occurrences(of: "degrees")[1], with: [.decimal(38.5)])
        let item = session.response().tree["item"]?[0]?["item"]?[1]
        #expect(item?["answer"]?[0]?["item"] == nil)
        #expect(item?["answer"]?[1]?["item"]?[0]?["answer"]?[0]?["valueDecimal"]?.number == "38.5")
        try session.answer("ill", with: .boolean(false))
        #expect(session.occurrences(of: "degrees").map(session.isEnabled) == [false, false])
        #expect(session.response().item.count == 1)
        // The answers are kept for who changes the answer back.
        try session.answer("ill", with: .boolean(true))
        #expect(session.response().tree["item"]?[0]?["item"]?[1] == item)
    }

    @Test("all and any, and a condition that names nothing")
    func behaviours() throws {
        func item(_ linkId: String, _ behaviour: String, _ third: String) -> JSONValue {
            [
                "linkId": JSONValue(linkId), "type": "string", "enableBehavior": JSONValue(behaviour),
                "enableWhen": [
                    ["question": "a", "operator": "=", "answerBoolean": true],
                    ["question": "b", "operator": "=", "answerBoolean": true],
                    ["question": JSONValue(third), "operator": "=", "answerBoolean": true],
                ],
            ]
        }
        let survey = Survey(
            Questionnaire(view: [
                "resourceType": "Questionnaire", "status": "draft",
                "item": [
                    ["linkId": "a", "type": "boolean"], ["linkId": "b", "type": "boolean"],
                    item("all", "all", "b"),
                    item("any", "any", "nothing"), item("broken", "all", "nothing"),
                ],
            ])
        )
        #expect(survey.diagnostics.map(\.code) == ["unknownQuestion", "unknownQuestion"])
        var session = SurveySession(survey)
        func enabled() -> [Bool] {
            ["all", "any", "broken"].map { session.isEnabled(session.occurrences(of: $0)[0]) }
        }
        #expect(enabled() == [false, false, false])
        try session.answer("a", with: .boolean(true))
        #expect(enabled() == [false, true, false])
        try session.answer("b", with: .boolean(true))
        #expect(enabled() == [true, true, false])
    }

    @Test("conditions that come back to themselves are reported, and end")
    func cycles() throws {
        func item(_ linkId: String, _ question: String) -> JSONValue {
            [
                "linkId": JSONValue(linkId), "type": "boolean",
                "enableWhen": [["question": JSONValue(question), "operator": "!=", "answerBoolean": true]],
            ]
        }
        let survey = Survey(
            Questionnaire(view: [
                "resourceType": "Questionnaire", "status": "draft",
                "item": [item("a", "b"), item("b", "a"), item("self", "self"), item("free", "a")],
            ])
        )
        #expect(survey.diagnostics.filter { $0.code == "cycle" }.map(\.linkId) == ["a", "b", "self"])
        var session = SurveySession(survey)
        try session.answer("a", with: .boolean(true))
        try session.answer("b", with: .boolean(true))
        #expect(
            ["a", "b", "free"].map { session.isEnabled(session.occurrences(of: $0)[0]) } == [
                false, false, true,
            ]
        )
    }

    @Test("an expression that reads everything around gets a warning and is evaluated")
    func readsAround() throws {
        let url = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-enableWhenExpression"
        let criterion = "%resource.repeat(item).where(linkId='1' and answer.value = true).exists()"
        let condition: JSONValue = [
            "url": JSONValue(url),
            "valueExpression": ["language": "text/fhirpath", "expression": JSONValue(criterion)],
        ]
        let survey = survey([
            [
                "linkId": "1", "type": "boolean",
                "item": [["linkId": "1.1", "type": "string", "extension": [condition]]],
            ]
        ])
        #expect(survey.diagnostics.allSatisfy { $0.severity != .error })
        var session = SurveySession(survey)
        try session.answer("1", with: .boolean(true))
        #expect(session.occurrences(of: "1.1").map(session.isEnabled) == [true])
        try session.answer("1", with: .boolean(false))
        #expect(session.occurrences(of: "1.1").map(session.isEnabled) == [false])
    }
}
