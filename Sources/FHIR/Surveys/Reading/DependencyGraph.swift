import FHIR

/// What has to be evaluated again when something has changed: a graph of parts of items.
///
/// Each item has three nodes: whether it is enabled, its answers, and everything under it; each variable has
/// one. A node's rank is its position in an order in which what is read comes before what reads it; nodes of
/// a cycle have one rank.
struct DependencyGraph: Sendable {
    enum Part: Int, Sendable { case enabled, answers, subtree }

    /// Node numbers: three times the item's index, and the part; behind those of items the variables.
    typealias Node = Int32

    /// The nodes that read a node.
    private(set) var readers: [[Node]]
    private(set) var ranks: [Int32]
    /// Items whose expressions may read any item, in document order.
    private(set) var readsAnything: [Int] = []
    /// Items whose conditions or expressions come back to themselves.
    private(set) var cyclic: Set<Int> = []
    /// Those of them that do so not only because an expression may read everything under an item that they
    /// are under.
    private var cyclicForSure: Set<Int> = []
    /// Nodes that come back to themselves.
    private(set) var cyclicNodes: Set<Node> = []
    private let itemCount: Int

    /// The numbers of the variables that come back to themselves.
    var cyclicVariables: Set<Int> { Set(cyclicNodes.filter(isVariable).map { Int($0) - itemCount * 3 }) }

    /// What a node stands for.
    func step(of node: Node) -> EvaluationQueue.Step {
        isVariable(node)
            ? .variable(Int(node) - itemCount * 3) : .item(Self.item(of: node), Self.part(of: node))
    }

    /// The nodes that read a variable.
    func readers(ofVariable number: Int) -> [Node] { readers[itemCount * 3 + number] }

    /// Whether a node is a variable, and not a part of an item.
    func isVariable(_ node: Node) -> Bool { Int(node) >= itemCount * 3 }

    static func node(_ item: Int, _ part: Part) -> Node { Node(item * 3 + part.rawValue) }
    static func item(of node: Node) -> Int { Int(node) / 3 }
    static func part(of node: Node) -> Part { Part(rawValue: Int(node) % 3) ?? .subtree }

    init(_ items: [SurveyItem], variables: VariableTable, indices: [String: Int]) {
        itemCount = items.count
        var builder = Builder(items: items, variables: variables, indices: indices)
        builder.build()
        (ranks, cyclicNodes) = Self.rank(builder.reads)
        cyclic = Set(cyclicNodes.filter { Int($0) < items.count * 3 }.map(Self.item))
        if !cyclic.isEmpty {
            let exact = Self.rank(builder.exactReads).cyclic
            cyclicForSure = Set(exact.filter { Int($0) < items.count * 3 }.map(Self.item))
        }
        readers = Array(repeating: [], count: builder.reads.count)
        for (reader, nodes) in builder.reads.enumerated() {
            for node in nodes { readers[Int(node)].append(Node(reader)) }
        }
        readsAnything = readers(of: builder.incomplete)
    }

    /// The items with nodes among some, or that read variables among them.
    private func readers(of nodes: Set<Node>) -> [Int] {
        var found = nodes
        var stack = Array(nodes)
        while let node = stack.popLast() {
            guard isVariable(node) else { continue }
            for reader in readers[Int(node)] where found.insert(reader).inserted { stack.append(reader) }
        }
        return Set(found.filter { !isVariable($0) }.map(Self.item)).sorted()
    }

    func diagnostics(of items: [SurveyItem]) -> [SurveyDiagnostic] {
        cyclic.sorted().filter { !items[$0].conditions.isEmpty || items[$0].hasExpression }.map { index in
            let what =
                items[index].calculatedExpression == nil
                ? "Whether the item is asked depends on itself, over conditions of other items; "
                    + "answers of disabled items count in its conditions."
                : "The calculated value depends on itself; it is calculated a few times and then left."
            guard cyclicForSure.contains(index) else {
                let text =
                    "The expression may read everything under an item that this one is under, itself too."
                return SurveyDiagnostic(.warning, "cycle", text, linkId: items[index].linkId, position: index)
            }
            return SurveyDiagnostic(.error, "cycle", what, linkId: items[index].linkId, position: index)
        }
    }

    // MARK: Building

    private struct Builder {
        let items: [SurveyItem]
        let variables: VariableTable
        let indices: [String: Int]
        /// What each node reads.
        var reads: [[Node]] = []
        /// Of the nodes that read everything under an item that they are under: that item's.
        private var wide: [Node: Set<Node>] = [:]
        /// Nodes that may read anything.
        var incomplete: Set<Node> = []
        private var hasSubtree: Set<Int> = []

        init(items: [SurveyItem], variables: VariableTable, indices: [String: Int]) {
            self.items = items
            self.variables = variables
            self.indices = indices
        }

