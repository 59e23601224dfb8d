// Where new nodes are to go to several places, the last place gets the nodes themselves and the others get
// copies, as in jQuery.
extension XMLQueryable {
    /// Moves a node, from wherever it is, to the end of this one, or of each of these.
    ///
    /// It takes along the namespaces of prefixes in its values, where they are not declared here.
    ///
    /// A node keeps its namespace, also none: `XMLNode("Field")` below an element with a default namespace is
    /// written as `<Field xmlns="">`, which an Indivo server refuses. Give it the namespace of the element,
    /// or let the element make it:
    ///
    /// ```swift
    /// model.append(XMLNode("Field", namespace: model.namespace))
    /// model.appendElement("Field", namespace: model.namespace)
    /// ```
    ///
    /// A document node stands for its children. A move that would make no tree (a node into itself, children
    /// of a text) changes nothing.
    @discardableResult
    public func append(_ node: XMLNode) -> Self { append(CollectionOfOne(node)) }

    /// Moves nodes to the end of this one, or of each of these, in their order.
    @discardableResult
    public func append(_ nodes: some Sequence<XMLNode>) -> Self { spread(nodes) { $0.put($1, at: .end) } }

    /// Moves a node to the start of this one, or of each of these.
    @discardableResult
    public func prepend(_ node: XMLNode) -> Self { prepend(CollectionOfOne(node)) }

    /// Moves nodes to the start of this one, or of each of these, in their order.
    @discardableResult
    public func prepend(_ nodes: some Sequence<XMLNode>) -> Self { spread(nodes) { $0.put($1, at: .start) } }

    /// Moves a node directly before this one, or each of these. Where one has no parent, nothing changes.
    @discardableResult
    public func before(_ node: XMLNode) -> Self { before(CollectionOfOne(node)) }

    /// Moves nodes directly before this one, or each of these, in their order.
    @discardableResult
    public func before(_ nodes: some Sequence<XMLNode>) -> Self { spread(nodes) { $0.put($1, at: .before) } }

    /// Moves a node directly behind this one, or each of these. Where one has no parent, nothing changes.
    @discardableResult
    public func after(_ node: XMLNode) -> Self { after(CollectionOfOne(node)) }

    /// Moves nodes directly behind this one, or each of these, in their order.
    @discardableResult
    public func after(_ nodes: some Sequence<XMLNode>) -> Self { spread(nodes) { $0.put($1, at: .after) } }

    /// Replaces this node, or each of these, by another.
    ///
    /// - Returns: What was taken out, which can be put elsewhere.
    @discardableResult
    public func replace(with node: XMLNode) -> Self { replace(with: CollectionOfOne(node)) }

    /// Replaces this node, or each of these, by other nodes, in their order.
    ///
    /// - Returns: What was taken out, which can be put elsewhere.
    @discardableResult
    public func replace(with nodes: some Sequence<XMLNode>) -> Self { spread(nodes) { $0.exchange(for: $1) } }

    private func spread(_ nodes: some Sequence<XMLNode>, _ put: (XMLNode, [XMLNode]) -> Void) -> Self {
        // A document node's children move in its stead.
        let nodes = nodes.flatMap {
            $0.kind == .document ? $0.contents().filter { $0.kind != .documentType } : [$0]
        }
        let last = selection.count - 1
        return each { place, target in put(target, place == last ? nodes : nodes.map { $0.clone() }) }
    }
}
