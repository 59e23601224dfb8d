import FHIR
import OrderedJSON

extension SurveySession {
    /// The most items and answers of a response.
    public static let maximumNodes = 200_000

    // MARK: Answering

    /// Answers the first occurrence of a question; without values clears it.
    ///
    /// - Throws: ``SurveySessionError``. Values that break a rule of the questionnaire are taken, and
    ///   ``problems()`` reports them.
    public mutating func answer(_ linkId: String, with values: SurveyAnswer...) throws(SurveySessionError) {
        try answer(linkId, with: values)
    }

    /// Answers the first occurrence of a question; without values clears it.
    ///
    /// - Throws: ``SurveySessionError``. Values that break a rule of the questionnaire are taken, and
    ///   ``problems()`` reports them.
    public mutating func answer(_ linkId: String, with values: [SurveyAnswer]) throws(SurveySessionError) {
        guard let occurrence = occurrences(of: linkId).first else { throw .noSuchItem(linkId: linkId) }
        try answer(occurrence, with: values)
    }

    /// Answers an occurrence of a question; without values clears it. What was answered under an answer that
    /// stays is kept.
    ///
    /// - Throws: ``SurveySessionError``.
    public mutating func answer(_ occurrence: ItemOccurrence, with values: SurveyAnswer...)
        throws(SurveySessionError)
    {
        try answer(occurrence, with: values)
    }

    /// Answers an occurrence of a question; without values clears it. What was answered under an answer that
    /// stays is kept.
    ///
    /// - Throws: ``SurveySessionError``.
    public mutating func answer(_ occurrence: ItemOccurrence, with values: [SurveyAnswer])
        throws(SurveySessionError)
    {
        let (item, node) = try known(occurrence)
        guard item.isQuestion, values.allSatisfy(item.accepts) else {
            throw .wrongType(linkId: item.linkId, type: item.type.code)
        }
        guard tree.count + values.count <= Self.maximumNodes else { throw .tooLarge }
        var queue = EvaluationQueue(survey.dependencies)
        guard set(values.filter { !$0.isEmpty }, of: node, &queue) else { return }
        forgetOrigin(of: node)
        isChanged = true
        run(&queue)
    }

    /// Notes that a person changed the answers: nothing filled them in.
    mutating func forgetOrigin(of node: Int) {
        tree[node].origin = nil
        guard let source = tree[node].source, let extensions = source.member("extension")?.elements else {
            return
        }
        let others = extensions.filter { $0.member("url")?.string != ExtensionURL.responseAuthor }
        guard others.count < extensions.count else { return }
        tree[node].source?["extension"] = others.isEmpty ? nil : JSONValue(Array(others))
    }

    /// Takes all answers of an occurrence away; of a group those of everything under it. What is calculated
    /// is calculated again.
    public mutating func clear(_ occurrence: ItemOccurrence) {
        guard let start = node(occurrence) else { return }
        var queue = EvaluationQueue(survey.dependencies)
        var stack = [start]
        while let node = stack.popLast() {
            let item = tree[node].item
            if item >= 0, survey.items[item].isQuestion, !tree.isAnswer(node) {
                if set([], of: node, &queue) {
                    forgetOrigin(of: node)
                    isChanged = true
                    if survey.items[item].calculatedExpression != nil { queue.push(item, .answers) }
                }
            } else {
                stack += tree[node].children
            }
        }
        run(&queue)
    }

    /// Chooses an option, or unchooses it. Where the question does not repeat, it replaces the chosen option.
    /// An exclusive option and the others exclude each other.
    ///
    /// - Throws: ``SurveySessionError``.
    public mutating func toggle(_ option: SurveyOption, of occurrence: ItemOccurrence)
        throws(SurveySessionError)
    {
        let item = survey.items[occurrence.item]
        var chosen = answers(of: occurrence)
        if let index = chosen.firstIndex(where: { $0.equals(option.value) }) {
            chosen.remove(at: index)
        } else if item.repeats, !option.isExclusive {
            let exclusive = options(of: occurrence).filter(\.isExclusive).map(\.value)
            chosen.removeAll { answer in exclusive.contains { $0.equals(answer) } }
            chosen.append(option.value)
        } else {
            chosen = [option.value]
        }
        try answer(occurrence, with: chosen)
    }

