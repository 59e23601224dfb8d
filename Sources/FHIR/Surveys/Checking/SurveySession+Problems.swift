import FHIR

extension SurveySession {
    /// The problems that keep the response from being complete: unanswered questions that are required, and
    /// answers that break rules. In document order.
    public func problems() -> [SurveyProblem] {
        var session = self
        session.steps = stepLimit()
        return subjectProblems + session.check(from: ResponseTree.root)
            + session.checkRules(of: ResponseTree.root, survey.constraints)
    }

    /// The problems of an occurrence and of everything under it.
    public func problems(of occurrence: ItemOccurrence) -> [SurveyProblem] { problems(of: [occurrence]) }

    /// The problems of occurrences and of everything under them.
    public func problems(of occurrences: [ItemOccurrence]) -> [SurveyProblem] {
        var session = self
        session.steps = stepLimit()
        return occurrences.flatMap { occurrence in node(occurrence).map { session.check(from: $0) } ?? [] }
    }

    /// The problems on the current page.
    public var pageProblems: [SurveyProblem] {
        let pages = pages
        return pages.indices.contains(pageIndex) ? problems(of: pages[pageIndex].occurrences) : []
    }

    /// Where a node is, for people who know the questionnaire.
    func pathText(of node: Int) -> String {
        var parts: [String] = []
        var current = node
        while tree[current].parent >= 0 {
            let parent = tree[current].parent
            if !tree.isAnswer(current) {
                let item = survey.items[tree[current].item]
                parts.append(
                    item.isGroup && item.repeats
                        ? "\(item.linkId)[\(tree.repetition(of: current).number)]" : item.linkId
                )
            } else if tree[parent].children.count > 1, current != node {
                parts.append("(\(tree[parent].children.firstIndex(of: current) ?? 0))")
            }
            current = parent
        }
        return parts.reversed().joined(separator: "/")
    }

    /// Whether the questionnaire is for the subject of the response.
    private var subjectProblems: [SurveyProblem] {
        guard !survey.subjectTypes.isEmpty, let subject = header.subject,
            let type = subject.target?.type ?? subject.type?.rawValue,
            !survey.subjectTypes.contains(type)
        else { return [] }
        return [SurveyProblem(nil, .subjectType(allowed: survey.subjectTypes, found: type))]
    }

    // MARK: Walking

    private mutating func check(from start: Int) -> [SurveyProblem] {
        var problems: [SurveyProblem] = []
        var stack = [start]
        while let node = stack.popLast() {
            guard tree[node].isEnabled else { continue }
            if node != ResponseTree.root, !tree.isAnswer(node) {
                let item = survey.items[tree[node].item]
                problems += checkOccurs(of: node)
                // A repetition that nobody has begun is not there.
                if item.isGroup, item.repeats, !item.isRequired, !hasAnswers(under: node) { continue }
                problems += checkNode(node, item)
            }
            stack += tree[node].children.reversed()
        }
        return problems
    }

    /// Checks how often an item occurs, which is reported at its first occurrence.
    private mutating func checkOccurs(of node: Int) -> [SurveyProblem] {
        let item = survey.items[tree[node].item]
        guard tree[node].isEnabled else { return [] }
        var count: Int
        if item.isGroup {
            let positions = tree.positions(of: item.index, in: tree[node].parent)
            guard tree[tree[node].parent].children[positions.lowerBound] == node else { return [] }
            count = tree[tree[node].parent].children[positions].count { hasAnswers(under: $0) }
        } else {
            count = tree[node].children.count
        }
        guard !item.isDisplay else { return [] }
        if count == 0, item.isHidden { return [] }
        if count == 0, item.isRequired { return [problem(node, .required)] }
        if let minimum = item.minOccurs, count < minimum {
            return [problem(node, .tooFew(minimum: minimum, isGroup: item.isGroup))]
        }
        let maximum = item.repeats ? item.maxOccurs : 1
        if let maximum, count > maximum {
            return [problem(node, .tooMany(maximum: maximum, isGroup: item.isGroup))]
        }
        return []
    }

    private mutating func checkNode(_ node: Int, _ item: SurveyItem) -> [SurveyProblem] {
        var problems: [SurveyProblem] = []
        if item.isQuestion, !tree[node].children.isEmpty {
            var checker = AnswerChecker(item: item)
            checker.options = item.format.options == nil ? nil : currentOptions(of: node, item)
            checker.minimum = bound(item.format.minimum, item, node, &problems)
            checker.maximum = bound(item.format.maximum, item, node, &problems)
            for answer in tree[node].children {
                guard let value = tree[answer].value else { continue }
                problems += checker.reasons(against: value).map { problem(node, $0) }
            }
            if tree[node].children.count > 1, let options = checker.options,
                tree[node].children.contains(where: { answer in
                    item.format.candidates(options, for: tree[answer].value).contains {
                        $0.isExclusive && tree[answer].value?.equals($0.value) ?? false
                    }
                })
            {
                problems.append(problem(node, .exclusiveOption))
            }
        }
        return problems + checkRules(of: node, item.constraints)
    }

    private mutating func bound(
        _ bound: AnswerBound?,
        _ item: SurveyItem,
        _ node: Int,
        _ problems: inout [SurveyProblem]
    ) -> SurveyAnswer? {
        switch bound {
        case .value(let value)?: return value
        case .expression(let expression)?:
            guard let results = evaluate(expression, at: node) else {
                problems += notEvaluated(expression, node)
                return nil
            }
            guard let result = results.first else { return nil }
            // What the item takes; of a date time also a date.
            return item.answer(for: result.json)
                ?? FHIRDateTime(text: result.text).map { .dateTime($0) }
                ?? FHIRDate(text: result.text).map { .date($0) }
        case nil: return nil
        }
    }

    /// Constraints of an item that has no answers hold: there is nothing that could break them.
    private mutating func checkRules(of node: Int, _ constraints: [SurveyConstraint]) -> [SurveyProblem] {
        guard !constraints.isEmpty, hasAnswers(under: node) else { return [] }
        return constraints.flatMap { constraint -> [SurveyProblem] in
            guard let result = evaluate(constraint.expression, at: node) else {
                return notEvaluated(constraint.expression, node)
            }
            // An empty result does not say that the rule is broken.
            guard result.count == 1, result[0].boolean == false else { return [] }
            let reason = SurveyProblem.Reason.constraint(key: constraint.key, text: constraint.human)
            return [problem(node, reason, severity: constraint.isError ? .error : .warning)]
        }
    }

    /// What cannot be read is a diagnostic of the questionnaire; what fails when it is evaluated is reported
    /// with the answer.
    private func notEvaluated(_ expression: SurveyExpression, _ node: Int) -> [SurveyProblem] {
        expression.path == nil ? [] : [problem(node, .notEvaluated, severity: .warning)]
    }

    func problem(
        _ node: Int,
        _ reason: SurveyProblem.Reason,
        severity: SurveyProblem.Severity = .error
    ) -> SurveyProblem {
        guard node != ResponseTree.root else { return SurveyProblem(nil, reason, severity: severity) }
        return SurveyProblem(
            survey.items[tree[node].item].linkId,
            reason,
            severity: severity,
            occurrence: occurrence(node),
            path: pathText(of: node)
        )
    }
}
