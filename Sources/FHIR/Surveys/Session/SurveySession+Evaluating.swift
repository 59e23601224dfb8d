import FHIR
import FHIRPathEngine
import OrderedJSON

/// Updates which items are asked, and what is calculated.
extension SurveySession {
    /// How many steps of FHIRPath all expressions together may take for one change or one check. When they
    /// are used up, the remaining expressions are not evaluated.
    static let maximumSteps = 1_000_000
    /// The same, if a record is read: for making a session, which is filled from the record, and for one
    /// change.
    private static let maximumStepsOfRecord = (filling: 20_000_000, change: 5_000_000)

    /// How many steps a change may take, or making the session.
    func stepLimit(isFilling: Bool = false) -> Int {
        guard !context.isEmpty else { return Self.maximumSteps }
        return isFilling ? Self.maximumStepsOfRecord.filling : Self.maximumStepsOfRecord.change
    }

    /// How often expressions that may read anything are evaluated for one change.
    private static let maximumRounds = 6

    /// Makes many changes with the steps of one change. If the steps do not suffice, everything is calculated
    /// once more at the end.
    mutating func together<Result>(_ body: (inout SurveySession) -> Result) -> Result {
        guard !sharesSteps else { return body(&self) }
        steps = stepLimit()
        sharesSteps = true
        let result = body(&self)
        sharesSteps = false
        if steps <= 0 { recalculate() }
        return result
    }

    mutating func run(_ queue: inout EvaluationQueue) {
        if !sharesSteps { steps = stepLimit() }
        queue.begin()
        settle(&queue)
        // Initial values count from the beginning, also for items that are not asked.
        var filled = 0
        while filled < queue.fillIn.count {
            let batch = queue.fillIn[filled...]
            filled = queue.fillIn.count
            for occurrence in batch { fillIn(occurrence, &queue) }
            settle(&queue)
        }
        queue.fillIn = []
    }

    private mutating func settle(_ queue: inout EvaluationQueue) {
        drain(&queue)
        let general = survey.dependencies.readsAnything
        guard !general.isEmpty else { return }
        var rounds = 0
        while queue.hasChanges, rounds < Self.maximumRounds {
            queue.hasChanges = false
            rounds += 1
            for item in general {
                if survey.items[item].enableExpression != nil { updateEnabled(item, &queue) }
                if survey.items[item].calculatedExpression != nil { calculate(item, &queue) }
                drain(&queue)
            }
        }
    }

    /// Finds out what is asked, without changing values.
    mutating func runEnabling(_ queue: inout EvaluationQueue) {
        drain(&queue, calculates: false)
        for item in survey.dependencies.readsAnything where survey.items[item].enableExpression != nil {
            updateEnabled(item, &queue)
        }
        drain(&queue, calculates: false)
    }

    private mutating func drain(_ queue: inout EvaluationQueue, calculates: Bool = true) {
        while let step = queue.pop() {
            switch step {
            case .item(let item, .enabled): updateEnabled(item, &queue)
            case .item(let item, .answers): if calculates { calculate(item, &queue) }
            case .item(let item, .subtree): queue.changed(item, .subtree)
            case .variable(let number):
                variableValues[number] = nil
                queue.changed(variable: number)
            }
        }
    }

    // MARK: Enabling

    private mutating func updateEnabled(_ item: Int, _ queue: inout EvaluationQueue) {
        var isChanged = false
        for node in tree.occurrences[item] {
            let isEnabled = tree[tree[node].parent].isEnabled && conditionsHold(for: node)
            guard tree[node].isEnabled != isEnabled else { continue }
            tree[node].isEnabled = isEnabled
            if survey.items[item].isQuestion {
                for answer in tree[node].children { tree[answer].isEnabled = isEnabled }
            }
            invalidate(node)
            isChanged = true
        }
        if isChanged { queue.changed(item, .enabled) }
    }

    private mutating func conditionsHold(for node: Int) -> Bool {
        let index = tree[node].item
        if !survey.items[index].conditions.isEmpty {
            let any = survey.items[index].isEnabledByAny
            var holds = !any
            for condition in survey.items[index].conditions where self.holds(condition, for: node) == any {
                holds = any
                break
            }
            guard holds else { return false }
        }
        guard let expression = survey.items[index].enableExpression, expression.path != nil else {
            return true
        }
        guard let result = evaluate(expression, at: node) else { return true }
        return result.first?.boolean ?? false
    }

