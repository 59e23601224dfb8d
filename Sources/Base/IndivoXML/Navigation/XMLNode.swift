/// One node of an XML tree: an element, a text, a comment, a processing instruction, or the document around
/// them.
///
/// A node is a cheap handle. Two handles are equal when they are the same node, and an edit through one shows
/// through all. Getters read, setters act and return the receiver, as jQuery's do:
///
/// ```swift
/// let reports = try XMLNode(parsing: data)
/// for report in reports.children(named: "Report") {
///     print(report.child(named: "Meta")?.text() ?? "")
/// }
/// reports.append(XMLNode("Report", attributes: ["id": "7"], text: "new"))
/// ```
///
/// After any edit a handle is either still valid or reports that its node is gone (`isRemoved`), and then has
/// no name, no content, no relatives.
///
/// Nodes belong to one task at a time. To read a document from many tasks, share an `XMLSnapshot` of it.
public struct XMLNode {
    let tree: XMLTree
    let index: UInt32
    let generation: UInt32

    /// What a node is.
    public enum Kind: UInt32, Hashable, Sendable {
        /// A document; its root element is among its children.
        case document
        case element
        case text
        /// Text in a CDATA section.
        case cdata
        case comment
        case processingInstruction
        /// A document type declaration.
        case documentType
        /// The node is gone: its parent was emptied or given other text.
        case removed
    }

    /// What the node is.
    public var kind: Kind { resolved?.record.kind ?? .removed }

    /// Whether the node was taken out of its document and not put into one since.
    ///
    /// A node taken out by `remove()` or `replace(with:)`, with all below it, can still be read and put
    /// elsewhere. One whose parent was emptied is gone: its `kind` is `.removed`.
    public var isRemoved: Bool {
        guard let node = resolved else { return true }
        let removedTops = node.tree.state.pointee.removedTops
        return !removedTops.isEmpty && removedTops.contains(node.tree.top(of: node.index))
    }

    /// The document node. For a node that was taken out, the document it was taken from.
    public var document: XMLNode { (resolved ?? self).tree.handle(0) }

    /// The document's root element.
    public var root: XMLNode? {
        let tree = (resolved ?? self).tree
        return tree.handle(orNil: tree.firstElement(in: 0))
    }

    /// The line of the source where the node starts, from 1; nil for a node that was made in code, cloned, or
    /// moved to another document, which has no source.
    public var line: Int? {
        guard let node = resolved, node.generation == 0 else { return nil }
        return node.tree.state.pointee.arena.lines[Int(node.index)]
    }

    @inline(__always)
    var record: NodeRecord { tree.nodes[Int(index)] }

    /// The handle to the node's present position: itself, or where it was moved to; `nil` if the node is
    /// gone.
    @inline(__always)
    var resolved: XMLNode? { tree.isPristine ? self : resolvedAfterEdits }

    private var resolvedAfterEdits: XMLNode? {
        if tree.state.pointee.links.base[Int(index)].generation == generation { return self }
        return tree.forwarded(index, generation: generation)?.resolved
    }
}

/// A handle within a tree that is known.
struct NodeID: Hashable {
    var index: UInt32
    var generation: UInt32
}

extension XMLNode: Hashable, CustomStringConvertible {
    /// Whether both are the same node.
    public static func == (left: XMLNode, right: XMLNode) -> Bool {
        let left = left.resolved ?? left
        let right = right.resolved ?? right
        return left.tree === right.tree && left.index == right.index && left.generation == right.generation
    }

    /// Hashes the node's identity, which it keeps when it moves.
    public func hash(into hasher: inout Hasher) {
        let node = resolved ?? self
        hasher.combine(node.tree.hashIdentity(node.index))
    }

    /// The node as XML, for people who debug; an element of more than 200 characters is cut.
    public var description: String {
        guard let text = try? xml() else { return "XMLNode(\(kind))" }
        return text.count > 200 ? text.prefix(200) + "…" : text
    }
}
