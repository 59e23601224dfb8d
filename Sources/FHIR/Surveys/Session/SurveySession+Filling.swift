import FHIR
import OrderedJSON

extension SurveySession {
    /// Answers from JSON: an object from linkIds to values, each what FHIR holds, or an array of them.
    ///
    /// ```json
    /// {"name": "Ada", "smoker": true, "colours": ["red", "blue"],
    ///  "visits": [{"weight": 74.8}, {"weight": 75.2}]}
    /// ```
    /// A code alone is enough where it is unambiguous among the options. The value of a group is an object of
    /// its items; the value of a repeating group is an array of objects. For a question that does not repeat
    /// in a group that does, each value goes to one repetition. `null` clears.
    ///
    /// - Returns: The values that do not fit, and were left out.
    public mutating func fill(with answers: JSONValue) -> [SurveyProblem] {
        together { session in
            var problems: [SurveyProblem] = []
            var queue = EvaluationQueue(session.survey.dependencies)
            session.deferredAnswers = []
            session.fill(answers, in: ResponseTree.root, linkId: nil, &queue, &problems)
            session.run(&queue)
            return problems + session.fillDeferred(&queue)
        }
    }

    private mutating func fill(
        _ object: JSONValue,
        in scope: Int,
        linkId: String?,
        _ queue: inout EvaluationQueue,
        _ problems: inout [SurveyProblem]
    ) {
        guard let members = object.members else {
            problems.append(SurveyProblem(linkId, .wrongType(expected: "object", found: "\(object.kind)")))
            return
        }
        var values: [(item: Int, value: JSONValue)] = []
        for member in members {
            let name = member.name
            guard let index = survey.indices[name], isUnder(index, scope) else {
                problems.append(
                    SurveyProblem(
                        name,
                        survey.indices[name] == nil ? .unknownItem : .misplaced(isKept: false)
                    )
                )
                continue
            }
            values.append((index, member.value))
        }
        // In the order of the questionnaire: what is under an answer is there when that is given.
        for (index, value) in values.sorted(by: { $0.item < $1.item }) {
            let elements = value.elements.map(Array.init) ?? [value]
            if survey.items[index].isGroup {
                fillGroup(index, elements, scope, &queue, &problems)
            } else {
                fillQuestion(index, elements, scope, &queue, &problems)
            }
        }
    }

    private func isUnder(_ item: Int, _ scope: Int) -> Bool {
        guard scope != ResponseTree.root else { return true }
        var current: Int? = survey.items[item].parent
        while let index = current {
            if index == tree[scope].item { return true }
            current = survey.items[index].parent
        }
        return false
    }

    private mutating func fillGroup(
        _ index: Int,
        _ elements: [JSONValue],
        _ scope: Int,
        _ queue: inout EvaluationQueue,
        _ problems: inout [SurveyProblem]
    ) {
        let found = nodes(elements.count, of: index, in: scope, &queue)
        if found.count < elements.count {
            problems.append(
                SurveyProblem(survey.items[index].linkId, .tooMany(maximum: found.count, isGroup: true))
            )
        }
        for (element, node) in zip(elements, found) {
            fill(element, in: node, linkId: survey.items[index].linkId, &queue, &problems)
        }
    }

    private mutating func fillQuestion(
        _ index: Int,
        _ elements: [JSONValue],
        _ scope: Int,
        _ queue: inout EvaluationQueue,
        _ problems: inout [SurveyProblem]
    ) {
        let item = survey.items[index]
        let isDistributed =
            elements.contains { $0.kind == .array }
            || (!item.repeats && elements.count > 1
                && (isRepeated(item) || nodes(of: index, in: scope).count > 1))
        let lists = isDistributed ? elements.map { $0.elements.map(Array.init) ?? [$0] } : [elements]
        let found = nodes(lists.count, of: index, in: scope, &queue)
        if found.count < lists.count {
            let isThere = !found.isEmpty || !tree.occurrences[index].isEmpty
            problems.append(
                SurveyProblem(
                    item.linkId,
                    isThere ? .tooMany(maximum: found.count, isGroup: false) : .notAsked
                )
            )
        }
        for (list, node) in zip(lists, found) { fill(list, node, item, &queue, &problems) }
    }

