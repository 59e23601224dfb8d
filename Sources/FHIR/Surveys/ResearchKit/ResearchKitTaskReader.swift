import FHIR
import Foundation
import OrderedJSON

/// Reads the JSON of a task (ResearchKit, `ORKESerializer`) into a questionnaire's.
struct ResearchKitTaskReader {
    private static let maximumSteps = 20_000
    private static let maximumItems = 50_000

    /// An item that is asked, for conditions on its answer.
    struct Asked {
        let linkId: String
        let type: String
        /// The options' answers by the value that a choice has.
        var options: [String: JSONValue] = [:]
        /// The unit of a quantity.
        var unit: JSONValue?
    }

    /// A step of the task, and the item that it became.
    private struct Step {
        let identifier: String
        /// nil where the step is left out.
        var item: JSONValue?
    }

    let task: JSONValue
    private(set) var questionnaire: JSONValue = [:]
    private(set) var diagnostics: [SurveyDiagnostic] = []

    private var steps: [Step] = []
    private var linkIds: Set<String> = []
    /// What is asked, by the identifiers of step and result.
    private var asked: [ResearchKitCondition.Question: Asked] = [:]
    /// The same, of a condition that names no step.
    private var askedByName: [String: Asked] = [:]
    private var title: String?
    private var items = 0
    /// Whether steps are reached, as extensions of the questionnaire.
    private var variables: [JSONValue] = []

    init(_ task: JSONValue) { self.task = task }

    mutating func report(_ text: String, _ linkId: String?, _ severity: SurveyDiagnostic.Severity = .warning)
    {
        diagnostics.append(
            SurveyDiagnostic(severity, "researchKit", text, linkId: linkId, position: diagnostics.count)
        )
    }

    // MARK: The task

    mutating func read(_ list: [JSONValue]) throws(ResearchKitTaskError) {
        guard list.count <= Self.maximumSteps else {
            throw ResearchKitTaskError("the task has more than \(Self.maximumSteps) steps", task.location)
        }
        title = Self.commonTitle(list)
        for (number, json) in list.enumerated() {
            guard let identifier = json["identifier"]?.string, json["_class"]?.string != nil else {
                throw ResearchKitTaskError("step \(number + 1) has no _class or no identifier", json.location)
            }
            steps.append(Step(identifier: identifier, item: nil))
            steps[number].item = try step(json, identifier)
        }
        applyRules()
        questionnaire = header()
        if !variables.isEmpty { questionnaire["extension"] = JSONValue(variables) }
        questionnaire["item"] = JSONValue(steps.compactMap(\.item))
    }

    /// The title that all steps with one have: that of the survey.
    private static func commonTitle(_ steps: [JSONValue]) -> String? {
        let titles = Set(steps.compactMap { text($0, "title") })
        // Where questions are in titles, as before ResearchKit 2, one question is no title of a survey.
        guard titles.count == 1, let title = titles.first else { return nil }
        let questions = steps.filter { $0["_class"]?.string == "ORKQuestionStep" }
        return questions.allSatisfy { text($0, "question") != nil } ? title : nil
    }