    // MARK: Repetitions

    /// Whether one more repetition of a group may be added.
    public func canAddRepetition(of occurrence: ItemOccurrence) -> Bool {
        let item = survey.items[occurrence.item]
        guard let node = node(occurrence), item.isGroup, item.repeats else { return false }
        return tree.positions(of: item.index, in: tree[node].parent).count < item.maxOccurs ?? Int.max
    }

    /// Adds an empty repetition of a group behind one.
    ///
    /// - Throws: ``SurveySessionError``.
    @discardableResult
    public mutating func addRepetition(after occurrence: ItemOccurrence) throws(SurveySessionError)
        -> ItemOccurrence
    {
        let (item, node) = try known(occurrence)
        guard canAddRepetition(of: occurrence) else { throw .cannotRepeat(linkId: item.linkId) }
        var queue = EvaluationQueue(survey.dependencies)
        guard addRepetitions(1, after: node, &queue) == 1 else { throw .tooLarge }
        run(&queue)
        let first = tree.positions(of: item.index, in: tree[node].parent).lowerBound
        return self.occurrence(tree[tree[node].parent].children[first + tree.repetition(of: node).number + 1])
    }

    /// Adds empty repetitions of a group behind one, as many as there may be.
    ///
    /// - Returns: how many were added.
    mutating func addRepetitions(_ count: Int, after node: Int, _ queue: inout EvaluationQueue) -> Int {
        let item = survey.items[tree[node].item]
        let parent = tree[node].parent
        guard item.isGroup, item.repeats else { return 0 }
        let room = (Self.maximumNodes - tree.count) / max(1, survey.subtreeSizes[item.index])
        let count = min(
            count,
            room,
            (item.maxOccurs ?? Int.max) - tree.positions(of: item.index, in: parent).count
        )
        guard count > 0 else { return 0 }
        let position =
            tree.positions(of: item.index, in: parent).lowerBound + tree.repetition(of: node).number + 1
        for new in tree.insert(repetitions: count, of: item.index, in: parent, at: position) {
            begin(new, fillsIn: true, &queue)
        }
        isChanged = true
        return count
    }

    private func known(_ occurrence: ItemOccurrence) throws(SurveySessionError) -> (SurveyItem, node: Int) {
        let item = survey.items[occurrence.item]
        guard let node = node(occurrence) else { throw .noSuchItem(linkId: item.linkId) }
        return (item, node)
    }

    /// Removes a repetition of a group; the last one is only cleared.
    ///
    /// - Throws: ``SurveySessionError``.
    public mutating func removeRepetition(_ occurrence: ItemOccurrence) throws(SurveySessionError) {
        let (item, node) = try known(occurrence)
        guard item.isGroup, item.repeats else { throw .cannotRepeat(linkId: item.linkId) }
        guard tree.positions(of: item.index, in: tree[node].parent).count > 1 else {
            return clear(occurrence)
        }
        var queue = EvaluationQueue(survey.dependencies)
        noteChange(under: item.index, &queue)
        invalidate(tree[node].parent)
        tree.remove(node)
        // Occurrences that were removed have no values.
        variableValues = [:]
        isChanged = true
        run(&queue)
    }

    // MARK: The tree

    /// Adds the occurrences of the items under a node.
    ///
    /// - Parameter fillsIn: Whether questions get their initial values.
    mutating func build(in node: Int, fillsIn: Bool, _ queue: inout EvaluationQueue) {
        for child in survey.children(under: tree[node].item) {
            addOccurrence(of: child, in: node, at: tree[node].children.count, fillsIn: fillsIn, &queue)
        }
    }

