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
        case .tree(let tree, let ids):
            XMLNode(tree: tree, index: ids[position].index, generation: ids[position].generation)
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
}
