import FHIR
import Foundation
import OrderedJSON
import Surveys
import Testing

private let repeatedGroup = """
    {"linkId": "q", "type": "group", "repeats": true, "item": [{"linkId": "x", "type": "string"}]}
    """

private let conditionOnALaterQuestion = """
    {"linkId": "q", "type": "string", "enableWhen": [{"question": "later", "operator": "=", "answerString": \
    "x"}]}
    """

struct ResearchKitTests {
    private static func itemControl(_ code: String) -> JSONValue {
        [
            "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-itemControl",
            "valueCodeableConcept": ["coding": [["code": JSONValue(code)]]],
        ]
    }

    private static func core(_ name: String, _ suffix: String, _ value: JSONValue) -> JSONValue {
        ["url": JSONValue("http://hl7.org/fhir/StructureDefinition/" + name), "value\(suffix)": value]
    }

    private static let questionnaire = survey([
        ["linkId": "intro", "type": "display", "text": "Welcome"],
        ["linkId": "smokes", "type": "boolean", "text": "Do you smoke?", "required": true],
        [
            "linkId": "many", "type": "integer", "text": "How many?",
            "enableWhen": [["question": "smokes", "operator": "=", "answerBoolean": true]],
        ],
        [
            "linkId": "g", "type": "group", "text": "You",
            "item": [
                [
                    "linkId": "colour", "type": "open-choice", "text": "Colour", "repeats": true,
                    "answerOption": [
                        ["valueCoding": ["system": "s", "code": "r", "display": "Red"]],
                        ["valueCoding": ["system": "s", "code": "b", "display": "Blue"]],
                    ],
                ],
                [
                    "linkId": "inner", "type": "group", "text": "Inner",
                    "item": [
                        [
                            "linkId": "weight", "type": "quantity", "text": "Weight",
                            "extension": [
                                core(
                                    "questionnaire-unit",
                                    "Coding",
                                    ["system": "http://unitsofmeasure.org", "code": "kg", "display": "kg"]
                                )
                            ],
                        ]
                    ],
                ],
                ["linkId": "born", "type": "date", "text": "Born"],
                ["linkId": "at", "type": "dateTime"], ["linkId": "time", "type": "time"],
                ["linkId": "name", "type": "string"],
                [
                    "linkId": "why", "type": "string",
                    "enableWhen": [
                        [
                            "question": "colour", "operator": "!=",
                            "answerCoding": ["system": "s", "code": "r"],
                        ]
                    ],
                ],
            ],
        ],
    ])

