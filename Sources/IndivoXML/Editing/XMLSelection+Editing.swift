// The setters act on every node. Where new nodes are to go to several places, the last place gets the nodes themselves
// and the others get copies, as in jQuery.
extension XMLSelection {
    /// Replaces what each node holds by a text.
    @discardableResult
    public func text(_ new: String) -> XMLSelection { each { $1.text(new) } }

    /// Sets an attribute of each node, or removes it with nil.
    @discardableResult
    public func attr(_ name: String, _ value: String?) -> XMLSelection { each { $1.attr(name, value) } }

    /// Removes an attribute from each node.
    @discardableResult
    public func removeAttr(_ name: String) -> XMLSelection { each { $1.removeAttr(name) } }

    /// Puts a node at the end of each.
    @discardableResult
    public func append(_ node: XMLNode) -> XMLSelection { append(CollectionOfOne(node)) }

    /// Puts nodes at the end of each.
    @discardableResult
    public func append(_ nodes: some Sequence<XMLNode>) -> XMLSelection { spread(nodes) { $0.append($1) } }

    /// Puts a node at the start of each.
    @discardableResult
    public func prepend(_ node: XMLNode) -> XMLSelection { prepend(CollectionOfOne(node)) }

    /// Puts nodes at the start of each.
    @discardableResult
    public func prepend(_ nodes: some Sequence<XMLNode>) -> XMLSelection { spread(nodes) { $0.prepend($1) } }

    /// Puts a node before each.
    @discardableResult
    public func before(_ node: XMLNode) -> XMLSelection { before(CollectionOfOne(node)) }

    /// Puts nodes before each.
    @discardableResult
    public func before(_ nodes: some Sequence<XMLNode>) -> XMLSelection { spread(nodes) { $0.before($1) } }

    /// Puts a node behind each.
    @discardableResult
    public func after(_ node: XMLNode) -> XMLSelection { after(CollectionOfOne(node)) }

    /// Puts nodes behind each.
    @discardableResult
    public func after(_ nodes: some Sequence<XMLNode>) -> XMLSelection { spread(nodes) { $0.after($1) } }

    /// Replaces each by a node.
    ///
    /// - Returns: The nodes that were taken out.
    @discardableResult
    public func replace(with node: XMLNode) -> XMLSelection { replace(with: CollectionOfOne(node)) }

    /// Replaces each by nodes.
    ///
    /// - Returns: The nodes that were taken out.
    @discardableResult
    public func replace(with nodes: some Sequence<XMLNode>) -> XMLSelection {
        spread(nodes) { $0.replace(with: $1) }
    }

    /// Takes the nodes out of their documents.
    ///
    /// - Returns: The nodes, which can be read and put elsewhere.
    @discardableResult
    public func remove() -> XMLSelection { each { $1.remove() } }

    /// Drops all children of each node.
    @discardableResult
    public func empty() -> XMLSelection { each { $1.empty() } }

    /// Replaces each node by a copy of `wrapper`, and puts it into that copy.
    ///
    /// - Returns: The nodes.
    @discardableResult
    public func wrap(_ wrapper: XMLNode) -> XMLSelection { each { $1.wrap(wrapper) } }

    /// Replaces the nodes' parents by the nodes.
    ///
    /// - Returns: The nodes.
    @discardableResult
    public func unwrap() -> XMLSelection { each { $1.unwrap() } }

    /// Copies of the nodes and all below them, each in a document of its own.
    public func clone() -> XMLSelection { XMLSelection(map { $0.clone() }) }

    private func spread(_ nodes: some Sequence<XMLNode>, _ put: (XMLNode, [XMLNode]) -> Void) -> XMLSelection {
        let nodes = Array(nodes)
        for (place, target) in enumerated() {
            put(target, place == count - 1 ? nodes : nodes.map { $0.clone() })
        }
        return self
    }
}
