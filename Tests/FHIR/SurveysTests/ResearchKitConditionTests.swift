import FHIR
import OrderedJSON
import Testing

@testable import Surveys

/// Conditions of tasks, by what the questionnaire then asks.
struct ResearchKitConditionTests {
    /// A task in which a form asks `q`, and shows `x` under a condition on it.
    private static func task(_ format: String, _ predicate: String) -> String {
        """
        {"_class": "ORKOrderedTask", "identifier": "t", "steps": [
        {"_class": "ORKFormStep", "identifier": "f", "formItems": [
        {"_class": "ORKFormItem", "identifier": "q", "text": "Q", "answerFormat": \(format)},
        {"_class": "ORKFormItem", "identifier": "x", "text": "X",
        "answerFormat": {"_class": "ORKBooleanAnswerFormat"},
        "visibilityRule": {"_class": "ORKPredicateFormItemVisibilityRule", "predicateFormat":
        \(JSONValue(predicate).text())}}]}]}
        """
    }

    private static func predicate(_ test: String, step: String = "f", item: String = "q") -> String {
        """
        SUBQUERY(SELF, $x, $x.identifier == $ORK_TASK_IDENTIFIER AND SUBQUERY($x.results, $y, \
        $y.identifier == "\(step)" AND $y.isPreviousResult == 0 AND SUBQUERY($y.results, $z, \
        $z.identifier == "\(item)" AND \(test)).@count > 0).@count > 0).@count > 0
        """
    }

    private static let integer = #"{"_class": "ORKNumericAnswerFormat", "style": "integer"}"#
    private static let boolean = #"{"_class": "ORKBooleanAnswerFormat"}"#
    private static let day = #"{"_class": "ORKDateAnswerFormat", "style": "date"}"#
    private static let choices = """
        {"_class": "ORKTextChoiceAnswerFormat", "style": "multipleChoice", "textChoices": [
        {"_class": "ORKTextChoice", "text": "Red", "value": "a"},
        {"_class": "ORKTextChoice", "text": "Green", "value": "b"},
        {"_class": "ORKTextChoice", "text": "Blue", "value": "c"}]}
        """

    private static func isShown(_ linkId: String, in session: SurveySession) -> Bool {
        session.occurrences(of: linkId).first.map { session.isEnabled($0) } ?? false
    }

    private static func read(_ text: String) throws -> ResearchKitQuestionnaire {
        try ResearchKitQuestionnaire(JSONValue(parsing: text))
    }

    /// Whether `x` is asked after answers.
    private static func isAsked(_ text: String, after answers: JSONValue) throws -> Bool {
        let task = try read(text)
        #expect(task.diagnostics.isEmpty, "\(task.diagnostics)")
        let survey = Survey(task.questionnaire)
        #expect(survey.diagnostics.isEmpty, "\(survey.diagnostics)")
        var session = SurveySession(survey)
        #expect(session.fill(with: answers).isEmpty)
        #expect(session.diagnostics.isEmpty, "\(session.diagnostics)")
        return isShown("x", in: session)
    }

    // MARK: Values

    @Test(
        "a number is compared with whole answers as a number, however it is written",
        arguments: [
            ("> 1.5", [2, 3]), ("< 1.5", [0, 1]), (">= 1.5e0", [2, 3]), ("== 1.0", [1]), ("== 10e-1", [1]),
            ("!= 1.0", [0, 2, 3]), ("> 1", [2, 3]), ("<= 0.2e1", [0, 1, 2]), ("> -0.5", [0, 1, 2, 3]),
        ]
    )
    func integers(test: String, passing: [Int]) throws {
        let text = Self.task(Self.integer, Self.predicate("$z.answer \(test)"))
        for answer in 0...3 {
            let isAsked = try Self.isAsked(text, after: ["q": JSONValue(answer)])
            #expect(isAsked == passing.contains(answer), "\(answer) \(test)")
        }
        #expect(try Self.isAsked(text, after: [:]) == test.hasPrefix("!="))
    }

