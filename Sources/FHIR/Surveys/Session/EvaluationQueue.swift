/// What has to be evaluated again, in the order of dependencies: what is read comes before what reads it.
struct EvaluationQueue {
    private let graph: DependencyGraph
    /// A binary heap by rank and node.
    private var heap: [DependencyGraph.Node] = []
    private var isQueued: Set<DependencyGraph.Node> = []
    /// How often nodes of cycles were taken out.
    private var runs: [DependencyGraph.Node: Int] = [:]
    /// Questions that get their initial values once it is known whether they are asked.
    var fillIn: [ItemOccurrence] = []
    /// Whether anything changed since the expressions that may read anything were last evaluated.
    var hasChanges = false

    /// What is next.
    enum Step {
        /// Evaluate a part of an item.
        case item(Int, DependencyGraph.Part)
        /// A variable may have another value: evaluate what reads it.
        case variable(Int)
    }

    /// How often a node of a cycle is evaluated for one change.
    static let maximumRuns = 8

    init(_ graph: DependencyGraph) { self.graph = graph }

    /// Begins another change, for which nodes of cycles may be evaluated again.
    mutating func begin() { runs = [:] }

    /// Queues what reads a part of an item.
    mutating func changed(_ item: Int, _ part: DependencyGraph.Part) {
        hasChanges = true
        for reader in graph.readers[item * 3 + part.rawValue] { push(reader) }
    }

    mutating func push(_ item: Int, _ part: DependencyGraph.Part) { push(DependencyGraph.node(item, part)) }

    private mutating func push(_ node: DependencyGraph.Node) {
        if graph.cyclicNodes.contains(node), runs[node, default: 0] >= Self.maximumRuns { return }
        guard isQueued.insert(node).inserted else { return }
        heap.append(node)
        var child = heap.count - 1
        while child > 0, isBefore(heap[child], heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Queues what reads a variable.
    mutating func changed(variable number: Int) {
        for reader in graph.readers(ofVariable: number) { push(reader) }
    }

    /// Takes out what is next.
    mutating func pop() -> Step? { popNode().map(graph.step) }

    private mutating func popNode() -> DependencyGraph.Node? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            var parent = 0
            while true {
                var next = parent
                for child in [2 * parent + 1, 2 * parent + 2]
                where child < heap.count && isBefore(heap[child], heap[next]) { next = child }
                if next == parent { break }
                heap.swapAt(parent, next)
                parent = next
            }
        }
        isQueued.remove(first)
        if graph.cyclicNodes.contains(first) { runs[first, default: 0] += 1 }
        return first
    }

    private func isBefore(_ a: DependencyGraph.Node, _ b: DependencyGraph.Node) -> Bool {
        let left = graph.ranks[Int(a)]
        let right = graph.ranks[Int(b)]
        return left == right ? a < b : left < right
    }
}
