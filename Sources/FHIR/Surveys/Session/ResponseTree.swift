import FHIR
import FHIRPathEngine
import OrderedJSON

/// What was answered, as a tree of nodes in one array: the root, occurrences of items, and answers of
/// questions.
///
/// The children of the root, of a group and of an answer are occurrences of the items under it, in the order
/// of the items and of repetitions; the children of a question are its answers.
struct ResponseTree: Sendable {
    struct Node: Sendable {
        /// The item's index; of the root -1.
        var item: Int
        /// The node that it is under; of the root -1.
        var parent: Int
        var value: SurveyAnswer?
        var children: [Int] = []
        /// Whether the item and all that it is under are asked.
        var isEnabled = true
        /// Of an occurrence of a group with a population context: the values that it is filled from.
        var populated: [FHIRPathItem]?
        /// Of a question: where its answers come from; nil once a person has changed them.
        var origin: AnswerOrigin?
        /// The JSON that it was read from, for what is not shown here.
        var source: JSONValue?
        /// Its position among ``ResponseTree/occurrences`` of its item.
        var slot = 0
        /// Counted up when the node's number is used for another.
        var generation: UInt32 = 0
        var isAlive = true
    }

    static let root = 0

    private(set) var nodes = [Node(item: -1, parent: -1)]
    private var free: [Int] = []
    /// The occurrences of each item, in no order.
    private(set) var occurrences: [[Int]]

    init(items: Int) { occurrences = Array(repeating: [], count: items) }

    subscript(node: Int) -> Node {
        // Not `_read`: without optimization the compiler copies what is yielded after the accessor has ended.
        get { nodes[node] }
        _modify { yield &nodes[node] }
    }

    var count: Int { nodes.count - free.count }

    /// Adds a node at a position among its parent's children.
    mutating func insert(_ node: Node, at position: Int) -> Int {
        var node = node
        let number: Int
        if let reused = free.popLast() {
            number = reused
            node.generation = nodes[reused].generation &+ 1
            nodes[reused] = node
        } else {
            number = nodes.count
            nodes.append(node)
        }
        nodes[node.parent].children.insert(number, at: position)
        if node.value == nil { enter(number) }
        return number
    }

    private mutating func enter(_ number: Int) {
        let item = nodes[number].item
        nodes[number].slot = occurrences[item].count
        occurrences[item].append(number)
    }

    /// Takes a node out of the occurrences of its item; the last of them takes its slot.
    private mutating func leave(_ number: Int) {
        let item = nodes[number].item
        let slot = nodes[number].slot
        guard let last = occurrences[item].popLast(), last != number else { return }
        occurrences[item][slot] = last
        nodes[last].slot = slot
    }

    /// Makes room for repetitions of an item: nodes at a position among its parent's children.
    mutating func insert(repetitions count: Int, of item: Int, in parent: Int, at position: Int) -> [Int] {
        let end = nodes[parent].children.count
        let new = (0..<count).map { insert(Node(item: item, parent: parent), at: end + $0) }
        // Behind the others, and then once to their position.
        nodes[parent].children.removeLast(count)
        nodes[parent].children.insert(contentsOf: new, at: position)
        return new
    }

    /// Removes a node and everything under it.
    mutating func remove(_ number: Int) {
        let parent = nodes[number].parent
        if let position = nodes[parent].children.firstIndex(of: number) {
            nodes[parent].children.remove(at: position)
        }
        var stack = [number]
        while let node = stack.popLast() {
            stack += nodes[node].children
            if nodes[node].value == nil { leave(node) }
            let generation = nodes[node].generation
            nodes[node] = Node(item: nodes[node].item, parent: -1)
            nodes[node].isAlive = false
            nodes[node].generation = generation
            free.append(node)
        }
    }

    func isAnswer(_ node: Int) -> Bool { nodes[node].value != nil }

    /// Which of the occurrences of its item a node is among its siblings, from 0, and how many there are.
    func repetition(of node: Int) -> (number: Int, count: Int) {
        let parent = nodes[node].parent
        let range = positions(of: nodes[node].item, in: parent)
        let siblings = nodes[parent].children[range]
        // Most have ascending numbers: then halving finds it.
        var low = range.lowerBound
        var high = range.upperBound
        while low < high {
            let middle = (low + high) / 2
            if siblings[middle] < node { low = middle + 1 } else { high = middle }
        }
        let position =
            low < range.upperBound && siblings[low] == node
            ? low : siblings.firstIndex(of: node) ?? range.lowerBound
        return (position - range.lowerBound, range.count)
    }

    /// The positions among a node's children of the occurrences of an item: found by halving, as children
    /// have the order of items.
    func positions(of item: Int, in parent: Int) -> Range<Int> {
        let children = nodes[parent].children
        func first(_ isReached: (Int) -> Bool) -> Int {
            var low = 0
            var high = children.count
            while low < high {
                let middle = (low + high) / 2
                if isReached(nodes[children[middle]].item) { high = middle } else { low = middle + 1 }
            }
            return low
        }
        let start = first { $0 >= item }
        if start < children.count, nodes[children[start]].item == item,
            start + 1 == children.count || nodes[children[start + 1]].item != item
        {
            return start..<start + 1
        }
        return start..<max(start, first { $0 > item })
    }
}