    @Test("groups are forms, items with conditions steps of their own, to which rules lead")
    func task() throws {
        let task = ResearchKitTask(Self.questionnaire)
        #expect(task.diagnostics.isEmpty)
        let json = task.json
        #expect(json["_class"]?.string == "ORKNavigableOrderedTask")
        #expect(json["identifier"]?.string == "http://example.org/q")
        let steps = try #require(json["steps"]?.elements).map {
            "\($0["_class"]?.string ?? "") \($0["identifier"]?.string ?? "")"
        }
        #expect(
            steps == [
                "ORKInstructionStep intro", "ORKQuestionStep smokes", "ORKQuestionStep many", "ORKFormStep g",
                "ORKFormStep g#2",
                "ORKCompletionStep completion",
            ]
        )
        let form = json["steps"]?[3]?["formItems"]?.elements?.map { $0["identifier"]?.string ?? "" }
        #expect(form == ["colour", "inner", "weight", "born", "at", "time", "name"])
        #expect(json["steps"]?[3]?["formItems"]?[1]?["answerFormat"] == nil, "the heading of a section")
        let rule = try #require(json["stepNavigationRules"]?["smokes"])
        #expect(rule["destinationStepIdentifiers"]?[0]?.string == "many")
        #expect(rule["defaultStepIdentifier"]?.string == "g")
        #expect(rule["resultPredicateFormats"]?[0]?.string?.contains("$z.answer == 1") == true)
        #expect(json["stepNavigationRules"]?["g"]?["defaultStepIdentifier"]?.string == "completion")
    }

    @Test(
        "a slider is only written as ResearchKit can show it",
        arguments: [
            (0, 10, 1, true), (0, 100, 1, false), (0, 100, 10, true), (0, 10, 3, false), (5, 5, 1, false),
            (0, 20_000, 2_000, false),
            (10, 0, 1, false), (0, 13, 1, true), (0, 14, 1, false), (0, 10, 0, false),
        ]
    )
    func sliders(minimum: Int, maximum: Int, step: Int, isSlider: Bool) {
        let task = ResearchKitTask(
            survey([
                [
                    "linkId": "q", "type": "integer",
                    "extension": [
                        Self.itemControl("slider"), Self.core("minValue", "Integer", JSONValue(minimum)),
                        Self.core("maxValue", "Integer", JSONValue(maximum)),
                        Self.core("questionnaire-sliderStepValue", "Integer", JSONValue(step)),
                    ],
                ]
            ])
        )
        let format = task.json["steps"]?[0]?["answerFormat"]?["_class"]?.string
        #expect(format == (isSlider ? "ORKScaleAnswerFormat" : "ORKNumericAnswerFormat"))
        #expect(task.diagnostics.isEmpty == isSlider)
    }

    @Test(
        "what ResearchKit cannot do is reported",
        arguments: [
            repeatedGroup,
            #"{"linkId": "q", "type": "choice", "answerValueSet": "http://example.org/elsewhere"}"#,
            conditionOnALaterQuestion,
            #"{"linkId": "q", "type": "string", "readOnly": true}"#,
        ]
    )
    func reported(item: String) throws {
        let task = ResearchKitTask(
            survey([
                ["linkId": "a", "type": "string"], try JSONValue(parsing: item),
                ["linkId": "later", "type": "string"],
            ])
        )
        #expect(task.diagnostics.map(\.linkId) == ["q"])
    }

    @Test("answers become a result, and the result the same answers")
    func roundTrip() throws {
        var session = SurveySession(
            Self.questionnaire,
            context: SurveyContext(now: "2026-11-22T09:30:00+01:00")
        )
        let answers = try JSONValue(
            parsing: """
                {"smokes": true, "many": 5, "colour": ["b", "green"], "weight": 74.8, "born": "1980-02-03",
                 "at": "2026-11-21T08:30:00-05:00", "time": "08:30:00", "name": "Ada", "why": "because"}
                """
        )
        #expect(session.fill(with: answers).isEmpty)
        let task = ResearchKitTask(Self.questionnaire)
        let result = session.researchKitResult(of: task)
        #expect(result["results"]?.elements?.count == 4)
        #expect(result["startDate"]?.string == "2026-11-22T09:30:00+0100")
        var other = SurveySession(Self.questionnaire, context: session.context)
        #expect(other.fill(withResearchKitResult: result).isEmpty)
        #expect(other.response().tree["item"] == session.response().tree["item"])
    }

    @Test("unanswered questions, earlier runs and unknown results")
    func results() throws {
        var session = SurveySession(Self.questionnaire)
        let result = try JSONValue(
            parsing: """
                {"_class": "ORKTaskResult", "identifier": "t", "endDate": "2026-01-05T09:00:00+0100", \
                "results": [
                 {"_class": "ORKStepResult", "identifier": "smokes", "isPreviousResult": true, "results": [
                  {"_class": "ORKBooleanQuestionResult", "identifier": "smokes", "booleanAnswer": true}]},
                 {"_class": "ORKStepResult", "identifier": "x", "results": [
                  {"_class": "ORKTextQuestionResult", "identifier": "unknown", "textAnswer": "x"},
                  {"_class": "ORKTextQuestionResult", "identifier": "name", "questionType": 8},
                  {"_class": "ORKBooleanQuestionResult", "identifier": "many", "booleanAnswer": false},
                  {"_class": "ORKDateQuestionResult", "identifier": "born", "dateAnswer": \
                "1980-02-03T23:30:00-0700"}]}]}
                """
        )
        let problems = session.fill(withResearchKitResult: result)
        #expect(
            problems.map { "\($0.linkId ?? "") \($0.code)" } == ["unknown unknownItem", "many wrongType"]
        )
        #expect(session.progress.answered == 1)
        #expect(session.answers(of: session.occurrences(of: "born")[0]) == [.date("1980-02-03")])
        #expect(session.response().authored == "2026-01-05T09:00:00+01:00")
    }

    @Test(
        "every shared questionnaire is a task with the steps of its questions",
        .enabled(if: SharedQuestionnaires.exists, "the shared questionnaires are not there")
    )
    func sharedQuestionnaires() throws {
        for file in SharedQuestionnaires.files("Questionnaire") {
            let task = ResearchKitTask(Survey(try Questionnaire(parsing: Data(contentsOf: file))))
            let identifiers = task.json["steps"]?.elements?.compactMap { $0["identifier"]?.string } ?? []
            #expect(Set(identifiers).count == identifiers.count, "\(file.lastPathComponent)")
            let text = task.json.text()
            #expect(try JSONValue(parsing: text) == task.json)
        }
    }

    @Test("rows of many conditions end, and what is always asked is reported")
    func manyConditions() throws {
        let items = (0..<2_000).map { index -> JSONValue in
            [
                "linkId": JSONValue("q\(index)"), "type": "boolean",
                "enableWhen": [["question": "q0", "operator": "=", "answerBoolean": true]],
            ]
        }
        let task = ResearchKitTask(survey(JSONValue(items)))
        let rules = try #require(task.json["stepNavigationRules"]?.members)
        let predicates = rules.map { $0.value["resultPredicateFormats"]?.elements?.count ?? 0 }.reduce(0, +)
        #expect(predicates > 30_000 && predicates < 60_000, "\(predicates)")
        #expect(task.diagnostics.contains { $0.text.hasPrefix("Too many items with conditions") })
    }

    @Test("steps of 20,000 items with one linkId have names of their own")
    func sameLinkIds() {
        let task = ResearchKitTask(
            survey(
                JSONValue(Array(repeating: ["linkId": "a", "type": "boolean"] as JSONValue, count: 20_000))
            )
        )
        let names = (task.json["steps"]?.elements ?? []).compactMap { $0["identifier"]?.string }
        #expect(names.count == 20_000 && Set(names).count == 20_000 && names[1] == "a#2")
    }
}
