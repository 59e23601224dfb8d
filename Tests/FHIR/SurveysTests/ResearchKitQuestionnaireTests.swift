import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import Testing

@testable import Surveys

struct ResearchKitQuestionnaireTests {
    private static func task(_ steps: [JSONValue], _ members: [String: JSONValue] = [:]) -> JSONValue {
        var task: JSONValue = ["_class": "ORKOrderedTask", "identifier": "org.example.diary"]
        for (name, value) in members { task[name] = value }
        task["steps"] = JSONValue(steps)
        return task
    }

    private static func question(_ identifier: String, _ format: JSONValue, optional: Bool = true)
        -> JSONValue
    {
        [
            "_class": "ORKQuestionStep", "identifier": JSONValue(identifier),
            "question": JSONValue(identifier),
            "optional": JSONValue(optional), "answerFormat": format,
        ]
    }

    private static func predicate(_ step: String, _ test: String, item: String? = nil) -> String {
        """
        SUBQUERY(SELF, $x, $x.identifier == $ORK_TASK_IDENTIFIER AND SUBQUERY($x.results, $y, \
        $y.identifier == "\(step)" AND $y.isPreviousResult == 0 AND SUBQUERY($y.results, $z, \
        $z.identifier == "\(item ?? step)" AND \(test)).@count > 0).@count > 0).@count > 0
        """
    }

    private static func rule(_ ways: [(String, String)], otherwise: String?) -> JSONValue {
        var rule: JSONValue = [
            "_class": "ORKPredicateStepNavigationRule",
            "resultPredicateFormats": JSONValue(ways.map { JSONValue($0.0) }),
            "destinationStepIdentifiers": JSONValue(ways.map { JSONValue($0.1) }),
        ]
        if let otherwise { rule["defaultStepIdentifier"] = JSONValue(otherwise) }
        return rule
    }

    // MARK: Items

