extension XMLNode {
    /// Replaces the node by a copy of `wrapper`, and puts it into that copy: into the innermost element of the wrapper's first
    /// branch.
    ///
    /// - Returns: The node, now wrapped.
    @discardableResult
    public func wrap(_ wrapper: XMLNode) -> XMLNode {
        guard let node = resolved, node.record.kind != .document else { return self }
        var copy = wrapper.clone()
        if copy.kind == .document, let root = copy.root { copy = root }
        guard copy.kind == .element else { return self }
        if parent() != nil { before(copy) }
        var innermost = copy
        while let inner = innermost.firstElement { innermost = inner }
        innermost.append(self)
        return self
    }

    /// Replaces the parent by the node and its siblings. The children of a root element
    /// stay where they are, because a document needs a root.
    ///
    /// - Returns: The node.
    @discardableResult
    public func unwrap() -> XMLNode {
        guard let parent = parent(), parent.kind == .element, let above = parent.parent(), above.kind == .element
        else { return self }
        parent.replace(with: Array(parent.contents()))
        return self
    }
}
