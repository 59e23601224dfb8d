/// An ordered collection of nodes, as `find`, `children` and their like return.
///
/// It has the verbs that a node has: getters read its first node, setters act on all of them. Results of
/// navigation are in document order, and hold no node twice.
///
/// A selection remembers its nodes, not their content: an edit shows through it. A node that an edit removed
/// stays in it, and reports that it was removed.
public struct XMLSelection {
    private enum Storage {
        // For the verbs of a node: it costs no memory of its own.
        case node(XMLNode)
        case tree(XMLTree, [NodeID])
        case nodes([XMLNode])
    }

    private var storage: Storage

    init(_ node: XMLNode) { storage = .node(node) }

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
        case .node: 1
        case .tree(_, let ids): ids.count
        case .nodes(let nodes): nodes.count
        }
    }

    /// The node at an index, from 0.
    public subscript(position: Int) -> XMLNode {
        switch storage {
        case .node(let node): CollectionOfOne(node)[position]
        case .tree(let tree, let ids):
            XMLNode(tree: tree, index: ids[position].index, generation: ids[position].generation)
        case .nodes(let nodes): nodes[position]
        }
    }
}

extension XMLSelection: Hashable, CustomStringConvertible {
    /// Whether both hold the same nodes in the same order.
    public static func == (left: XMLSelection, right: XMLSelection) -> Bool { left.elementsEqual(right) }

    public func hash(into hasher: inout Hasher) { for node in self { hasher.combine(node) } }

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

    init(tree: XMLTree, indices: [UInt32]) { self.init(tree: tree, ids: indices.map(tree.id)) }

    /// What `find` finds in each tree: in document order and without duplicates.
    func collect(_ find: (_ tree: XMLTree, _ indices: [UInt32]) -> [UInt32]) -> XMLSelection {
        let parts = groups.map { tree, indices in
            XMLSelection(tree: tree, indices: tree.inOrder(find(tree, indices)))
        }
        return parts.count == 1 ? parts[0] : XMLSelection(parts.joined())
    }

    /// What `nodes` gives for each node: in document order and without duplicates.
    func gather<Nodes: Sequence<UInt32>>(_ nodes: (_ tree: XMLTree, _ index: UInt32) -> Nodes) -> XMLSelection
    {
        collect { tree, indices in indices.flatMap { nodes(tree, $0) } }
    }

    /// The results of a step from each node.
    private func gather(_ step: NodeWalk.Step) -> XMLSelection {
        gather { tree, index in CollectionOfOne(tree.go(step, from: index)).filter { $0 != noNode } }
    }

    /// The child elements of all the nodes.
    public func children() -> XMLSelection { gather { $0.elements(in: $1) } }

    /// The child elements of this local name, whatever their namespace.
    public func children(named name: String) -> XMLSelection {
        name.withBytes { bytes in gather { $0.elements(in: $1, named: bytes) } }
    }

    /// All children of all the nodes: elements, texts, comments, processing instructions.
    public func contents() -> XMLSelection { gather { $0.children(of: $1) } }

    /// The elements that the nodes are children of.
    public func parent() -> XMLSelection { gather(.parentElement) }

    /// The next sibling element of each node.
    public func next() -> XMLSelection { gather(.nextElement) }

    /// The previous sibling element of each node.
    public func previous() -> XMLSelection { gather(.previousElement) }

    /// The nearest of each node and its ancestors that the selector matches.
    public func closest(_ selector: XMLSelector) -> XMLSelection {
        collect { tree, indices in indices.compactMap(SelectorRun(selector, tree: tree).closest) }
    }

    /// The nodes for which the closure returns true.
    public func filter(_ isIncluded: (XMLNode) throws -> Bool) rethrows -> XMLSelection {
        XMLSelection(try compactMap { try isIncluded($0) ? $0 : nil })
    }

    /// Copies of the nodes and all below them, each in a document of its own.
    public func clone() -> XMLSelection { XMLSelection(map { $0.clone() }) }

    /// The child elements of this local name, as `children(named:)`: `root["Report"]["Item"]`.
    public subscript(name: String) -> XMLSelection { children(named: name) }
}

extension XMLNode {
    /// The nearest of the node and its ancestors that the selector matches.
    public func closest(_ selector: XMLSelector) -> XMLNode? {
        guard let node = resolved else { return nil }
        return SelectorRun(selector, tree: node.tree).closest(node.index).map(node.tree.handle)
    }

    /// The child elements of this local name, as `children(named:)`.
    public subscript(name: String) -> XMLSelection { children(named: name) }
}

extension SelectorRun {
    fileprivate func closest(_ index: UInt32) -> UInt32? {
        tree.ancestors(ofAndWith: index).first { tree.isElement($0) && matches($0) }
    }
}

extension XMLTree {
    /// Nodes in document order, each once.
    func inOrder(_ indices: [UInt32]) -> [UInt32] {
        if zip(indices, indices.dropFirst()).allSatisfy({ place(of: $0) < place(of: $1) }) { return indices }
        return Set(indices).sorted { place(of: $0) < place(of: $1) }
    }
}
