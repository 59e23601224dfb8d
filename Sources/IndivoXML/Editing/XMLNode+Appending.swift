extension XMLNode {
    /// Makes a new element as this one's last child.
    ///
    /// The same as appending `XMLNode(name, …)`, without the temporary document that a new node has: use it to build large
    /// documents.
    ///
    /// - Returns: The new element; for a node that can have no children, one in a document of its own.
    @discardableResult
    public func appendElement(
        _ name: String, namespace: String? = nil, attributes: KeyValuePairs<String, String> = [:],
        text: String? = nil
    ) -> XMLNode {
        guard let me = resolved, me.canHaveChildren else {
            return XMLNode(name, namespace: namespace, attributes: attributes, text: text)
        }
        let tree = me.tree
        tree.makeEditable()
        let element = tree.makeRecord(
            NodeRecord(kind: .element, name: tree.nameID(name, namespace: namespace), parent: noNode))
        tree.link(element, into: me.index, before: noNode)
        let node = tree.handle(element)
        for (name, value) in attributes { node.attr(name, value) }
        if let text, !text.isEmpty { tree.link(tree.makeText(text), into: element, before: noNode) }
        return node
    }
}
