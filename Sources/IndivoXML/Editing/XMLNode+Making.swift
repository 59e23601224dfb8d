extension XMLNode {
    /// A new element, in a document of its own.
    ///
    /// - Parameters:
    ///   - name: The name, with a prefix where one is wanted. A name that is none is an error when it is written.
    ///   - namespace: The namespace's URI; nil for none, also where the element is put into one that has a namespace.
    ///   - attributes: Attributes by qualified name. `xmlns` and `xmlns:prefix` declare namespaces.
    ///   - text: The element's text; nil for none.
    public init(
        _ name: String, namespace: String? = nil, attributes: KeyValuePairs<String, String> = [:],
        text: String? = nil
    ) {
        let tree = XMLTree()
        tree.makeEditable()
        let element = tree.makeRecord(
            NodeRecord(kind: .element, name: tree.nameID(name, namespace: namespace), parent: noNode))
        tree.link(element, into: 0, before: noNode)
        self = tree.handle(element)
        for (name, value) in attributes { attr(name, value) }
        if let text, !text.isEmpty { tree.link(tree.makeText(text), into: element, before: noNode) }
    }

    /// A new text.
    public static func text(_ content: String) -> XMLNode { made(.text, content: content) }

    /// A new CDATA section.
    public static func cdata(_ content: String) -> XMLNode { made(.cdata, content: content) }

    /// A new comment.
    public static func comment(_ content: String) -> XMLNode { made(.comment, content: content) }

    /// A new processing instruction.
    public static func processingInstruction(_ target: String, _ data: String = "") -> XMLNode {
        made(.processingInstruction, name: target, content: data)
    }

    private static func made(_ kind: RecordKind, name: String = "", content: String) -> XMLNode {
        let tree = XMLTree()
        tree.makeEditable()
        let payload = tree.store(content)
        return tree.handle(
            tree.makeRecord(
                NodeRecord(kind: kind, name: tree.nameID(name, namespaceID: 0), parent: noNode, payload: payload)))
    }

    /// A copy of the node and all below it, in a document of its own. A document node's copy is the whole document.
    public func clone() -> XMLNode {
        let copy = XMLTree()
        guard let node = resolved else { return copy.handle(0) }
        if node.index == 0, node.tree.isPristine {
            let frozen = node.tree.freeze()
            return XMLTree(frozen.arena, frozen: frozen).handle(0)
        }
        copy.makeEditable()
        let top: UInt32
        if node.record.kind == .document {
            copy.state.pointee.arena.standalone = node.tree.state.pointee.arena.standalone
            top = 0
            var child = node.tree.firstChild(node.index)
            while child != noNode {
                copy.link(copy.copySubtree(child, from: node.tree), into: 0, before: noNode)
                child = node.tree.next(child)
            }
        } else {
            top = copy.copySubtree(node.index, from: node.tree)
            copy.link(top, into: 0, before: noNode)
            copy.add(node.tree.declarationsForValues(of: node.index), to: top)
        }
        copy.becomePristine()
        return copy.handle(top)
    }
}

extension XMLTree {
    /// Forgets the links of a tree whose records stand in document order and were never freed.
    func becomePristine() { state.pointee.links.deallocate() }
}