    @Test("each answer format becomes its type, with bounds, options, units and defaults")
    func formats() throws {
        let steps = try JSONValue(
            parsing: """
                [{"_class": "ORKInstructionStep", "identifier": "intro", "title": "Welcome", "detailText": "Hello."},
                 {"_class": "ORKFormStep", "identifier": "f", "text": "You", "formItems": [
                  {"_class": "ORKFormItem", "identifier": "h", "text": "Heading"},
                  {"_class": "ORKFormItem", "identifier": "b", "optional": false, "text": "Boolean?",
                   "answerFormat": {"_class": "ORKBooleanAnswerFormat"}},
                  {"_class": "ORKFormItem", "identifier": "c", "text": "Choice", "answerFormat":
                   {"_class": "ORKTextChoiceAnswerFormat", "style": "multipleChoice", "textChoices": [
                    {"_class": "ORKTextChoice", "text": "Red", "value": "r"},
                    {"_class": "ORKTextChoice", "text": "None", "value": "n", "exclusive": true},
                    {"_class": "ORKTextChoiceOther", "text": "Something else", "value": "o"}]}},
                  {"_class": "ORKFormItem", "identifier": "s", "answerFormat": {"_class": "ORKScaleAnswerFormat",
                   "minimum": 0, "maximum": 10, "step": 2, "defaultValue": 4,
                   "minimumValueDescription": "none", "maximumValueDescription": "worst"}},
                  {"_class": "ORKFormItem", "identifier": "w", "answerFormat": {"_class": "ORKNumericAnswerFormat",
                   "style": "decimal", "unit": "kg", "minimum": 1.5, "maximumFractionDigits": 1}},
                  {"_class": "ORKFormItem", "identifier": "t", "answerFormat": {"_class": "ORKTextAnswerFormat",
                   "maximumLength": 5, "validationRegularExpression": {"pattern": "^[a-z]+", "options": []},
                   "invalidMessage": "Letters first", "defaultTextAnswer": "ab", "multipleLines": true}},
                  {"_class": "ORKFormItem", "identifier": "d", "answerFormat": {"_class": "ORKDateAnswerFormat",
                   "style": "date", "minimumDate": "2019-05-27T00:35:06-0700", "isMaxDateCurrentTime": true}},
                  {"_class": "ORKFormItem", "identifier": "o", "answerFormat": {"_class":
                   "ORKTimeOfDayAnswerFormat", "defaultComponents": "09:30"}}]}]
                """
        )
        let read = try ResearchKitQuestionnaire(Self.task(Array(try #require(steps.elements))))
        #expect(read.diagnostics.isEmpty, "\(read.diagnostics)")
        let survey = Survey(read.questionnaire)
        #expect(survey.diagnostics.isEmpty, "\(survey.diagnostics)")
        #expect(read.questionnaire.id == "org.example.diary")
        #expect(read.questionnaire.url == "http://researchkit.org/task/org%2Eexample%2Ediary")
        #expect(ResearchKitTask(survey).json["identifier"]?.string == "org.example.diary")
        let types = survey.items.map { "\($0.linkId) \($0.type.code)" }
        #expect(
            types == [
                "intro display", "f group", "h display", "b boolean", "c open-choice", "s integer",
                "s-help display", "w quantity", "t text", "d date", "o time",
            ]
        )
        #expect(survey.item("b")?.isRequired == true && survey.item("c")?.repeats == true)
        guard case .listed(let options)? = survey.item("c")?.format.options else {
            Issue.record("no options")
            return
        }
        #expect(
            options.map(\.label.plain) == ["Red", "None"] && options.map(\.isExclusive) == [false, true]
        )
        #expect(survey.item("c")?.format.openLabel?.plain == "Something else")
        let scale = try #require(survey.item("s"))
        #expect(
            scale.controls == ["slider"] && scale.format.sliderStep == 2 && scale.initial == [.integer(4)]
        )
        #expect(scale.help.map(\.plain) == ["0: none; 10: worst"])
        #expect(survey.item("w")?.format.units.first?.code == "kg")
        #expect(survey.item("t")?.format.pattern?.pattern == "(?:[a-z]+)[\\s\\S]*")
        #expect(survey.item("t")?.initial == [.string("ab")])
        var session = SurveySession(survey, context: SurveyContext(now: "2026-11-22T09:30:00+01:00"))
        let answers = try JSONValue(
            parsing: """
                {"b": true, "c": ["r"], "w": 1.25, "t": "x1", "d": "2026-12-01", "s": 6}
                """
        )
        #expect(session.fill(with: answers).isEmpty)
        #expect(
            Set(session.problems().map { "\($0.linkId ?? "") \($0.code)" }) == [
                "w tooSmall", "w tooManyDecimalPlaces", "d tooLarge",
            ] || session.problems().count == 3,
            "\(session.problems())"
        )
    }

    @Test("what a questionnaire has no place for is reported, and the rest is asked")
    func reported() throws {
        let read = try ResearchKitQuestionnaire(
            Self.task([
                ["_class": "ORKAudioStep", "identifier": "sound"],
                Self.question("a", ["_class": "ORKBooleanAnswerFormat", "showDontKnowButton": true]),
                Self.question("b", ["_class": "ORKLocationAnswerFormat"]),
                Self.question("b2", ["_class": "ORKTextAnswerFormat", "maximumLength": 0]),
            ])
        )
        #expect(read.diagnostics.compactMap(\.linkId) == ["sound", "a", "b"])
        #expect(Survey(read.questionnaire).items.map(\.linkId) == ["a", "b", "b2"])
        #expect(throws: ResearchKitTaskError.self) { try ResearchKitQuestionnaire(["_class": "ORKStep"]) }
        #expect(throws: ResearchKitTaskError.self) {
            try ResearchKitQuestionnaire(["_class": "ORKOrderedTask", "identifier": "x"])
        }
        #expect(throws: ResearchKitTaskError.self) {
            try ResearchKitQuestionnaire(Self.task([["text": "x"]]))
        }
    }

    @Test(
        "a pattern that is looked for becomes one that matches all",
        arguments: [
            ("^(?:[0-9]{2})$", "[0-9]{2}"), ("^[0-9]+$", "[0-9]+"), ("[0-9]", "[\\s\\S]*(?:[0-9])[\\s\\S]*"),
            ("^a|b$", "[\\s\\S]*(?:^a|b$)[\\s\\S]*"), ("^a\\$", "(?:a\\$)[\\s\\S]*"),
            ("^(?:a)(?:b)$", "(?:a)(?:b)"),
        ]
    )
    func patterns(found: String, whole: String) {
        #expect(ResearchKitFormatReader.whole(found) == whole)
    }

    // MARK: Navigation

    @Test("random rules show the steps that ResearchKit would, whatever is answered", arguments: 0..<40)
    func routes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = 6
        let names = (0..<count).map { "q\($0)" }
        var ways: [Int: (conditional: [(Int, Bool, Int)], next: Int)] = [:]
        var rules: JSONValue = [:]
        for from in 0..<count - 1 where Bool.random(using: &generator) {
            let number = Int.random(in: 0...2, using: &generator)
            let conditional = (0..<number).map { _ in
                (
                    Int.random(in: 0...from, using: &generator), Bool.random(using: &generator),
                    Int.random(in: from + 1...count, using: &generator)
                )
            }
            let next = Int.random(in: from + 1...min(from + 2, count), using: &generator)
            ways[from] = (conditional, next)
            func name(_ step: Int) -> String { step == count ? "" : names[step] }
            rules[names[from]] =
                number == 0
                ? [
                    "_class": "ORKDirectStepNavigationRule",
                    "destinationStepIdentifier": JSONValue(name(next)),
                ]
                : Self.rule(
                    conditional.map { source, value, step in
                        let test = "$z.answer == \(value ? 1 : 0)"
                        return (Self.predicate(names[source], test), name(step))
                    },
                    otherwise: name(next)
                )
        }
        let read = try ResearchKitQuestionnaire(
            Self.task(
                names.map { Self.question($0, ["_class": "ORKBooleanAnswerFormat"]) },
                ["_class": "ORKNavigableOrderedTask", "stepNavigationRules": rules]
            )
        )
        #expect(read.diagnostics.isEmpty, "\(read.diagnostics)")
        let survey = Survey(read.questionnaire)
        for bits in 0..<1 << count {
            let answers = (0..<count).map { bits >> $0 & 1 == 1 }
            // As ResearchKit goes on from step to step.
            var visited: [Int] = []
            var step = 0
            while step < count {
                visited.append(step)
                guard let way = ways[step] else {
                    step += 1
                    continue
                }
                let met = way.conditional.first { visited.contains($0.0) && answers[$0.0] == $0.1 }
                step = met?.2 ?? way.next
            }
            var session = SurveySession(survey)
            for index in 0..<count {
                guard let occurrence = session.occurrences(of: names[index]).first,
                    session.isEnabled(occurrence)
                else { continue }
                try session.answer(occurrence, with: .boolean(answers[index]))
            }
            let shown = (0..<count).filter { index in
                session.occurrences(of: names[index]).first.map { session.isEnabled($0) } ?? false
            }
            #expect(shown == visited, "answers \(answers), \(read.questionnaire.tree.text())")
        }
    }

    @Test("rules that lead back, nowhere, or ask for what is not asked are reported")
    func badRules() throws {
        let boolean: JSONValue = ["_class": "ORKBooleanAnswerFormat"]
        for (rule, isRead) in [
            (Self.rule([(Self.predicate("b", "$z.answer == 1"), "a")], otherwise: "b"), false),
            (Self.rule([(Self.predicate("a", "$z.answer == 1"), "nowhere")], otherwise: "b"), false),
            (Self.rule([("SELF == 1", "c")], otherwise: "b"), false),
            (Self.rule([("this is (no predicate", "c")], otherwise: "b"), false),
            (Self.rule([(Self.predicate("other", "$z.answer == 1"), "c")], otherwise: "b"), false),
            (Self.rule([(Self.predicate("a", "$z.answer == 1"), "c")], otherwise: nil), true),
        ] {
            let read = try ResearchKitQuestionnaire(
                Self.task(
                    ["a", "b", "c"].map { Self.question($0, boolean) },
                    ["_class": "ORKNavigableOrderedTask", "stepNavigationRules": ["a": rule]]
                )
            )
            #expect(read.diagnostics.isEmpty == isRead, "\(rule.text()): \(read.diagnostics)")
            if isRead {
                let condition = read.questionnaire.tree["item"]?[1]?["enableWhen"]?[0]
                #expect(condition == ["question": "a", "operator": "!=", "answerBoolean": true])
            }
        }
    }

    @Test("tasks with very many steps, rules or conditions are read, and omissions reported")
    func manyRules() throws {
        let boolean: JSONValue = ["_class": "ORKBooleanAnswerFormat"]
        let names = (0..<10_000).map { "q\($0)" }
        let steps = names.map { Self.question($0, boolean) }
        func read(_ rules: [JSONMember]) throws -> ResearchKitQuestionnaire {
            try ResearchKitQuestionnaire(
                Self.task(
                    steps,
                    [
                        "_class": "ORKNavigableOrderedTask",
                        "stepNavigationRules": JSONValue(members: rules),
                    ]
                )
            )
        }
        let test = Self.predicate("q0", "$z.answer == 1")
        let wide = names.dropLast(3).enumerated().map { index, name in
            JSONMember(name: name, value: Self.rule([(test, names[index + 3])], otherwise: nil))
        }
        #expect(try read(wide).diagnostics.map(\.text).contains { $0.contains("too many") })
        let ways = names.dropFirst(2).map { (test, $0) }
        let long = [JSONMember(name: "q0", value: Self.rule(Array(ways), otherwise: nil))]
        #expect(try read(long).diagnostics.map(\.text).contains { $0.contains("too many") })
        let one = [JSONMember(name: "q0", value: Self.rule([(test, "q9999")], otherwise: nil))]
        let short = try read(one)
        #expect(short.diagnostics.isEmpty)
        #expect(short.questionnaire.tree["item"]?[9_998]?["enableWhen"]?[0]?["operator"] == "!=")
    }

    @Test("results of ResearchKit are answers of the questionnaire that the task is")
    func results() throws {
        let choices: JSONValue = [
            "_class": "ORKTextChoiceAnswerFormat", "style": "singleChoice",
            "textChoices": [["_class": "ORKTextChoice", "text": "Red", "value": "r"]],
        ]
        let read = try ResearchKitQuestionnaire(
            Self.task([
                Self.question("colour", choices),
                Self.question("height", ["_class": "ORKHeightAnswerFormat"]),
            ])
        )
        var session = SurveySession(Survey(read.questionnaire))
        let result = try JSONValue(
            parsing: """
                {"_class": "ORKTaskResult", "identifier": "org.example.diary", "results": [
                 {"_class": "ORKStepResult", "identifier": "colour", "results": [
                  {"_class": "ORKChoiceQuestionResult", "identifier": "colour", "choiceAnswers": ["r"]}]},
                 {"_class": "ORKStepResult", "identifier": "height", "results": [
                  {"_class": "ORKNumericQuestionResult", "identifier": "height", "numericAnswer": 180, \
                "unit": "cm"}]}]}
                """
        )
        #expect(session.fill(withResearchKitResult: result).isEmpty)
        let answers = session.response().tree["item"]
        #expect(answers?[0]?["answer"]?[0]?["valueCoding"] == ["code": "r", "display": "Red"])
        #expect(answers?[1]?["answer"]?[0]?["valueQuantity"]?["code"]?.string == "cm")
    }

    // MARK: There and back

    @Test("a questionnaire is the same after task and questionnaire", arguments: 0..<300)
    func roundTrip(seed: UInt64) throws {
        var maker = RandomQuestionnaire(seed: seed)
        let original = maker.questionnaire()
        let task = ResearchKitTask(Survey(Questionnaire(view: original)))
        #expect(task.diagnostics.isEmpty, "\(task.diagnostics)")
        let read = try ResearchKitQuestionnaire(JSONValue(parsing: task.json.text()))
        #expect(read.diagnostics.isEmpty, "\(read.diagnostics)")
        #expect(read.questionnaire.tree == original, "\(original.text(.pretty))\n\(task.json.text(.pretty))")
        #expect(ResearchKitTask(Survey(read.questionnaire)).json == task.json)
        #expect(ResearchKitTaskCheck(task.json).findings.isEmpty)
    }

    @Test(
        "tasks of all shared questionnaires are valid and give the same questions again",
        .enabled(if: SharedQuestionnaires.exists, "the shared questionnaires are not there")
    )
    func sharedQuestionnaires() throws {
        for file in SharedQuestionnaires.files("Questionnaire") {
            let survey = Survey(try Questionnaire(parsing: Data(contentsOf: file)))
            let task = ResearchKitTask(survey)
            let name = file.lastPathComponent
            let findings = ResearchKitTaskCheck(task.json).findings.filter(\.isError)
            // Items without a linkId, or with one of another, have the same identifier; and some have bounds
            // that nothing is between.
            let theirs = ["has the identifier", "no steps", "below the minimum"]
            let others = findings.filter { finding in !theirs.contains { finding.text.contains($0) } }
            #expect(others.isEmpty, "\(name): \(others.prefix(3))")
            let read = try ResearchKitQuestionnaire(JSONValue(parsing: task.json.text()))
            let again = Survey(read.questionnaire)
            let errors = again.diagnostics.filter { $0.severity == .error }
            let known = Set(survey.diagnostics.map(\.code))
            #expect(errors.allSatisfy { known.contains($0.code) }, "\(name): \(errors.prefix(3))")
        }
    }
}