    private func holds(_ condition: EnableCondition, for node: Int) -> Bool {
        guard condition.isSupported, let target = condition.target else { return false }
        let values = values(of: target, for: node)
        switch condition.comparison {
        case .exists: return values.isEmpty != (condition.answer.boolean ?? true)
        case .equals: return values.contains { $0.compared(to: condition.answer) == .equal }
        case .notEquals: return !values.contains { $0.compared(to: condition.answer) == .equal }
        case .greaterThan: return values.contains { $0.compared(to: condition.answer) == .greater }
        case .lessThan: return values.contains { $0.compared(to: condition.answer) == .less }
        case .greaterOrEquals:
            return values.contains { [.greater, .equal].contains($0.compared(to: condition.answer)) }
        case .lessOrEquals:
            return values.contains { [.less, .equal].contains($0.compared(to: condition.answer)) }
        case .other: return false
        }
    }

    /// The answers that a node's condition refers to: those of the nearest occurrence of a question; empty if
    /// that one is not asked.
    private func values(of target: Int, for node: Int) -> [SurveyAnswer] {
        guard let found = nearest(target, to: node) else { return [] }
        let cyclic = survey.dependencies.cyclic
        guard tree[found].isEnabled || (cyclic.contains(target) && cyclic.contains(tree[node].item)) else {
            return []
        }
        if let value = tree[found].value { return [value] }
        if survey.items[target].isQuestion { return tree[found].children.compactMap { tree[$0].value } }
        return hasAnswers(under: found) ? [.boolean(true)] : []
    }

    /// The occurrence of an item that is nearest to a node: what it is under, else the last before it, else
    /// the first behind it (FHIR R4, `enableWhen.question`). Under an answer it is that answer.
    func nearest(_ target: Int, to node: Int) -> Int? {
        let ownItem = tree[node].item
        // The way down to the target, from the last item that both are under.
        var way = [target]
        while let parent = survey.items[way[0]].parent { way.insert(parent, at: 0) }
        var scopes: [Int: Int] = [:]
        var current = node
        while current >= 0 {
            if current != node, scopes[tree[current].item] == nil { scopes[tree[current].item] = current }
            current = tree[current].parent
        }
        if target == ownItem { return node }
        if let ancestor = scopes[target] { return ancestor }
        let common = way.lastIndex { scopes[$0] != nil }
        guard var scope = common.map({ scopes[way[$0]] ?? ResponseTree.root }) ?? ResponseTree.root as Int?
        else { return nil }
        let isBefore = target < ownItem
        for item in way[((common ?? -1) + 1)...] {
            // Under a question the path continues in an answer.
            if survey.parent(of: item) >= 0, survey.items[survey.parent(of: item)].isQuestion,
                !tree.isAnswer(scope)
            {
                guard let answer = isBefore ? tree[scope].children.last : tree[scope].children.first else {
                    return nil
                }
                scope = answer
            }
            let positions = tree.positions(of: item, in: scope)
            guard let position = isBefore ? positions.last : positions.first else { return nil }
            scope = tree[scope].children[position]
        }
        return scope
    }

    /// Whether a question under a node has an answer and is asked.
    func hasAnswers(under node: Int) -> Bool {
        var stack = [node]
        while let current = stack.popLast() {
            guard tree[current].isEnabled else { continue }
            if tree.isAnswer(current) { return true }
            stack += tree[current].children
        }
        return false
    }

    // MARK: Values

    private mutating func calculate(_ item: Int, _ queue: inout EvaluationQueue) {
        guard let expression = survey.items[item].calculatedExpression, expression.path != nil else {
            return queue.changed(item, .answers)
        }
        for node in tree.occurrences[item] where tree[node].isAlive {
            guard let result = evaluate(expression, at: node) else { continue }
            let values = answers(from: result, for: survey.items[item])
            reportUnfitting(result, values, node)
            set(values, of: node, &queue)
        }
    }

    private mutating func fillIn(_ occurrence: ItemOccurrence, _ queue: inout EvaluationQueue) {
        let item = survey.items[occurrence.item]
        guard let node = node(occurrence), tree[node].children.isEmpty else { return }
        var values = item.initial
        var origin: AnswerOrigin?
        if let expression = item.initialExpression, let result = evaluateDuringChanges(expression, at: node),
            !result.isEmpty
        {
            values = answers(from: result, for: item)
            reportUnfitting(result, values, node)
            if readsRecord(expression) { origin = .expression }
        } else if item.observationPeriod != nil, let observed = observed(item) {
            values = observed.answers
            origin = observed.origin
        }
        guard !values.isEmpty, set(values, of: node, &queue) else { return }
        tree[node].origin = origin
    }

