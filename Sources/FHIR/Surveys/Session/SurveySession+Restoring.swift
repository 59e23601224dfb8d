import FHIR
import OrderedJSON

extension SurveySession {
    /// A session with the answers of a response, of this version of the questionnaire or another. Answers
    /// that fit are kept with everything that the response says about them; the others are in
    /// ``restorationProblems``.
    ///
    /// Initial values are not filled in, and calculated values stay until something that they read changes.
    public init(
        _ survey: Survey,
        restoring response: QuestionnaireResponse,
        context: SurveyContext = SurveyContext()
    ) {
        self.init(empty: survey, context: context)
        header = response
        header.tree["item"] = nil
        if let canonical = survey.canonical, let given = response.questionnaire?.rawValue {
            let own = canonical.split(separator: "|")
            let other = given.split(separator: "|")
            if own.first != other.first {
                restorationProblems.append(SurveyProblem(nil, .wrongQuestionnaire(given), severity: .warning))
            }
            // A response to another version becomes a response to this one.
            if own.first == other.first, other.count == 2, own.count == 2, own[1] != other[1] {
                restorationProblems.append(
                    SurveyProblem(nil, .otherVersion(String(other[1])), severity: .information)
                )
                header.questionnaire = FHIRURI(canonical)
            }
        }
        checkPeriod()
        tree[ResponseTree.root].source = response.tree
        var queue = EvaluationQueue(survey.dependencies)
        build(in: ResponseTree.root, fillsIn: false, &queue)
        var misplaced: [(tree: JSONValue, target: Int)] = []
        restore(response.tree.member("item"), in: ResponseTree.root, &misplaced, &queue)
        for (source, target) in misplaced { moveIn(source, target, &queue) }
        updateEnabled(&queue)
        reportDisabled()
        isChanged = false
    }

    private mutating func restore(
        _ list: JSONValue?,
        in scope: Int,
        _ misplaced: inout [(tree: JSONValue, target: Int)],
        _ queue: inout EvaluationQueue
    ) {
        let siblings = survey.children(under: tree[scope].item)
        let known = Dictionary(firstOf: siblings.map { (survey.items[$0].linkId, $0) })
        makeRepetitions(list, known, in: scope, &queue)
        var used: [Int: Int] = [:]
        var latest = -1
        for source in list?.elements ?? [] {
            let linkId = source.member("linkId")?.string ?? ""
            guard let index = known[linkId] else {
                if let elsewhere = survey.indices[linkId] {
                    misplaced.append((source, elsewhere))
                } else {
                    restorationProblems.append(SurveyProblem(linkId, .unknownItem))
                }
                continue
            }
            let item = survey.items[index]
            if index < latest, isReordered.insert(scope).inserted {
                restorationProblems.append(SurveyProblem(linkId, .outOfOrder, severity: .warning))
            }
            latest = max(latest, index)
            let count = used[index, default: 0]
            used[index] = count + 1
            let positions = tree.positions(of: index, in: scope)
            if count > 0, !item.isGroup { restorationProblems.append(SurveyProblem(linkId, .repeatedItem)) }
            guard count < positions.count || !item.isGroup else {
                reportTooLarge()
                continue
            }
            restore(
                source,
                into: tree[scope].children[positions.lowerBound + (item.isGroup ? count : 0)],
                &misplaced,
                &queue
            )
        }
    }

    /// Makes as many occurrences of groups as a list has items of them.
    private mutating func makeRepetitions(
        _ list: JSONValue?,
        _ known: [String: Int],
        in scope: Int,
        _ queue: inout EvaluationQueue
    ) {
        var counts: [Int: Int] = [:]
        for source in list?.elements ?? [] {
            if let index = source.member("linkId")?.string.flatMap({ known[$0] }), survey.items[index].isGroup
            {
                counts[index, default: 0] += 1
            }
        }
        for (index, count) in counts.sorted(by: { $0.key < $1.key }) where count > 1 {
            let room = max(0, Self.maximumNodes - tree.count) / survey.subtreeSizes[index]
            let end = tree.positions(of: index, in: scope).upperBound
            for new in tree.insert(repetitions: min(count - 1, room), of: index, in: scope, at: end) {
                begin(new, fillsIn: false, &queue)
            }
        }
    }

