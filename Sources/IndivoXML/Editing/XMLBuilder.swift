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

extension XMLNode {
    /// A new element with children, in a document of its own. Elements among the children that have no namespace and no
    /// prefix take this one's, so that it is said once.
    public init(
        _ name: String, namespace: String? = nil, attributes: KeyValuePairs<String, String> = [:],
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
        guard let node = resolved, node.record.isElement, self.namespace == nil, prefix == nil, attr("xmlns") == nil
        else { return }
        node.tree.rename(node.index, to: qualifiedName, namespace: namespace)
        for child in children() { child.inherit(namespace) }
    }
}

extension XMLTree {
    /// Gives an element another name. The arena is the tree's own.
    func rename(_ index: UInt32, to qualified: String, namespace: String?) {
        let name = nameID(qualified, namespace: namespace)
        let flags = nodes[Int(index)].header & ((1 << NodeRecord.nameShift) - 1)
        nodes[Int(index)].header = flags | name << NodeRecord.nameShift
    }
}
