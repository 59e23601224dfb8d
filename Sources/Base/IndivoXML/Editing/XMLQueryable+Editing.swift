// The setters act on the node, or on each of a selection.
extension XMLQueryable {
    /// Replaces the content of the node, or of each of these, by a text: an element's children, or the
    /// characters of a text, comment or processing instruction. Handles to the old children report that they
    /// were removed.
    @discardableResult
    public func text(_ new: String) -> Self { each { $1.setText(new) } }

    /// Sets an attribute by its name as it is written, or removes it with nil.
    ///
    /// A prefix takes the namespace that is in force for it here; if none is, it must be declared on this
    /// element before it can be written. `xmlns` and `xmlns:prefix` declare one, and if the prefix is the
    /// element's own, that is the element's namespace from now on.
    @discardableResult
    public func attr(_ name: String, _ value: String?) -> Self { each { $1.setAttribute(name, value) } }

    /// Removes an attribute, by its name as it is written.
    @discardableResult
    public func removeAttr(_ name: String) -> Self { attr(name, nil) }

    /// Removes the node, or each of these, from its document.
    ///
    /// - Returns: The receiver, which can be read and put elsewhere.
    @discardableResult
    public func remove() -> Self { each { $1.takeOut() } }

    /// Drops all children. Handles to them report that they were removed.
    @discardableResult
    public func empty() -> Self { each { $1.dropChildren() } }

    /// Replaces the node, or each of these, by a copy of `wrapper`, and puts it into that copy: into the
    /// innermost element of the wrapper's first branch.
    ///
    /// - Returns: The receiver, now wrapped.
    @discardableResult
    public func wrap(_ wrapper: XMLNode) -> Self { each { $1.putInto(wrapper) } }

    /// Replaces the parent by the node and its siblings, for each of these. The children of a root element
    /// stay where they are, because a document needs a root.
    @discardableResult
    public func unwrap() -> Self { each { $1.replaceParent() } }
}
