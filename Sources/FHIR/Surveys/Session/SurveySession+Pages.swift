import FHIR

/// Items that are shown together.
public struct SurveyPage: Sendable {
    /// The text of the group that is the page, or of the only group on it.
    public let title: SurveyText?
    /// The occurrences on the page; those under them belong to it.
    public let occurrences: [ItemOccurrence]
}

/// What a renderer shows of an item.
public struct VisibleItem: Sendable {
    /// Where the item is in the session.
    public let occurrence: ItemOccurrence
    public let item: SurveyItem
    /// How many items enclose it on its page.
    public let depth: Int
    public let answers: [SurveyAnswer]
    /// The index of the repetition of a repeating group, from 0.
    public let repetition: Int
    /// The number of repetitions of the group.
    public let repetitions: Int
}

/// How many of the questions that are asked are answered.
public struct SurveyProgress: Sendable, Hashable {
    /// Questions that are asked and can be answered.
    public let questions: Int
    /// Those of ``questions`` that have an answer.
    public let answered: Int
    /// Those of ``questions`` that must be answered.
    public let required: Int
    /// Those of ``required`` that have an answer.
    public let requiredAnswered: Int
    /// From 0 to 1; 1 where nothing is asked.
    public var fraction: Double { questions == 0 ? 1 : Double(answered) / Double(questions) }
}

extension SurveySession {
    // MARK: Pages

    /// The pages with visible items. Groups marked as pages or tabs are pages; without such groups, each
    /// top-level group is. Items beside these groups have pages of their own.
    public var pages: [SurveyPage] {
        var pages: [SurveyPage] = []
        var rest: [Int] = []
        func close() {
            let shown = rest.filter(isShown)
            if !shown.isEmpty {
                pages.append(SurveyPage(title: nil, occurrences: shown.map(occurrence)))
            }
            rest = []
        }
        let hasPages = survey.items.contains(where: \.isPage)
        func add(_ nodes: [Int]) {
            for node in nodes {
                let item = survey.items[tree[node].item]
                if item.isPage || (!hasPages && item.isGroup && !item.repeats) {
                    close()
                    if isShown(node) {
                        pages.append(SurveyPage(title: item.text, occurrences: [occurrence(node)]))
                    }
                } else if item.isGroup, !item.repeats,
                    item.children.contains(where: { survey.items[$0].isPage })
                {
                    close()
                    if tree[node].isEnabled, !item.isHidden { add(tree[node].children) }
                } else {
                    rest.append(node)
                }
            }
        }
        add(tree[ResponseTree.root].children)
        close()
        return pages
    }

    /// The current page; nil where there is nothing to show.
    public var page: SurveyPage? {
        let pages = pages
        return pages.isEmpty ? nil : pages[min(pageIndex, pages.count - 1)]
    }

    /// Whether the current page is the last.
    public var isOnLastPage: Bool { pageIndex >= pages.count - 1 }

    /// Goes to the next page, if there is one. Problems on this one do not prevent that; check
    /// ``pageProblems`` before.
    public mutating func next() { pageIndex = max(0, min(pageIndex + 1, pages.count - 1)) }

    /// Goes to the page before, if there is one.
    public mutating func back() { pageIndex = max(0, min(pageIndex, pages.count) - 1) }

    /// Goes to a page.
    public mutating func go(to page: Int) { pageIndex = max(0, min(page, pages.count - 1)) }

    // MARK: Items

    /// The items that the current page shows, in order: those that are asked and not hidden, without help
    /// texts of other items.
    public var visibleItems: [VisibleItem] { page.map { visibleItems(on: $0) } ?? [] }

    /// What a page shows, in order.
    public func visibleItems(on page: SurveyPage) -> [VisibleItem] {
        var result: [VisibleItem] = []
        var stack = page.occurrences.reversed().map { ($0.node, 0) }
        while let (node, depth) = stack.popLast() {
            if tree.isAnswer(node) {
                stack += tree[node].children.reversed().map { ($0, depth) }
                continue
            }
            let item = survey.items[tree[node].item]
            guard tree[node].isEnabled, !item.isHidden, !item.isHelp else { continue }
            let repetition = tree.repetition(of: node)
            result.append(
                VisibleItem(
                    occurrence: occurrence(node),
                    item: item,
                    depth: depth,
                    answers: item.isQuestion ? tree[node].children.compactMap { tree[$0].value } : [],
                    repetition: repetition.number,
                    repetitions: repetition.count
                )
            )
            stack += tree[node].children.reversed().map { ($0, depth + 1) }
        }
        return result
    }

    /// Whether an occurrence is shown; for a group, whether anything in it is.
    private func isShown(_ node: Int) -> Bool {
        var stack = [node]
        while let current = stack.popLast() {
            if tree.isAnswer(current) { continue }
            let item = survey.items[tree[current].item]
            guard tree[current].isEnabled, !item.isHidden, !item.isHelp else { continue }
            if !item.isGroup { return true }
            stack += tree[current].children
        }
        return false
    }

    // MARK: Progress

    /// How many of the questions that are asked are answered.
    public var progress: SurveyProgress {
        var questions = 0
        var answered = 0
        var required = 0
        var requiredAnswered = 0
        var stack = tree[ResponseTree.root].children
        while let node = stack.popLast() {
            guard tree[node].isEnabled else { continue }
            stack += tree[node].children
            guard !tree.isAnswer(node) else { continue }
            let item = survey.items[tree[node].item]
            if item.isHidden {
                // What is under a hidden item is hidden too.
                stack.removeLast(tree[node].children.count)
                continue
            }
            guard item.isQuestion, !item.isReadOnly else { continue }
            let hasAnswer = !tree[node].children.isEmpty
            questions += 1
            if hasAnswer { answered += 1 }
            if item.isRequired {
                required += 1
                if hasAnswer { requiredAnswered += 1 }
            }
        }
        return SurveyProgress(
            questions: questions,
            answered: answered,
            required: required,
            requiredAnswered: requiredAnswered
        )
    }
}