    /// Reports an expression whose result is not empty, but has no value that the item can have.
    private mutating func reportUnfitting(_ result: [FHIRPathItem], _ values: [SurveyAnswer], _ node: Int) {
        guard values.isEmpty, result.contains(where: { !$0.text.isEmpty }) else { return }
        report("unfittingResult", "The expression gives no value that the item can have.", node)
    }

    /// The answers that the result of an expression stands for.
    func answers(from result: [FHIRPathItem], for item: SurveyItem) -> [SurveyAnswer] {
        let options: [SurveyOption] =
            if case .listed(let options)? = item.format.options { options } else { [] }
        let answers = result.prefix(1_000).flatMap { Self.values($0, for: item.type) }.compactMap {
            value -> SurveyAnswer? in
            switch item.type {
            case .string, .text: return .string(value.text)
            case .decimal where value.quantity != nil, .integer where value.quantity != nil:
                guard let number = number(of: value.json, for: item) else { return nil }
                return item.answer(for: FHIRPathItem(number).json)
            case .boolean: return value.boolean.map { .boolean($0) }
            case .date: return FHIRDate(text: String(value.text.prefix(10))).map { .date($0) }
            case .decimal:
                guard let decimal = value.decimal, let digits = FHIRDecimal("\(decimal)") else { return nil }
                return .decimal(digits)
            case .openChoice where value.string != nil && value.json.kind == .string:
                return item.answer(for: value.json, options: options) ?? .string(value.text)
            default: return item.answer(for: value.json, options: options)
            }
        }
        .compactMap { $0.isEmpty || !item.accepts($0) ? nil : chosen($0, among: options, item) }
        return item.repeats ? answers : Array(answers.prefix(1))
    }
}

extension SurveySession {
    /// The questionnaire's option that equals a result; `nil` if there is none, and only options are allowed.
    /// A quantity is converted to one of the item's units.
    private func chosen(_ answer: SurveyAnswer, among options: [SurveyOption], _ item: SurveyItem)
        -> SurveyAnswer?
    {
        switch answer {
        case .coding(let coding) where !options.isEmpty && !item.format.hasChangingOptions:
            let candidates = item.format.candidates(options, for: answer)
            if let option = candidates.first(where: { $0.value.equals(answer) }) { return option.value }
            // If one of the two has no system, the code alone decides, provided that only one option has it.
            let alike = candidates.filter { candidate in
                guard case .coding(let other) = candidate.value else { return false }
                return other.code == coding.code && (other.system == nil || coding.system == nil)
            }
            return alike.count == 1 ? alike[0].value : item.format.isOpen ? answer : nil
        case .quantity(let quantity): return self.quantity(quantity, for: item).map { .quantity($0) }
        default: return answer
        }
    }

    /// What a result stands for in an answer of a type: a resource for a reference to it, a concept for its
    /// codings, and an element with parts for its text, where it has one.
    private static func values(_ value: FHIRPathItem, for type: QuestionnaireItemType) -> [FHIRPathItem] {
        let json = value.json
        guard json.kind == .object else { return [value] }
        switch type {
        case .reference:
            return resources(value).map { found in
                guard let type = found.json.resourceType, let id = found.json["id"]?.string else {
                    return found
                }
                return FHIRPathItem(["reference": JSONValue("\(type)/\(id)")], type: "Reference")
            }
        case .choice, .openChoice:
            guard let codings = json["coding"]?.elements else { return [value] }
            return codings.map { FHIRPathItem($0, type: "Coding") }
        case .string, .text:
            guard value.quantity == nil else { return [value] }
            let text =
                json["text"] ?? json["display"] ?? json["coding"]?[0]?["display"] ?? json["code"]
                ?? json["reference"]
            return text.map { [FHIRPathItem($0)] } ?? []
        default: return [value]
        }
    }
}

extension SurveySession {
    /// Forgets the JSON of a node and of all that it is under.
    mutating func invalidate(_ node: Int) {
        var current = node
        while current >= 0 {
            if current < evaluated.count { evaluated[current] = nil }
            current = tree[current].parent
        }
    }
}

extension EnableCondition {
    /// Whether an operator is defined for answers of a type.
    static func isDefined(_ comparison: QuestionnaireEnableOperator, for answer: SurveyAnswer) -> Bool {
        switch (comparison, answer) {
        case (.exists, .boolean): true
        case (.exists, _), (.other, _), (_, .attachment): false
        case (.equals, _), (.notEquals, _): true
        case (_, .boolean), (_, .coding), (_, .reference), (_, .uri): false
        default: true
        }
    }
}
