import FHIR
import OrderedJSON

/// Navigation without holding the text at each step: of a path through a bundle, most of the time went into
/// counting references to the one text that all of its nodes are in.
extension FHIRPathEvaluation {
    typealias BorrowedNode = TreeNode<ParsedNode>

    /// The nodes that a path leads to; nil where it is evaluated item by item.
    ///
    /// A path begins at the items that the expression is evaluated on. They are held as long as it is, and
    /// with them the texts of all nodes.
    mutating func navigated(_ reference: Reference, in focus: Focus) throws(FHIRPathError) -> [BorrowedNode]?
    {
        guard syntax.isNavigation(reference), !context.isStrict else { return nil }
        let node = syntax[reference]
        switch node.kind {
        case .this: return try begin(with: focus.this, at: node)
        case .member(nil, let name):
            // A path from the type of the resource, at a part of it, begins elsewhere.
            guard context.resource?.resourceType != name, let items = try begin(with: focus.items, at: node)
            else { return nil }
            return try parts(of: items, at: node) { item, found in
                if item.json?.kind == .object, item.isNamed(name) {
                    found.append(item)
                } else {
                    item.forEachPart(named: name) { found.append($0) }
                }
            }
        case .member(let base?, let name):
            guard let items = try navigated(base, in: focus) else { return nil }
            try spend(at: node)
            return try parts(of: items, at: node) { item, found in
                item.forEachPart(named: name) { found.append($0) }
            }
        case .function(let base?, .where, let arguments):
            guard let items = try navigated(base, in: focus), let type = typeOfItem(asked: arguments[0])
            else { return nil }
            try spend(at: node)
            guard !items.isEmpty else { return [] }
            try check(type, at: syntax[arguments[0]])
            try spend(items.count, at: node)
            return items.filter { isOf($0, type) }
        default: return nil
        }
    }

    /// The items as nodes, if all of them were parsed.
    private mutating func begin(
        with items: Items,
        at node: Node
    ) throws(FHIRPathError) -> [BorrowedNode]? {
        var nodes: [BorrowedNode] = []
        nodes.reserveCapacity(items.count)
        for item in items {
            guard case .node(let node) = item.storage, let borrowed = node.borrowed else { return nil }
            nodes.append(borrowed)
        }
        try spend(at: node)
        return nodes
    }

    private mutating func parts(
        of items: [BorrowedNode],
        at node: Node,
        _ body: (BorrowedNode, inout [BorrowedNode]) -> Void
    ) throws(FHIRPathError) -> [BorrowedNode] {
        var found: [BorrowedNode] = []
        found.reserveCapacity(items.count)
        for item in items {
            try spend(at: node)
            body(item, &found)
        }
        try checkCount(found.count, at: node)
        return found
    }
}