/// Questionnaires of what a task can say, at random.
private struct RandomQuestionnaire {
    private var generator: SeededGenerator
    private var number = 0
    private var earlier: [JSONValue] = []

    init(seed: UInt64) { generator = SeededGenerator(seed: seed &+ 1_000) }

    private mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &generator) < probability
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }

    private mutating func word() -> String {
        let words = ["Sleep", "Größe", "“quoted”", "pain & more", "a\\b", "x < y", "Müdigkeit", "日本"]
        return words[number(0...words.count - 1)]
    }

    private mutating func name() -> String {
        number += 1
        return "q\(number)"
    }

    mutating func questionnaire() -> JSONValue {
        var items: [JSONValue] = []
        for _ in 0..<number(1...6) {
            if chance(0.25) {
                var group: JSONValue = [
                    "linkId": JSONValue(name()), "text": JSONValue(word()), "type": "group",
                ]
                if chance(0.3), !items.isEmpty { enable(&group) }
                let before = earlier.count
                group["item"] = JSONValue((0..<number(1...4)).map { _ in question() })
                _ = before
                items.append(group)
            } else if chance(0.15) {
                items.append(["linkId": JSONValue(name()), "text": JSONValue(word()), "type": "display"])
            } else {
                var item = question()
                let linkId = item["linkId"]
                if chance(0.4), !items.isEmpty { enable(&item, except: linkId) }
                items.append(item)
            }
        }
        return [
            "resourceType": "Questionnaire", "status": "active", "url": "http://example.org/q",
            "title": "A survey", "item": JSONValue(items),
        ]
    }

    /// A condition on what is asked before.
    private mutating func enable(_ item: inout JSONValue, except linkId: JSONValue? = nil) {
        let candidates = earlier.filter { $0["linkId"] != linkId }
        guard !candidates.isEmpty else { return }
        var conditions: [JSONValue] = []
        for _ in 0..<number(1...2) {
            let question = candidates[number(0...candidates.count - 1)]
            guard let name = question["linkId"] else { continue }
            let sign = JSONValue(["=", "!=", ">", "<", ">=", "<="][number(0...5)])
            let condition: JSONValue
            switch question["type"]?.string {
            case "boolean":
                condition = ["question": name, "operator": chance(0.5) ? "=" : "!=", "answerBoolean": true]
            case "integer": condition = ["question": name, "operator": sign, "answerInteger": 3]
            case "decimal": condition = ["question": name, "operator": sign, "answerDecimal": 2.5]
            case "choice":
                let coding = question["answerOption"]?[0]?["valueCoding"] ?? .null
                condition = ["question": name, "operator": chance(0.5) ? "=" : "!=", "answerCoding": coding]
            default:
                condition = ["question": name, "operator": "exists", "answerBoolean": JSONValue(chance(0.5))]
            }
            if !conditions.contains(condition) { conditions.append(condition) }
        }
        item["enableWhen"] = JSONValue(conditions)
        if conditions.count > 1 { item["enableBehavior"] = chance(0.5) ? "any" : "all" }
    }

    private static func core(_ name: String, _ type: String, _ value: JSONValue) -> JSONValue {
        ["url": JSONValue("http://hl7.org/fhir/StructureDefinition/\(name)"), "value\(type)": value]
    }

    private static func control(_ code: String) -> JSONValue {
        core(
            "questionnaire-itemControl",
            "CodeableConcept",
            [
                "coding": [
                    ["system": "http://hl7.org/fhir/questionnaire-item-control", "code": JSONValue(code)]
                ]
            ]
        )
    }

    private mutating func question() -> JSONValue {
        var item: JSONValue = ["linkId": JSONValue(name()), "text": JSONValue(word())]
        var extensions: [JSONValue] = []
        let types = [
            "boolean", "integer", "decimal", "quantity", "string", "text", "date", "dateTime", "time",
            "choice",
        ]
        let type = types[number(0...types.count - 1)]
        item["type"] = JSONValue(type)
        if chance(0.4) { item["required"] = true }
        switch type {
        case "integer":
            if chance(0.4) {
                extensions = [
                    Self.control("slider"), Self.core("minValue", "Integer", 0),
                    Self.core("maxValue", "Integer", 10),
                ]
                if chance(0.5) { extensions.append(Self.core("questionnaire-sliderStepValue", "Integer", 2)) }
            } else if chance(0.5) {
                extensions.append(Self.core("minValue", "Integer", JSONValue(number(-5...5))))
            }
            if chance(0.3) { item["initial"] = [["valueInteger": JSONValue(number(0...10))]] }
        case "decimal":
            if chance(0.3) {
                extensions = [
                    Self.control("slider"), Self.core("minValue", "Decimal", 0.5),
                    Self.core("maxValue", "Decimal", 9.5),
                ]
            }
            if chance(0.5) {
                extensions.append(Self.core("maxDecimalPlaces", "Integer", JSONValue(number(0...4))))
            }
            if chance(0.3) { item["initial"] = [["valueDecimal": 2.5]] }
        case "quantity":
            let unit: JSONValue = [
                "system": "http://unitsofmeasure.org", "code": "mm[Hg]", "display": "mmHg",
            ]
            extensions.append(Self.core("questionnaire-unit", "Coding", unit))
            let quantity: JSONValue = [
                "value": JSONValue(number(1...9)), "unit": "mmHg", "system": "http://unitsofmeasure.org",
                "code": "mm[Hg]",
            ]
            if chance(0.5) {
                extensions.append([
                    "url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-minQuantity",
                    "valueQuantity": quantity,
                ])
            }
            if chance(0.3) { item["initial"] = [["valueQuantity": quantity]] }
        case "string", "text":
            if chance(0.4) { item["maxLength"] = JSONValue(number(1...500)) }
            if chance(0.4) {
                extensions.append(Self.core("regex", "String", "[a-z]+(?:-[0-9]|\\.)*"))
                if chance(0.5) {
                    extensions.append([
                        "url": "http://bdh.stanford.edu/fhir/StructureDefinition/validationtext",
                        "valueString": JSONValue(word()),
                    ])
                }
            }
            if chance(0.3) { item["initial"] = [["valueString": JSONValue(word())]] }
        case "date":
            if chance(0.4) { extensions.append(Self.core("minValue", "Date", "1990-02-28")) }
            if chance(0.4) { extensions.append(Self.core("maxValue", "Date", "2026-12-31")) }
            if chance(0.3) { item["initial"] = [["valueDate": "2001-09-09"]] }
        case "dateTime":
            if chance(0.4) {
                extensions.append(Self.core("maxValue", "DateTime", "2026-12-31T23:59:00+01:00"))
            }
        case "time":
            if chance(0.3) { item["initial"] = [["valueTime": "08:30:00"]] }
        case "choice":
            var options: [JSONValue] = []
            for index in 0..<number(1...4) {
                let coding: JSONValue = [
                    "system": "http://example.org/s", "code": JSONValue("c\(index)"),
                    "display": JSONValue("\(word()) \(index)"),
                ]
                options.append(["valueCoding": coding])
            }
            if chance(0.3) {
                item["type"] = "open-choice"
                if chance(0.5) {
                    extensions.append([
                        "url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-openLabel",
                        "valueString": "Something else",
                    ])
                }
            }
            if chance(0.4) {
                item["repeats"] = true
                options[0].addExtension("\(ExtensionURL.exclusive)", "Boolean", true)
            }
            item["answerOption"] = JSONValue(options)
        default: break
        }
        if chance(0.2), !["boolean", "choice", "open-choice"].contains(item["type"]?.string) {
            extensions.append(Self.core("entryFormat", "String", JSONValue(word())))
        }
        if !extensions.isEmpty { item["extension"] = JSONValue(extensions) }
        if chance(0.2) {
            let linkId = "\(item["linkId"]?.string ?? "")-help"
            item["item"] = [
                [
                    "linkId": JSONValue(linkId), "text": JSONValue(word()), "type": "display",
                    "extension": [Self.control("help")],
                ]
            ]
        }
        earlier.append(item)
        return item
    }
}
