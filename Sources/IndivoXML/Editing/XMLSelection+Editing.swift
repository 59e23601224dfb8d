// The setters act on every node.
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
}
