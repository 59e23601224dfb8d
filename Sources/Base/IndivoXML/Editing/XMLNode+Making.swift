extension XMLNode {
    /// A new element, in a document of its own.
    ///
    /// - Parameters:
    ///   - name: The name, with a prefix where one is wanted. An invalid name is an error when it is
    ///     written.
    ///   - namespace: The namespace's URI; nil without one, also where the element is put into one that has a
    ///     namespace.
    ///   - attributes: Attributes by qualified name. `xmlns` and `xmlns:prefix` declare namespaces.
    ///   - text: The element's text; nil without one.
    public init(
        _ name: String,
        namespace: String? = nil,
        attributes: KeyValuePairs<String, String> = [:],
        text: String? = nil
    ) {
        self = XMLTree().handle(0).appendElement(
            name,
            namespace: namespace,
            attributes: attributes,
            text: text
        )
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

    private static func made(_ kind: XMLNode.Kind, name: String = "", content: String) -> XMLNode {
        let tree = XMLTree()
        tree.makeEditable()
        let record = NodeRecord(
            kind: kind,
            name: tree.nameID(name, namespaceID: 0),
            payload: tree.store(content)
        )
        return tree.handle(tree.makeRecord(record))
    }

    /// A copy of the node and all below it, in a document of its own. A document node's copy is the whole
    /// document.
    public func clone() -> XMLNode {
        let copy = XMLTree()
        guard let node = resolved else { return copy.handle(0) }
        if node.index == 0, node.tree.isPristine { return XMLSnapshot(node).document() }
        copy.makeEditable()
        let isDocument = node.record.kind == .document
        copy.state.pointee.arena.standalone = isDocument ? node.tree.state.pointee.arena.standalone : nil
        var top: UInt32 = 0
        for child in isDocument ? Array(node.tree.children(of: node.index)) : [node.index] {
            top = copy.copySubtree(child, from: node.tree)[0].copy
            copy.link(top, into: 0, before: noNode)
        }
        if isDocument { top = 0 } else { copy.add(node.tree.declarationsForValues(of: node.index), to: top) }
        // The records stand in document order, and none was ever freed.
        copy.state.pointee.links.deallocate()
        return copy.handle(top)
    }

    /// Makes a new element as this one's last child.
    ///
    /// The same as appending `XMLNode(name, …)`, without the temporary document that a new node has: use it
    /// to build large documents.
    ///
    /// - Returns: The new element; for a node that can have no children, one in a document of its own.
    @discardableResult
    public func appendElement(
        _ name: String,
        namespace: String? = nil,
        attributes: KeyValuePairs<String, String> = [:],
        text: String? = nil
    ) -> XMLNode {
        guard let me = resolved, me.canHaveChildren else {
            return XMLNode(name, namespace: namespace, attributes: attributes, text: text)
        }
        let tree = me.tree
        tree.makeEditable()
        let element = tree.makeRecord(
            NodeRecord(kind: .element, name: tree.nameID(name, namespace: namespace))
        )
        tree.link(element, into: me.index, before: noNode)
        let node = tree.handle(element)
        for (name, value) in attributes { node.setAttribute(name, value) }
        if let text, !text.isEmpty { tree.link(tree.makeText(text), into: element, before: noNode) }
        return node
    }

    /// A new element with children, in a document of its own. Elements among the children that have no
    /// namespace and no prefix take this one's, so that it is said once.
    public init(
        _ name: String,
        namespace: String? = nil,
        attributes: KeyValuePairs<String, String> = [:],
        @XMLBuilder children: () throws -> [XMLNode]
    ) rethrows {
        self.init(name, namespace: namespace, attributes: attributes)
        let children = try children()
        append(children)
        guard let namespace = self.namespace, prefix == nil else { return }
        for child in children { child.inherit(namespace) }
    }

    /// Gives an element without a namespace, and those below it, the namespace around it.
    private func inherit(_ namespace: String) {
        guard let node = resolved, node.record.isElement, self.namespace == nil, prefix == nil,
            attr("xmlns") == nil
        else { return }
        node.tree.rename(node.index, to: qualifiedName, namespace: namespace)
        for child in children() { child.inherit(namespace) }
    }
}

/// Builds a tree from code that has the tree's shape.
///
/// ```swift
/// let models = XMLNode("Models", namespace: sdmx) {
///     XMLNode("Model", attributes: ["name": "Medication"]) {
///         for field in fields { XMLNode("Field", attributes: ["name": field.name], text: field.value) }
///         if isNew { XMLNode.comment("not yet filed") }
///         "and text"
///     }
/// }
/// ```
@resultBuilder
public enum XMLBuilder {
    public static func buildExpression(_ node: XMLNode) -> [XMLNode] { [node] }
    public static func buildExpression(_ node: XMLNode?) -> [XMLNode] { node.map { [$0] } ?? [] }
    public static func buildExpression(_ nodes: some Sequence<XMLNode>) -> [XMLNode] { Array(nodes) }
    public static func buildExpression(_ text: String) -> [XMLNode] { [.text(text)] }
    public static func buildBlock(_ parts: [XMLNode]...) -> [XMLNode] { parts.flatMap(\.self) }
    public static func buildOptional(_ part: [XMLNode]?) -> [XMLNode] { part ?? [] }
    public static func buildEither(first part: [XMLNode]) -> [XMLNode] { part }
    public static func buildEither(second part: [XMLNode]) -> [XMLNode] { part }
    public static func buildArray(_ parts: [[XMLNode]]) -> [XMLNode] { parts.flatMap(\.self) }
    public static func buildLimitedAvailability(_ part: [XMLNode]) -> [XMLNode] { part }
}

extension XMLTree {
    /// Gives an element another name. The arena is the tree's own.
    func rename(_ index: UInt32, to qualified: String, namespace: String?) {
        let name = nameID(qualified, namespace: namespace)
        let flags = nodes[Int(index)].header & ((1 << NodeRecord.nameShift) - 1)
        nodes[Int(index)].header = flags | name << NodeRecord.nameShift
    }
}