    /// Repeats answers that were not among the options before later items were answered, as long as that
    /// helps.
    private mutating func fillDeferred(_ queue: inout EvaluationQueue) -> [SurveyProblem] {
        var problems: [SurveyProblem] = []
        while !deferredAnswers.isEmpty {
            let waiting = deferredAnswers
            deferredAnswers = []
            for (occurrence, list) in waiting {
                let item = survey.items[occurrence.item]
                guard let node = node(occurrence) else {
                    problems.append(SurveyProblem(item.linkId, .notAsked))
                    continue
                }
                fill(list, node, item, &queue, &problems)
            }
            run(&queue)
            guard deferredAnswers.count < waiting.count else { break }
        }
        problems += deferredAnswers.map {
            SurveyProblem(survey.items[$0.occurrence.item].linkId, .notAnOption)
        }
        deferredAnswers = []
        return problems
    }

    private mutating func fill(
        _ list: [JSONValue],
        _ node: Int,
        _ item: SurveyItem,
        _ queue: inout EvaluationQueue,
        _ problems: inout [SurveyProblem]
    ) {
        // What expressions offer depends on what was answered before, and what is cleared must be filled in
        // before.
        if item.format.hasChangingOptions || list.allSatisfy(\.isNull) { run(&queue) }
        let options = options(of: occurrence(node))
        var answers: [SurveyAnswer] = []
        for json in list where !json.isNull {
            if let answer = item.answer(for: json, options: options), item.accepts(answer) {
                if !answer.isEmpty { answers.append(answer) }
            } else {
                let isChoice = !options.isEmpty && (json.kind == .string || json.kind == .number)
                if item.format.hasChangingOptions {
                    let isWaiting = deferredAnswers.last?.occurrence == occurrence(node)
                    if !isWaiting { deferredAnswers.append((occurrence(node), list)) }
                    continue
                }
                problems.append(
                    SurveyProblem(
                        item.linkId,
                        isChoice ? .notAnOption : .wrongType(expected: item.type.code, found: "\(json.kind)")
                    )
                )
            }
        }
        guard item.isQuestion, tree.count + answers.count <= Self.maximumNodes else {
            return problems.append(
                SurveyProblem(item.linkId, item.isQuestion ? .responseTooLarge : .groupAnswered)
            )
        }
        if set(answers, of: node, &queue) {
            forgetOrigin(of: node)
            isChanged = true
        }
    }

    /// Whether an item is in a repeating group.
    private func isRepeated(_ item: SurveyItem) -> Bool { repeatingGroup(of: item.index) != nil }

    private func repeatingGroup(of index: Int) -> Int? {
        var current =
            survey.items[index].isGroup && survey.items[index].repeats ? index : survey.items[index].parent
        while let group = current {
            if survey.items[group].isGroup, survey.items[group].repeats { return group }
            current = survey.items[group].parent
        }
        return nil
    }

    /// The given number of occurrences of an item in a scope, or as many as are allowed; missing repetitions
    /// are added.
    private mutating func nodes(_ count: Int, of index: Int, in scope: Int, _ queue: inout EvaluationQueue)
        -> [Int]
    {
        var found = nodes(of: index, in: scope)
        while found.count < count {
            guard let group = repeatingGroup(of: index), isUnder(group, scope),
                let last = nodes(of: group, in: scope).last,
                addRepetitions(count - found.count, after: last, &queue) > 0
            else { break }
            run(&queue)
            let now = nodes(of: index, in: scope)
            guard now.count > found.count else { break }
            found = now
        }
        return Array(found.prefix(count))
    }
}