    private mutating func reportTooLarge() {
        if restorationProblems.last?.reason != .responseTooLarge {
            restorationProblems.append(SurveyProblem(nil, .responseTooLarge))
        }
    }

    private mutating func restore(
        _ source: JSONValue,
        into node: Int,
        _ misplaced: inout [(tree: JSONValue, target: Int)],
        _ queue: inout EvaluationQueue
    ) {
        let item = survey.items[tree[node].item]
        tree[node].source = source
        guard item.isQuestion else {
            if source.member("answer") != nil { restorationProblems.append(problem(node, .groupAnswered)) }
            if item.isGroup { restore(source.member("item"), in: node, &misplaced, &queue) }
            return
        }
        if source.member("item") != nil {
            // What is under a question is under its answers.
            restorationProblems.append(problem(node, .itemsBesideAnswers))
        }
        for answer in source.elements(of: "answer") {
            guard tree.count + survey.subtreeSizes[item.index] <= Self.maximumNodes else {
                return reportTooLarge()
            }
            guard let member = answer.valueMember,
                let value = SurveyAnswer(String(member.name.dropFirst(5)), member.value),
                !value.isEmpty
            else {
                restorationProblems.append(problem(node, .emptyAnswer))
                continue
            }
            guard item.accepts(value) else {
                restorationProblems.append(
                    problem(node, .wrongType(expected: item.type.code, found: value.typeSuffix))
                )
                continue
            }
            if item.converts(value) {
                restorationProblems.append(
                    problem(node, .wrongType(expected: item.type.code, found: value.typeSuffix))
                )
            }
            let new = addAnswer(value, to: node, fillsIn: false, &queue)
            tree[new].source = answer
            restore(answer.member("item"), in: new, &misplaced, &queue)
        }
    }

    /// Restores an item that is under another now, where there is one occurrence of it that has no answers
    /// yet.
    private mutating func moveIn(_ source: JSONValue, _ target: Int, _ queue: inout EvaluationQueue) {
        let linkId = survey.items[target].linkId
        guard survey.items[target].isQuestion, tree.occurrences[target].count == 1,
            let node = tree.occurrences[target].first, tree[node].children.isEmpty
        else {
            restorationProblems.append(SurveyProblem(linkId, .misplaced(isKept: false)))
            return
        }
        restorationProblems.append(SurveyProblem(linkId, .misplaced(isKept: true)))
        var misplaced: [(tree: JSONValue, target: Int)] = []
        restore(source, into: node, &misplaced, &queue)
        for (source, _) in misplaced {
            restorationProblems.append(
                SurveyProblem(source.member("linkId")?.string, .misplaced(isKept: false))
            )
        }
    }

    /// Finds out which items are asked, and leaves values as they are.
    private mutating func updateEnabled(_ queue: inout EvaluationQueue) {
        steps = Self.maximumSteps
        runEnabling(&queue)
    }

    private mutating func reportDisabled() {
        var stack = Array(tree[ResponseTree.root].children.reversed())
        while let node = stack.popLast() {
            if !tree[node].isEnabled, !tree.isAnswer(node) {
                let item = survey.items[tree[node].item]
                let hasContent =
                    tree[node].source.map { $0.member("answer") != nil || $0.member("item") != nil } ?? false
                if hasContent {
                    restorationProblems.append(
                        SurveyProblem(
                            item.linkId,
                            .notAsked,
                            occurrence: occurrence(node),
                            path: pathText(of: node)
                        )
                    )
                    continue
                }
            }
            stack += tree[node].children.reversed()
        }
    }
}