    mutating func addOccurrence(
        of item: Int,
        in parent: Int,
        at position: Int,
        fillsIn: Bool,
        _ queue: inout EvaluationQueue
    ) {
        let node = tree.insert(ResponseTree.Node(item: item, parent: parent), at: position)
        let isPopulated = fillsIn && survey.items[item].populationContext != nil
        let repetitions = isPopulated ? populate(node) : []
        begin(node, fillsIn: fillsIn, &queue)
        for repetition in repetitions { begin(repetition, fillsIn: fillsIn, &queue) }
    }

    /// Makes the nodes under a new occurrence, and queues their evaluation.
    mutating func begin(_ node: Int, fillsIn: Bool, _ queue: inout EvaluationQueue) {
        let item = tree[node].item
        invalidate(node)
        queue.push(item, .enabled)
        queue.changed(item, .answers)
        if survey.items[item].isGroup { build(in: node, fillsIn: fillsIn, &queue) }
        if survey.items[item].isQuestion {
            if survey.items[item].calculatedExpression != nil { queue.push(item, .answers) }
            if fillsIn { queue.fillIn.append(occurrence(node)) }
        }
    }

    /// Sets the answers of a question.
    ///
    /// - Returns: whether the answers have changed.
    @discardableResult
    mutating func set(_ values: [SurveyAnswer], of node: Int, _ queue: inout EvaluationQueue) -> Bool {
        let item = tree[node].item
        let old = tree[node].children
        if old.count == values.count, zip(old, values).allSatisfy({ tree[$0].value == $1 }) { return false }
        if old.count == 1, values.count == 1 {
            // What is under the answer stays.
            tree[old[0]].value = values[0]
            if let source = tree[old[0]].source { tree[old[0]].source = source.withoutAnswer }
        } else {
            replace(old, with: values, of: node, &queue)
        }
        invalidate(node)
        queue.changed(item, .answers)
        return true
    }

    private mutating func replace(
        _ old: [Int],
        with values: [SurveyAnswer],
        of node: Int,
        _ queue: inout EvaluationQueue
    ) {
        var unused: [SurveyAnswer: [Int]] = [:]
        for answer in old.reversed() {
            if let value = tree[answer].value { unused[value, default: []].append(answer) }
        }
        let kept = values.map { unused[$0]?.popLast() }
        let item = tree[node].item
        let isAnyUnused = unused.contains { !$0.value.isEmpty }
        if isAnyUnused || kept.contains(nil), !survey.items[item].children.isEmpty {
            noteChange(under: item, &queue)
        }
        tree[node].children = []
        for answer in unused.values.joined() { tree.remove(answer) }
        var order: [Int] = []
        for (value, answer) in zip(values, kept) {
            order.append(answer ?? addAnswer(value, to: node, fillsIn: true, &queue))
        }
        tree[node].children = order
    }

    /// Adds an answer behind the others.
    mutating func addAnswer(
        _ value: SurveyAnswer,
        to node: Int,
        fillsIn: Bool,
        _ queue: inout EvaluationQueue
    ) -> Int {
        let new = ResponseTree.Node(
            item: tree[node].item,
            parent: node,
            value: value,
            isEnabled: tree[node].isEnabled
        )
        let answer = tree.insert(new, at: tree[node].children.count)
        build(in: answer, fillsIn: fillsIn, &queue)
        return answer
    }

    /// Queues what depends on occurrences under an item, which were added or removed.
    private func noteChange(under item: Int, _ queue: inout EvaluationQueue) {
        var stack = [item]
        while let current = stack.popLast() {
            queue.changed(current, .answers)
            queue.changed(current, .enabled)
            queue.changed(current, .subtree)
            stack += survey.items[current].children
        }
    }
}

extension JSONValue {
    /// An answer's JSON without its value and what belongs to that; its id and items stay.
    var withoutAnswer: JSONValue {
        let kept = (members ?? []).filter { $0.isNamed("id") || $0.isNamed("item") }
        return JSONValue(members: kept)
    }
}
