/// An ordered collection of nodes, as `find`, `children` and their like return.
///
/// It has the verbs that a node has: getters read its first node, setters act on all of them. Results of navigation are in
/// document order and holds no node twice.
///
/// A selection remembers its nodes, not their content: an edit shows through it, and a node that an edit removed
/// stays in it and says so.
public struct XMLSelection {
    private enum Storage {
        case tree(XMLTree, [NodeID])
        case nodes([XMLNode])
    }

    private var storage: Storage

    init(tree: XMLTree, ids: [NodeID]) { storage = .tree(tree, ids) }

    /// An empty selection.
    public init() { storage = .nodes([]) }

    /// A selection of these nodes, in this order, each only once.
    public init(_ nodes: some Sequence<XMLNode>) {
        var seen: Set<XMLNode> = []
        storage = .nodes(nodes.filter { seen.insert($0).inserted })
    }
}

extension XMLSelection: RandomAccessCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int {
        switch storage {
        case .tree(_, let ids): ids.count
        case .nodes(let nodes): nodes.count
        }
    }

    /// The node at an index, from 0.
    public subscript(position: Int) -> XMLNode {
        switch storage {
        case .tree(let tree, let ids): XMLNode(tree: tree, index: ids[position].index, generation: ids[position].generation)
        case .nodes(let nodes): nodes[position]
        }
    }
}

extension XMLSelection: Hashable {
    /// Whether both hold the same nodes in the same order.
    public static func == (left: XMLSelection, right: XMLSelection) -> Bool { left.elementsEqual(right) }

    public func hash(into hasher: inout Hasher) {
        for node in self { hasher.combine(node) }
    }
}

extension XMLSelection: CustomStringConvertible {
    public var description: String { "[" + map(\.description).joined(separator: ", ") + "]" }
}

extension XMLSelection {
    /// The text of all the nodes, in one string.
    public func text() -> String { map { $0.text() }.joined() }

    /// The value of an attribute of the first node.
    public func attr(_ name: String) -> String? { first?.attr(name) }

    /// The value of an attribute of the first node.
    public func attr(_ name: String, namespace: String) -> String? { first?.attr(name, namespace: namespace) }

    /// The nodes that are not gone, by the tree they live in now.
    var groups: [(tree: XMLTree, indices: [UInt32])] {
        var groups: [(tree: XMLTree, indices: [UInt32])] = []
        for node in self {
            guard let node = node.resolved else { continue }
            if let last = groups.indices.last(where: { groups[$0].tree === node.tree }) {
                groups[last].indices.append(node.index)
            } else {
                groups.append((node.tree, [node.index]))
            }
        }
        return groups
    }

    init(tree: XMLTree, indices: [UInt32]) {
        self.init(tree: tree, ids: indices.map { tree.handle($0).id })
    }

    /// Joins selections of several trees.
    init(joining parts: [XMLSelection]) {
        if parts.count == 1 { self = parts[0] } else { self.init(parts.joined()) }
    }

    /// What `step` finds from each node: in document order and without duplicates.
    func gather(_ step: (_ tree: XMLTree, _ index: UInt32, _ found: (UInt32) -> Void) -> Void) -> XMLSelection {
        XMLSelection(
            joining: groups.map { tree, indices in
                var found: [UInt32] = []
                for index in indices { step(tree, index) { found.append($0) } }
                return XMLSelection(tree: tree, indices: tree.inOrder(found))
            })
    }
}

extension XMLTree {
    /// Nodes in document order, each once.
    func inOrder(_ indices: [UInt32]) -> [UInt32] {
        var isAscending = true
        var previous: UInt32?
        for index in indices {
            let place = place(of: index)
            if let before = previous, before >= place {
                isAscending = false
                break
            }
            previous = place
        }
        if isAscending { return indices }
        return Set(indices).sorted { place(of: $0) < place(of: $1) }
    }
}