    @Test(
        "yes and no are 1 and 0, and a comparison that tells them apart is one of them",
        arguments: [
            ("== 1", [true]), ("== 0.0", [false]), ("!= 1", [false]), ("> 0", [true]), ("< 0.5", [false]),
            (">= 1", [true]), ("== YES", [true]), ("== FALSE", [false]),
        ]
    )
    func booleans(test: String, passing: [Bool]) throws {
        let text = Self.task(Self.boolean, Self.predicate("$z.answer \(test)"))
        for answer in [true, false] {
            let isAsked = try Self.isAsked(text, after: ["q": JSONValue(answer)])
            #expect(isAsked == passing.contains(answer), "\(answer) \(test)")
        }
    }

    @Test(
        "an impossible condition is reported with its position, and its item is asked",
        arguments: [
            (integer, "$z.answer == 1.5", "an integer, which is never 1.5"),
            (integer, "$z.answer > 3000000000", "an integer, which is never 3000000000"),
            (integer, "$z.answer == \"1\"", "a integer, which is not compared with the text “1”"),
            (integer, "$z.answer == 1e200", "more digits than answers have"),
            (boolean, "$z.answer == 2", "1 or 0, and == 2 does not tell them apart"),
            (boolean, "$z.answer == \"yes\"", "a boolean, which is not compared with the text “yes”"),
            (#"{"_class": "ORKTimeOfDayAnswerFormat"}"#, "$z.answer > 9", "not compared with the number 9"),
            (#"{"_class": "ORKTimeOfDayAnswerFormat"}"#, "$z.answer == CAST(5, \"NSDate\")", "with a date"),
            (#"{"_class": "ORKTextAnswerFormat"}"#, "$z.answer == 9", "not compared with the number 9"),
            (
                #"{"_class": "ORKDateAnswerFormat"}"#, "$z.answer > CAST(1e300, \"NSDate\")",
                "outside of the years 1 to 9999"
            ),
            (choices, "SUBQUERY($z.answer, $w, $w == \"d\").@count > 0", "no choice with the text “d”"),
            (choices, "SUBQUERY($z.answer, $w, $w > \"a\").@count > 0", "codes, which have no order"),
            (choices, "$z.answer == \"a\"", "a list, of which SUBQUERY"),
            (choices, "NOT ($z.answer != \"a\")", "a list, of which SUBQUERY"),
            (boolean, "SUBQUERY($z.answer, $w, $w == 1).@count > 0", "no list, in which SUBQUERY looks"),
            (day, "$z.answer >= CAST(3600, \"NSDate\")", "is a day, which is not compared with 2001-01-01T0"),
            (day, "$z.answer == CAST(0.5, \"NSDate\")", "a day is its midnight in UTC"),
            (#"{"_class": "ORKTextAnswerFormat"}"#, #"$z.answer == "a\d""#, "“\\d” is no escape"),
            (#"{"_class": "ORKTextAnswerFormat"}"#, #"$z.answer == "\u12""#, "4 hexadecimal digits"),
            (boolean, "$z.answer MATCHES \"1\"", "not one on answers of this task"),
            (boolean, "$z.identifier == \"r\" AND $z.answer == 1", "not one on answers of this task"),
        ]
    )
    func mistakes(format: String, test: String, reason: String) throws {
        let text = Self.task(format, Self.predicate(test))
        let task = try Self.read(text)
        let diagnostic = try #require(task.diagnostics.first)
        let line = text.split(separator: "\n", omittingEmptySubsequences: false).count
        #expect(task.diagnostics.count == 1)
        #expect(diagnostic.description.hasPrefix("\(line):1: warning: x: "), "\(diagnostic)")
        #expect(diagnostic.text.contains(reason), "\(diagnostic)")
        #expect(Self.isShown("x", in: SurveySession(Survey(task.questionnaire))))
    }

    @Test(
        "texts have C's escapes, and days are compared by their midnight in UTC",
        arguments: [
            (#"{"_class": "ORKTextAnswerFormat"}"#, #"$z.answer == "a\nb""#, "a\nb", "anb"),
            (#"{"_class": "ORKTextAnswerFormat"}"#, #"NOT $z.answer != 'it\'s'"#, "it's", "it"),
            (#"{"_class": "ORKTextAnswerFormat"}"#, #"$z.answer == "\x41\u00e9\U0001F600\\""#, "Aé😀\\", "A"),
            (day, "$z.answer >= CAST(86400, \"NSDate\")", "2001-01-02", "2001-01-01"),
            (day, "$z.answer == CAST(-86400, \"NSDate\")", "2000-12-31", "2001-01-01"),
        ] as [(String, String, String, String)]
    )
    func texts(format: String, test: String, passing: String, other: String) throws {
        for text in [test, "\(test) AND ($z.answer == nil OR \(test))"] {
            let task = Self.task(format, Self.predicate(text))
            #expect(try Self.isAsked(task, after: ["q": JSONValue(passing)]))
            #expect(try Self.isAsked(task, after: ["q": JSONValue(other)]) == false)
        }
    }

    @Test("a condition on another task's answers is not one on this task's")
    func otherTask() throws {
        for (task, isRead) in [("t", true), ("other", false)] {
            let predicate = Self.predicate("$z.answer == 1")
                .replacing("$ORK_TASK_IDENTIFIER", with: "\"\(task)\"")
            let read = try Self.read(Self.task(Self.boolean, predicate))
            #expect(read.diagnostics.isEmpty == isRead, "\(read.diagnostics)")
        }
    }

    @Test("numbers of choices are the numbers of conditions, however they are written")
    func numbersOfChoices() throws {
        let format = """
            {"_class": "ORKTextChoiceAnswerFormat", "textChoices": [
            {"_class": "ORKTextChoice", "text": "1", "value": 1},
            {"_class": "ORKTextChoice", "text": "Two", "value": 2.0},
            {"_class": "ORKTextChoice", "text": "Yes", "value": true}]}
            """
        func condition(_ test: String) throws -> JSONValue? {
            let predicate = Self.predicate("SUBQUERY($z.answer, $w, $w \(test)).@count > 0")
            let task = try Self.read(Self.task(format, predicate))
            #expect(task.diagnostics.isEmpty, "\(task.diagnostics)")
            return task.questionnaire.tree["item"]?[0]?["item"]?[1]?["enableWhen"]?[0]
        }
        #expect(try condition("== 1.0")?["answerCoding"]?["display"]?.string == "Yes")
        #expect(try condition("== 2")?["answerCoding"]?["display"]?.string == "Two")
    }

    @Test("choices without a code are told apart by text, those without a system by code")
    func codesWithoutSystem() throws {
        let format = #"""
            {"_class": "ORKTextChoiceAnswerFormat", "style": "multipleChoice", "textChoices": [
            {"_class": "ORKTextChoice", "text": "Red", "value": "{\"display\": \"Red\"}"},
            {"_class": "ORKTextChoice", "text": "Green", "value": "{\"display\": \"Green\", \"code\": \"\"}"},
            {"_class": "ORKTextChoice", "text": "Blue", "value": "{\"display\": \"Blue\", \"code\": \"b\"}"}]}
            """#
        func test(_ sign: String, _ value: String) -> String {
            Self.predicate("SUBQUERY($z.answer, $w, $w \(sign) '\(value)').@count > 0")
        }
        let other = Self.task(format, test("!=", #"{"display": "Red"}"#))
        #expect(try Self.isAsked(other, after: ["q": [["display": "Red"]]]) == false)
        #expect(try Self.isAsked(other, after: ["q": [["display": "Red"], ["display": "Green"]]]))
        #expect(try Self.isAsked(other, after: ["q": [["code": "b"]]]))
        let green = Self.task(format, test("==", #"{"display": "Green", "code": ""}"#))
        #expect(try Self.isAsked(green, after: ["q": [["display": "Green"]]]))
        #expect(try Self.isAsked(green, after: ["q": [["display": "Red"]]]) == false)
    }

    // MARK: Several answers

    /// What of the sets of answers passes each test.
    private static let answers: [[String]] = [[], ["a"], ["b"], ["a", "b"], ["b", "c"]]

    @Test(
        "a different choice, no such choice and one choice for all tests are distinct",
        arguments: [
            (#"SUBQUERY($z.answer, $w, $w == "a").@count > 0"#, [["a"], ["a", "b"]]),
            (#"SUBQUERY($z.answer, $w, $w != "a").@count > 0"#, [["b"], ["a", "b"], ["b", "c"]]),
            (#"SUBQUERY($z.answer, $w, NOT ($w == "a")).@count > 0"#, [["b"], ["a", "b"], ["b", "c"]]),
            (#"NOT SUBQUERY($z.answer, $w, $w == "a").@count > 0"#, [[], ["b"], ["b", "c"]]),
            (#"NOT SUBQUERY($z.answer, $w, $w != "a").@count > 0"#, [[], ["a"]]),
            (#"SUBQUERY($z.answer, $w, $w != "a" AND $w != "b").@count > 0"#, [["b", "c"]]),
            (
                #"SUBQUERY($z.answer, $w, $w != "a").@count > 0 "#
                    + #"AND SUBQUERY($z.answer, $w, $w != "b").@count > 0"#,
                [["a", "b"], ["b", "c"]]
            ),
            (
                #"SUBQUERY($z.answer, $w, $w == "a" OR $w == "c").@count > 0"#,
                [["a"], ["a", "b"], ["b", "c"]]
            ),
            (#"SUBQUERY($z.answer, $w, NOT ($w == "b" OR $w == "c")).@count > 0"#, [["a"], ["a", "b"]]),
            (#"SUBQUERY($z.answer, $w, $w == "a" AND $w == "b").@count > 0"#, []),
            (#"$z.answer == nil"#, [[]]), (#"$z.answer != nil"#, [["a"], ["b"], ["a", "b"], ["b", "c"]]),
        ]
    )
    func severalChoices(test: String, passing: [[String]]) throws {
        let text = Self.task(Self.choices, Self.predicate(test))
        for answers in Self.answers {
            let isAsked = try Self.isAsked(text, after: ["q": JSONValue(answers.map { JSONValue($0) })])
            #expect(isAsked == passing.contains(answers), "\(answers)")
        }
    }

    @Test("what enableWhen says is said by it, and the rest by an expression")
    func forms() throws {
        func item(_ test: String) throws -> JSONValue? {
            let task = try Self.read(Self.task(Self.choices, Self.predicate(test)))
            return task.questionnaire.tree["item"]?[0]?["item"]?[1]
        }
        let none = try item(#"NOT SUBQUERY($z.answer, $w, $w == "a").@count > 0"#)
        #expect(none?["enableWhen"]?[0]?["operator"]?.string == "!=")
        let some = try item(#"SUBQUERY($z.answer, $w, $w != "a").@count > 0"#)
        #expect(some?["enableWhen"] == nil && some?["extension"]?[0]?["valueExpression"] != nil)
    }

    // MARK: Rules

    /// A task of yes-or-no questions with rules.
    private static func task(_ names: [String], _ rules: JSONValue) -> JSONValue {
        let steps = names.map { name -> JSONValue in
            [
                "_class": "ORKQuestionStep", "identifier": JSONValue(name), "question": JSONValue(name),
                "answerFormat": ["_class": "ORKBooleanAnswerFormat"],
            ]
        }
        return [
            "_class": "ORKNavigableOrderedTask", "identifier": "t", "stepNavigationRules": rules,
            "steps": JSONValue(steps),
        ]
    }

    private static func rule(_ predicates: [String], _ destinations: [String], otherwise: String?)
        -> JSONValue
    {
        [
            "_class": "ORKPredicateStepNavigationRule",
            "resultPredicateFormats": JSONValue(predicates.map { JSONValue($0) }),
            "destinationStepIdentifiers": JSONValue(destinations.map { JSONValue($0) }),
            "defaultStepIdentifier": JSONValue(otherwise),
        ]
    }

    @Test("a question counts as unanswered once it was asked, not where its step is skipped")
    func unansweredSteps() throws {
        let isYes = Self.predicate("$z.answer == 1", step: "a", item: "a")
        for test in ["$z.answer == nil", "$z.answer != 1", "NOT ($z.answer == 1)"] {
            // Yes in a passes over b; c leads to e, or to d where b was asked and not answered yes.
            let task = Self.task(
                ["a", "b", "c", "d", "x"],
                [
                    "a": Self.rule([isYes], ["c"], otherwise: "b"),
                    "c": Self.rule([Self.predicate(test, step: "b", item: "b")], ["d"], otherwise: "x"),
                ]
            )
            let read = try ResearchKitQuestionnaire(task)
            #expect(read.diagnostics.isEmpty, "\(read.diagnostics)")
            for (answers, isShown) in [
                (["a": true], false), (["a": false], true), (["a": false, "b": true], false),
                (["a": true, "c": true], false),
            ] as [(JSONValue, Bool)] {
                var session = SurveySession(Survey(read.questionnaire))
                #expect(session.fill(with: answers).isEmpty)
                #expect(Self.isShown("d", in: session) == isShown, "\(test) \(answers.text())")
                #expect(session.diagnostics.isEmpty, "\(session.diagnostics)")
            }
        }
    }

    @Test("what is asked later has no answer yet, so that a rule on that is reported")
    func laterSteps() throws {
        let test = Self.predicate("$z.answer == nil", step: "c", item: "c")
        let task = Self.task(["a", "b", "c"], ["a": Self.rule([test], ["c"], otherwise: "b")])
        let read = try ResearchKitQuestionnaire(JSONValue(parsing: task.text()))
        #expect(read.diagnostics.map(\.text).contains { $0.contains("asked later") }, "\(read.diagnostics)")
    }

    @Test("a rule with an impossible condition is left out of the variables and reported")
    func rulesOfVariables() throws {
        let isYes = { (step: String) in Self.predicate("$z.answer == 1", step: step, item: step) }
        let bad = Self.predicate("$z.answer == \"yes\"", step: "b", item: "b")
        let rules: JSONValue = [
            "a": Self.rule([isYes("a")], ["d"], otherwise: "b"), "b": Self.rule([bad], ["e"], otherwise: "c"),
            "c": Self.rule([isYes("c")], ["e"], otherwise: "d"),
        ]
        let text = Self.task(["a", "b", "c", "d", "e"], rules).text(.pretty)
        let read = try Self.read(text)
        #expect(read.diagnostics.count == 1 && read.diagnostics[0].linkId == "b")
        #expect(read.diagnostics[0].location != nil)
        let tree = read.questionnaire.tree.text()
        #expect(tree.contains("%step") && !tree.contains("false\""), "\(tree)")
    }

    @Test("a rule with more conditions than destinations is read as far as both go")
    func counts() throws {
        let isYes = Self.predicate("$z.answer == 1", step: "a", item: "a")
        let task = Self.task(["a", "b", "c"], ["a": Self.rule([isYes, isYes], ["c"], otherwise: "b")])
        let read = try Self.read(task.text(.pretty))
        #expect(read.diagnostics.count == 1)
        let text = read.diagnostics.first?.description ?? ""
        #expect(
            text.contains("2 conditions for 1 destinations") && text.contains(": warning: a: "),
            "\(text)"
        )
        #expect(text.first?.isNumber == true)
        #expect(read.questionnaire.tree["item"]?[1]?["enableWhen"]?[0]?["operator"]?.string == "!=")
    }

    @Test("an empty identifier and ResearchKit's own for the end lead to the end")
    func ends() throws {
        for (destination, isRead) in [
            ("", true), ("org.researchkit.step.null", true), (7, false), (.null, false),
        ] as [(JSONValue, Bool)] {
            let rule: JSONValue = [
                "_class": "ORKDirectStepNavigationRule", "destinationStepIdentifier": destination,
            ]
            let read = try ResearchKitQuestionnaire(Self.task(["a", "b"], ["a": rule]))
            #expect(read.diagnostics.isEmpty == isRead, "\(destination.text()): \(read.diagnostics)")
        }
    }

    @Test("one rule over very many steps does not become very many conditions")
    func manySteps() throws {
        let names = (0..<5_000).map { "q\($0)" }
        let isYes = Self.predicate("$z.answer == 1", step: "q0", item: "q0")
        let rule = Self.rule(
            Array(repeating: isYes, count: 100),
            (0..<100).map { names[$0 + 2] },
            otherwise: "q4999"
        )
        let read = try ResearchKitQuestionnaire(Self.task(names, ["q0": rule]))
        #expect(read.questionnaire.tree.text().utf8.count < 30_000_000)
        #expect(read.diagnostics.isEmpty, "\(read.diagnostics)")
    }

    @Test("a long condition over many steps is written a few times; the first rule counts")
    func longCondition() throws {
        let names = (0..<5_000).map { "q\($0)" }
        let long = (0..<500).map { _ in "$z.answer == 1" }.joined(separator: " OR ")
        let predicate = Self.predicate("(\(long))", step: "q0", item: "q0")
        let rule = Self.rule([predicate], ["q4999"], otherwise: "q1")
        let text = Self.task(names, ["q0": rule]).text()
        let twice = text.replacing(
            #""stepNavigationRules":{"#,
            with: #""stepNavigationRules":{"q0":\#(rule.text()),"#
        )
        let read = try Self.read(twice)
        #expect(read.questionnaire.tree.text().utf8.count < 30_000_000)
        #expect(read.diagnostics.map(\.text) == ["Another rule of the step is before it; it is left out."])
        let findings = ResearchKitTaskCheck(try JSONValue(parsing: twice)).findings
        #expect(findings.map(\.text) == ["another rule of the step is before it"])
    }

    @Test("a condition with very many parts is one expression")
    func manyParts() throws {
        let parts = Array(repeating: "$w != \"a\"", count: 800).joined(separator: " AND ")
        let text = Self.task(Self.choices, Self.predicate("SUBQUERY($z.answer, $w, \(parts)).@count > 0"))
        #expect(try Self.isAsked(text, after: ["q": ["b"]]))
        #expect(try Self.isAsked(text, after: ["q": ["a"]]) == false)
    }

    @Test("a condition that is too long is reported, and what hangs on it is asked")
    func conditionsTooLong() throws {
        // Rows of several conditions, so that no enableWhen says it.
        let test = "(" + (0..<1_500).map { "NOT ($z.answer > \($0).5)" }.joined(separator: " OR ") + ")"
        let predicate = Self.predicate("NOT \(test)")
        let shown = try Self.read(Self.task(Self.integer, predicate))
        #expect(shown.diagnostics.map(\.text).contains { $0.contains("too long for an expression") })
        #expect(Self.isShown("x", in: SurveySession(Survey(shown.questionnaire))))
        #expect(Survey(shown.questionnaire).diagnostics.isEmpty)
    }

    @Test("as many items as are read may have one identifier")
    func oneIdentifier() throws {
        let items = Array(repeating: ["text": "x", "identifier": "a"] as JSONValue, count: 49_990)
        let task: JSONValue = [
            "_class": "ORKOrderedTask", "identifier": "t",
            "steps": [["_class": "ORKFormStep", "identifier": "f", "formItems": JSONValue(items)]],
        ]
        let read = try ResearchKitQuestionnaire(task)
        let children = Array(try #require(read.questionnaire.tree["item"]?[0]?["item"]?.elements))
        #expect(Set(children.compactMap { $0["linkId"]?.string }).count == 49_990)
        #expect(children.last?["linkId"]?.string == "a#49990")
    }
}