    private func header() -> JSONValue {
        let identifier = task["identifier"]?.string ?? ""
        var header: JSONValue = [
            "resourceType": "Questionnaire", "status": "active",
            "url": JSONValue(ResearchKitTask.url(of: identifier)),
        ]
        // FHIR's ids have letters, digits, - and . (R4, 2.24.0.1).
        let isID = identifier.utf8.allSatisfy { byte in
            (0x41...0x5A).contains(byte & 0xDF) || (0x30...0x39).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
        if isID, (1...64).contains(identifier.utf8.count) { header["id"] = JSONValue(identifier) }
        if let title { header["title"] = JSONValue(title) }
        return header
    }

    // MARK: Steps

    /// A text that is not empty.
    static func text(_ json: JSONValue, _ name: String) -> String? {
        guard let text = json[name]?.string, !text.isEmpty else { return nil }
        return text
    }

    private mutating func step(_ json: JSONValue, _ identifier: String) throws(ResearchKitTaskError)
        -> JSONValue?
    {
        let kind = json["_class"]?.string ?? ""
        let ownTitle = Self.text(json, "title").flatMap { $0 == title ? nil : $0 }
        switch kind {
        case "ORKQuestionStep": return try questionStep(json, identifier, ownTitle)
        case "ORKFormStep": return try formStep(json, identifier, ownTitle)
        case "ORKImageCaptureStep":
            let label = [ownTitle, Self.text(json, "text")].compactMap { $0 }.joined(separator: "\n")
            var item = try begin(identifier, "attachment", label, json)
            item["extension"] = [["url": JSONValue(ExtensionURL.mimeType), "valueCode": "image/jpeg"]]
            require(&item, json)
            remember(
                .init(step: identifier, item: identifier),
                Asked(linkId: item["linkId"]?.string ?? identifier, type: "attachment")
            )
            return item
        case "ORKStep", "ORKInstructionStep", "ORKLearnMoreInstructionStep", "ORKCompletionStep":
            let parts = [ownTitle, Self.text(json, "text"), Self.text(json, "detailText")].compactMap { $0 }
            guard !parts.isEmpty else { return nil }
            return try begin(identifier, "display", parts.joined(separator: "\n"), json)
        default:
            report("A questionnaire has no \(kind); the step is left out.", identifier)
            return nil
        }
    }

    /// An item with a link id that is not taken.
    private mutating func begin(_ identifier: String, _ type: String, _ text: String?, _ json: JSONValue)
        throws(ResearchKitTaskError) -> JSONValue
    {
        items += 1
        guard items <= Self.maximumItems else {
            throw ResearchKitTaskError("the task has more than \(Self.maximumItems) items", json.location)
        }
        var linkId = identifier.isEmpty ? "item" : identifier
        var number = 1
        while !linkIds.insert(linkId).inserted {
            number += 1
            linkId = "\(identifier)#\(number)"
        }
        if linkId != identifier {
            report("Another item has the identifier; its link id is \(linkId).", identifier)
        }
        var item: JSONValue = ["linkId": JSONValue(linkId)]
        if let text, !text.isEmpty { item["text"] = JSONValue(text) }
        item["type"] = JSONValue(type)
        return item
    }

    /// ResearchKit's steps are optional unless they say otherwise.
    private func require(_ item: inout JSONValue, _ json: JSONValue) {
        let optional = json["optional"]
        if optional?.boolean == false || optional?.integer == 0 { item["required"] = true }
    }

    private mutating func questionStep(_ json: JSONValue, _ identifier: String, _ title: String?)
        throws(ResearchKitTaskError) -> JSONValue
    {
        var texts = [
            Self.text(json, "question"), title, Self.text(json, "text"), Self.text(json, "detailText"),
        ]
        .compactMap { $0 }
        let question = texts.isEmpty ? nil : texts.removeFirst()
        return try ask(
            json,
            identifier,
            .init(step: identifier, item: identifier),
            question,
            help: texts.joined(separator: "\n")
        )
    }

    private mutating func formStep(_ json: JSONValue, _ identifier: String, _ title: String?)
        throws(ResearchKitTaskError) -> JSONValue
    {
        var texts = [title, Self.text(json, "text"), Self.text(json, "detailText")].compactMap { $0 }
        let heading = texts.isEmpty ? nil : texts.removeFirst()
        var group = try begin(identifier, "group", heading, json)
        var children: [JSONValue] = []
        for text in texts + [Self.text(json, "footnote"), Self.text(json, "footerText")].compactMap({ $0 }) {
            children.append(try begin("\(identifier)-text", "display", text, json))
        }
        for item in json["formItems"]?.elements.map(Array.init) ?? [] {
            let name = item["identifier"]?.string ?? ""
            guard item["answerFormat"] != nil, item["answerFormat"]?.isNull == false else {
                let parts = [Self.text(item, "text"), Self.text(item, "detailText")].compactMap { $0 }
                guard !parts.isEmpty else { continue }
                let id = name.isEmpty ? "\(identifier)-text" : name
                children.append(try begin(id, "display", parts.joined(separator: "\n"), item))
                continue
            }
            var child = try ask(
                item,
                name,
                .init(step: identifier, item: name),
                Self.text(item, "text"),
                help: Self.text(item, "detailText")
            )
            if let rule = item["visibilityRule"] { apply(visibility: rule, to: &child) }
            children.append(child)
        }
        if children.isEmpty { report("The form has nothing in it.", identifier) }
        group["item"] = JSONValue(children)
        return group
    }

    /// A question.
    private mutating func ask(
        _ json: JSONValue,
        _ identifier: String,
        _ question: ResearchKitCondition.Question,
        _ text: String?,
        help: String?
    ) throws(ResearchKitTaskError) -> JSONValue {
        var format = ResearchKitFormatReader(
            json["answerFormat"] ?? .null,
            placeholder: Self.text(json, "placeholder")
        )
        format.read()
        for text in format.reports { report(text, identifier) }
        var item = try begin(identifier, format.type, text, json)
        let linkId = item["linkId"]?.string ?? identifier
        for member in format.members { item[member.name] = member.value }
        require(&item, json)
        let helps = [help, format.note].compactMap { $0 }.filter { !$0.isEmpty }
        if !helps.isEmpty {
            var display = try begin("\(linkId)-help", "display", helps.joined(separator: "\n"), json)
            display["extension"] = [
                [
                    "url": JSONValue(ExtensionURL.itemControl),
                    "valueCodeableConcept": [
                        "coding": [
                            ["system": "http://hl7.org/fhir/questionnaire-item-control", "code": "help"]
                        ]
                    ],
                ]
            ]
            item["item"] = [display]
        }
        remember(
            question,
            Asked(linkId: linkId, type: format.type, options: format.options, unit: format.unit)
        )
        return item
    }

    private mutating func remember(_ question: ResearchKitCondition.Question, _ item: Asked) {
        asked[question] = item
        askedByName[question.item] = askedByName[question.item] ?? item
    }

    // MARK: Conditions

    private mutating func apply(visibility rule: JSONValue, to item: inout JSONValue) {
        let linkId = item["linkId"]?.string
        guard let text = rule["predicateFormat"]?.string, let condition = condition(text, linkId) else {
            return
        }
        show(&item, when: condition)
    }

    private mutating func condition(_ text: String, _ linkId: String?) -> ResearchKitCondition? {
        do throws(ResearchKitPredicate.Problem) {
            let predicate = try ResearchKitPredicate(text)
            guard let condition = ResearchKitCondition(predicate) else {
                report("A condition is not one on answers of this task; it is left out.", linkId)
                return nil
            }
            return condition
        } catch {
            report("A condition cannot be read, at \(error.offset): \(error.reason). It is left out.", linkId)
            return nil
        }
    }

    private mutating func applyRules() {
        for name in ["skipStepNavigationRules", "stepModifiers"] {
            for member in task[name]?.members.map(Array.init) ?? [] {
                report("\(name) are not read; the step is asked as it is.", member.name)
            }
        }
        let members = task["stepNavigationRules"]?.members.map(Array.init) ?? []
        guard !members.isEmpty else { return }
        let indices = Dictionary(steps.enumerated().map { ($1.identifier, $0) }) { first, _ in first }
        var rules: [ResearchKitRoute.Rule] = []
        for member in members {
            guard let from = indices[member.name] else {
                report("A rule is one of a step that the task does not have; it is left out.", member.name)
                continue
            }
            if let rule = rule(member.value, from, indices) { rules.append(rule) }
        }
        let route = ResearchKitRoute(count: steps.count, rules: rules)
        var usesRoute = false
        guard let visibilities = route.visibilities else {
            return report("The rules are too many to be conditions of steps; every step is asked.", nil)
        }
        for (step, visibility) in visibilities.sorted(by: { $0.key < $1.key }) {
            guard var item = steps[step].item else { continue }
            switch visibility {
            case .condition(let condition): show(&item, when: condition)
            case .reached:
                usesRoute = true
                item.addExtension(
                    ExtensionURL.enableWhenExpression,
                    "Expression",
                    Self.expression("%step\(step)")
                )
            }
            steps[step].item = item
        }
        if usesRoute { writeVariables(route) }
    }

    private mutating func rule(_ json: JSONValue, _ from: Int, _ indices: [String: Int])
        -> ResearchKitRoute.Rule?
    {
        let name = steps[from].identifier
        /// ResearchKit ends a task at an empty identifier.
        func index(_ identifier: String?) -> Int? {
            guard let identifier, !identifier.isEmpty else { return steps.count }
            return indices[identifier]
        }
        var conditional: [(condition: ResearchKitCondition, step: Int)] = []
        let next: Int?
        switch json["_class"]?.string {
        case "ORKDirectStepNavigationRule": next = index(json["destinationStepIdentifier"]?.string)
        case "ORKPredicateStepNavigationRule":
            let destinations = json["destinationStepIdentifiers"]?.elements.map(Array.init) ?? []
            let predicates = json["resultPredicateFormats"]?.elements.map(Array.init) ?? []
            for (predicate, destination) in zip(predicates, destinations) {
                guard let condition = condition(predicate.string ?? "", name) else { return nil }
                guard let step = index(destination.string) else {
                    report("A rule leads to a step that the task does not have; it is left out.", name)
                    return nil
                }
                conditional.append((condition, step))
            }
            let last = json["defaultStepIdentifier"]?.string
            next = last == nil ? from + 1 : index(last)
        default:
            report("A rule of this kind is not read; it is left out.", name)
            return nil
        }
        guard let next else {
            report("A rule leads to a step that the task does not have; it is left out.", name)
            return nil
        }
        guard next > from, conditional.allSatisfy({ $0.step > from }) else {
            report("A rule leads back, which questionnaires do not; it is left out.", name)
            return nil
        }
        return ResearchKitRoute.Rule(from: from, conditional: conditional, next: next)
    }

    /// A variable for each step that may be passed over: whether it is reached.
    private mutating func writeVariables(_ route: ResearchKitRoute) {
        for step in route.passedOver.sorted() {
            let ways = route.ways(to: step).map { from, condition in
                let parts = [
                    route.passedOver.contains(from) ? "%step\(from)" : nil, condition.map(path),
                ].compactMap { $0 }
                return parts.isEmpty ? "true" : "(" + parts.joined(separator: " and ") + ")"
            }
            var variable = Self.expression(ways.isEmpty ? "false" : ways.joined(separator: " or "))
            variable["name"] = JSONValue("step\(step)")
            variables.append(["url": JSONValue(ExtensionURL.variable[0]), "valueExpression": variable])
        }
    }

    private static func expression(_ text: String) -> JSONValue {
        ["language": "text/fhirpath", "expression": JSONValue(text)]
    }

    // MARK: Conditions of items

    /// Shows an item under a condition: by `enableWhen` where that says it, else by an expression.
    private mutating func show(_ item: inout JSONValue, when condition: ResearchKitCondition) {
        let simple = condition.simplified
        for question in simple.questions where find(question) == nil {
            report(
                "A condition asks for “\(question.item)”, which is not asked; it is left out.",
                item["linkId"]?.string
            )
            return
        }
        var parts = [simple]
        var isAny = false
        switch simple {
        case .all(let list): parts = list
        case .any(let list):
            parts = list
            isAny = true
        default: break
        }
        let conditions = parts.compactMap { enableWhen($0) }
        if conditions.count == parts.count {
            item["enableWhen"] = JSONValue(conditions)
            if conditions.count > 1 { item["enableBehavior"] = isAny ? "any" : "all" }
        } else {
            item.addExtension(ExtensionURL.enableWhenExpression, "Expression", Self.expression(path(simple)))
        }
    }

    private func find(_ question: ResearchKitCondition.Question) -> Asked? {
        if let found = asked[question] { return found }
        return question.step == nil ? askedByName[question.item] : nil
    }

    private func enableWhen(_ condition: ResearchKitCondition) -> JSONValue? {
        func made(
            _ question: ResearchKitCondition.Question,
            _ sign: String,
            _ name: String,
            _ answer: JSONValue
        )
            -> JSONValue?
        {
            guard let linkId = find(question)?.linkId else { return nil }
            return ["question": JSONValue(linkId), "operator": JSONValue(sign), "answer\(name)": answer]
        }
        switch condition {
        case .answered(let question): return made(question, "exists", "Boolean", true)
        case .not(.answered(let question)): return made(question, "exists", "Boolean", false)
        case .answer(let question, let sign, let value):
            guard let asked = find(question), let (name, answer) = Self.answer(value, asked) else {
                return nil
            }
            return made(question, sign == "==" ? "=" : sign, name, answer)
        default: return nil
        }
    }

    /// The value as an answer of FHIR, with its type.
    private static func answer(_ value: ResearchKitCondition.Value, _ asked: Asked) -> (String, JSONValue)? {
        switch (value, asked.type) {
        case (.number(let digits), "boolean"): return ("Boolean", JSONValue(digits != "0"))
        case (.number(let digits), "integer"):
            return Int(digits).map { ("Integer", JSONValue($0)) }
        case (.number(let digits), "decimal"): return JSONValue(number: digits).map { ("Decimal", $0) }
        case (.number(let digits), "quantity"):
            guard let number = JSONValue(number: digits) else { return nil }
            var quantity: JSONValue = ["value": number]
            for (from, to) in [("display", "unit"), ("system", "system"), ("code", "code")] {
                if let text = asked.unit?[from] { quantity[to] = text }
            }
            return ("Quantity", quantity)
        case (.text(let text), "choice"), (.text(let text), "open-choice"):
            guard let option = asked.options[text] else { return ("String", JSONValue(text)) }
            return option.kind == .object ? ("Coding", option) : ("String", option)
        case (.number(let digits), "choice"), (.number(let digits), "open-choice"):
            guard let option = asked.options[digits] else { return nil }
            return option.kind == .object ? ("Coding", option) : ("Integer", option)
        case (.text(let text), "string"), (.text(let text), "text"): return ("String", JSONValue(text))
        case (.date(let seconds), "date"):
            return (
                "Date",
                JSONValue(FHIRDateTime(Date(timeIntervalSinceReferenceDate: seconds)).date.description)
            )
        case (.date(let seconds), "dateTime"):
            let moment = FHIRDateTime(Date(timeIntervalSinceReferenceDate: seconds))
            return ("DateTime", JSONValue(moment.description))
        default: return nil
        }
    }

    /// The condition in FHIRPath.
    private func path(_ condition: ResearchKitCondition) -> String {
        switch condition {
        case .all(let parts): return "(" + parts.map(path).joined(separator: " and ") + ")"
        case .any(let parts): return "(" + parts.map(path).joined(separator: " or ") + ")"
        case .not(let part): return "\(path(part)).not()"
        case .answered(let question): return "\(values(question)).exists()"
        case .answer(let question, "!=", let value): return path(.answer(question, "==", value)) + ".not()"
        case .answer(let question, let sign, let value):
            guard let asked = find(question), let (name, answer) = Self.answer(value, asked) else {
                return "false"
            }
            let operation = sign == "==" ? "=" : sign
            let test: String
            switch name {
            case "Coding":
                let parts = ["system", "code"].compactMap { member in
                    answer[member]?.string.map { "\(member) = \(Self.quoted($0))" }
                }
                test = parts.joined(separator: " and ")
            case "Quantity": test = "value \(operation) \(answer["value"]?.text() ?? "0")"
            case "String": test = "$this \(operation) \(Self.quoted(answer.string ?? ""))"
            case "Date": test = "$this \(operation) @\(answer.string ?? "")"
            case "DateTime": test = "$this \(operation) @\(answer.string ?? "")"
            default: test = "$this \(operation) \(answer.text())"
            }
            return "\(values(question)).where(\(test)).exists()"
        }
    }

    private func values(_ question: ResearchKitCondition.Question) -> String {
        let linkId = Self.quoted(find(question)?.linkId ?? question.item)
        return "%resource.repeat(item).where(linkId = \(linkId)).answer.value"
    }

    /// A string of FHIRPath.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "'", with: "\\'")
            + "'"
    }
}

extension JSONValue {
    /// Adds an extension to an element.
    mutating func addExtension(_ url: String, _ type: String, _ value: JSONValue) {
        var list = self["extension"]?.elements.map(Array.init) ?? []
        list.append(["url": JSONValue(url), "value\(type)": value])
        self["extension"] = JSONValue(list)
    }
}