extension XMLSelection {
    /// The child elements of all the nodes.
    public func children() -> XMLSelection {
        gather { tree, index, found in tree.forEach(from: tree.firstElement(in: index), tree.nextElement, found) }
    }

    /// The child elements of this local name, whatever their namespace.
    public func children(named name: String) -> XMLSelection {
        var name = name
        return name.withUTF8 { bytes in
            gather { tree, index, found in
                tree.forEach(from: tree.firstElement(in: index), tree.nextElement) { child in
                    if tree.localName(child).equals(bytes) { found(child) }
                }
            }
        }
    }

    /// All children of all the nodes: elements, texts, comments, processing instructions.
    public func contents() -> XMLSelection {
        gather { tree, index, found in tree.forEach(from: tree.firstChild(index), tree.next, found) }
    }

    /// The elements that the nodes are children of.
    public func parent() -> XMLSelection {
        gather { tree, index, found in
            let parent = tree.parent(index)
            if parent != noNode, tree.isElement(parent) { found(parent) }
        }
    }

    /// The next sibling element of each node.
    public func next() -> XMLSelection {
        gather { tree, index, found in
            let next = tree.nextElement(index)
            if next != noNode { found(next) }
        }
    }

    /// The previous sibling element of each node.
    public func previous() -> XMLSelection {
        gather { tree, index, found in
            let previous = tree.previousElement(index)
            if previous != noNode { found(previous) }
        }
    }

    /// The nearest of each node and its ancestors that the selector matches.
    public func closest(_ selector: XMLSelector) -> XMLSelection {
        XMLSelection(
            joining: groups.map { tree, indices in
                let run = SelectorRun(selector, tree: tree)
                return XMLSelection(tree: tree, indices: tree.inOrder(indices.compactMap { run.closest($0) }))
            })
    }

    /// The nearest of each node and its ancestors that the selector matches.
    ///
    /// - Throws: `XMLSelectorError`.
    @_disfavoredOverload
    public func closest(_ selector: String) throws -> XMLSelection { closest(try XMLSelector(selector)) }

    /// The nodes for which the closure says yes.
    public func filter(_ isIncluded: (XMLNode) throws -> Bool) rethrows -> XMLSelection {
        var kept: [XMLNode] = []
        for node in self where try isIncluded(node) { kept.append(node) }
        return XMLSelection(kept)
    }

    /// The nodes that are not among others.
    public func not(_ others: some Sequence<XMLNode>) -> XMLSelection {
        let others = Set(others)
        return filter { !others.contains($0) }
    }

    /// The nodes of both selections, each once: first these, then those that are new.
    public func add(_ others: some Sequence<XMLNode>) -> XMLSelection { XMLSelection(Array(self) + Array(others)) }

    /// The index of a node in the selection, from 0; nil when it is not in it.
    public func index(of node: XMLNode) -> Int? { firstIndex(of: node) }
}

extension XMLNode {
    /// The nearest of the node and its ancestors that the selector matches.
    public func closest(_ selector: XMLSelector) -> XMLNode? {
        guard let node = resolved else { return nil }
        return SelectorRun(selector, tree: node.tree).closest(node.index).map(node.tree.handle)
    }

    /// The nearest of the node and its ancestors that the selector matches.
    ///
    /// - Throws: `XMLSelectorError`.
    @_disfavoredOverload
    public func closest(_ selector: String) throws -> XMLNode? { closest(try XMLSelector(selector)) }

    /// The child elements of this local name, as `children(named:)`.
    public subscript(name: String) -> XMLSelection { children(named: name) }
}

extension XMLSelection {
    /// The child elements of this local name, as `children(named:)`: `root["Report"]["Item"]`.
    public subscript(name: String) -> XMLSelection { children(named: name) }
}

extension SelectorRun {
    func closest(_ index: UInt32) -> UInt32? {
        var current = index
        while current != noNode {
            if tree.isElement(current), matches(current) { return current }
            current = tree.parent(current)
        }
        return nil
    }
}