        mutating func build() {
            reads = Array(repeating: [], count: items.count * 3 + variables.all.count)
            for (number, variable) in variables.all.enumerated() {
                add(variable.expression, at: variable.owner, to: Node(items.count * 3 + number))
            }
            for item in items {
                let enabled = node(item.index, .enabled)
                if let parent = item.parent {
                    reads[Int(enabled)].append(node(parent, .enabled))
                    // What is under a question is there once for each answer.
                    if items[parent].isQuestion { reads[Int(enabled)].append(node(parent, .answers)) }
                }
                for condition in item.conditions {
                    guard let target = condition.target else { continue }
                    reads[Int(enabled)] += [node(target, .answers), node(target, .enabled)]
                    // Of a group it is asked whether there are answers in it.
                    if items[target].isGroup { addSubtree(of: target, at: item.index, to: enabled) }
                }
                if let expression = item.enableExpression { add(expression, at: item.index, to: enabled) }
                if let expression = item.calculatedExpression {
                    add(expression, at: item.index, to: node(item.index, .answers))
                }
            }
        }

        private func node(_ item: Int, _ part: Part) -> Node { DependencyGraph.node(item, part) }

        /// Links what an expression of an item, or of the questionnaire, reads to the node that it is for.
        private mutating func add(_ expression: SurveyExpression, at level: Int, to reader: Node) {
            let found = expression.reads
            if !found.isComplete { incomplete.insert(reader) }
            // An item's own expression may read its answer; a variable's value changes with it.
            if found.readsOwnAnswer, level >= 0, Int(reader) >= items.count * 3 {
                reads[Int(reader)] += [node(level, .answers), node(level, .enabled)]
            }
            for (linkId, part) in found.items {
                guard let target = indices[linkId] else { continue }
                reads[Int(reader)].append(node(target, .enabled))
                if part != .structure { reads[Int(reader)].append(node(target, .answers)) }
                if part == .subtree { addSubtree(of: target, at: level, to: reader) }
            }
            for name in found.variables {
                guard
                    let number = variables.nearest(
                        name,
                        from: level,
                        in: items,
                        besides: Int(reader) - items.count * 3
                    )
                else { continue }
                reads[Int(reader)].append(Node(items.count * 3 + number))
            }
        }

        /// Links everything under an item to a node of an item, or of the questionnaire, that reads it.
        private mutating func addSubtree(of target: Int, at level: Int, to reader: Node) {
            guard !items[target].children.isEmpty else { return }
            linkSubtree(of: target)
            reads[Int(reader)].append(node(target, .subtree))
            if isUnder(level, target) { wide[reader, default: []].insert(node(target, .subtree)) }
        }

        /// What each node reads, without what is read only because an item is under another.
        var exactReads: [[Node]] {
            var exact = reads
            for (reader, nodes) in wide { exact[Int(reader)].removeAll(where: nodes.contains) }
            return exact
        }

        private func isUnder(_ item: Int, _ other: Int) -> Bool {
            var current: Int? = item < 0 ? nil : item
            while let index = current {
                if index == other { return true }
                current = items[index].parent
            }
            return false
        }

        private mutating func linkSubtree(of item: Int) {
            var stack = [item]
            while let current = stack.popLast() {
                guard hasSubtree.insert(current).inserted else { continue }
                for child in items[current].children {
                    reads[Int(node(current, .subtree))] += [node(child, .answers), node(child, .enabled)]
                    if !items[child].children.isEmpty {
                        reads[Int(node(current, .subtree))].append(node(child, .subtree))
                        stack.append(child)
                    }
                }
            }
        }
    }

    // MARK: Order

    /// Finds strongly connected components (Tarjan), which come out with what is read before what reads it.
    private static func rank(_ reads: [[Node]]) -> (ranks: [Int32], cyclic: Set<Node>) {
        let count = reads.count
        var ranks = [Int32](repeating: -1, count: count)
        var numbers = [Int32](repeating: -1, count: count)
        var lowest = [Int32](repeating: 0, count: count)
        var isOnStack = [Bool](repeating: false, count: count)
        var stack: [Int] = []
        var path: [(node: Int, next: Int)] = []
        var number: Int32 = 0
        var rank: Int32 = 0
        var cyclic: Set<Node> = []
        for start in 0..<count where numbers[start] < 0 {
            path.append((start, 0))
            while let (node, next) = path.last {
                if next == 0 {
                    numbers[node] = number
                    lowest[node] = number
                    number += 1
                    stack.append(node)
                    isOnStack[node] = true
                }
                if next < reads[node].count {
                    path[path.count - 1].next += 1
                    let target = Int(reads[node][next])
                    if numbers[target] < 0 {
                        path.append((target, 0))
                    } else if isOnStack[target] {
                        lowest[node] = min(lowest[node], numbers[target])
                        if target == node { cyclic.insert(Node(node)) }
                    }
                    continue
                }
                path.removeLast()
                if let parent = path.last?.node { lowest[parent] = min(lowest[parent], lowest[node]) }
                guard lowest[node] == numbers[node] else { continue }
                var members: [Int] = []
                while let member = stack.popLast() {
                    isOnStack[member] = false
                    ranks[member] = rank
                    members.append(member)
                    if member == node { break }
                }
                if members.count > 1 { cyclic.formUnion(members.map { Node($0) }) }
                rank += 1
            }
        }
        return (ranks, cyclic)
    }
}
