extension XMLNode {
    /// Takes the node out of its document.
    ///
    /// - Returns: The node, which can be read and put elsewhere.
    @discardableResult
    public func remove() -> XMLNode {
        guard let node = resolved, node.record.kind != .document, node.record.parent != noNode else { return self }
        let declarations = node.tree.declarationsForValues(of: node.index)
        node.tree.makeEditable()
        node.tree.unlink(node.index)
        node.tree.state.pointee.removedTops.insert(node.index)
        node.tree.add(declarations, to: node.index)
        return self
    }

    /// Drops all children. Handles to them report that they were removed.
    @discardableResult
    public func empty() -> XMLNode {
        guard let node = resolved, node.canHaveChildren else { return self }
        node.tree.makeEditable()
        node.tree.dropChildren(node.index)
        return self
    }

    var canHaveChildren: Bool { record.isElement || record.kind == .document }
}

extension XMLNode {
    /// A place for nodes, seen from one that is there.
    enum Place {
        case start, end, before, after
    }

    /// Moves nodes to a place, in their order.
    func put(_ nodes: [XMLNode], at place: Place) {
        let isInside = place == .start || place == .end
        guard let target = isInside ? resolved : parent(), target.canHaveChildren else { return }
        var successor: XMLNode? =
            switch place {
            case .start: contents().first
            case .end: nil
            case .before: self
            case .after: step(.next)
            }
        // What stands there may be among the nodes: then the place is before whatever follows it and stays.
        let moved = successor == nil ? [] : Set(nodes)
        while let candidate = successor, moved.contains(candidate) { successor = candidate.step(.next) }
        for node in nodes { node.move(into: target, before: successor) }
    }

    func exchange(for nodes: [XMLNode]) {
        guard parent() != nil, nodes != [self] else { return }
        put(nodes, at: .before)
        if !nodes.contains(self) { remove() }
    }

    /// Moves the node among the children of `parent`: before `successor`, which is a child of `parent`, or at the end.
    private func move(into parent: XMLNode, before successor: XMLNode?) {
        // The copy of a node that is gone is an empty document.
        guard let node = resolved, node.record.kind != .document, let parent = parent.resolved else { return }
        let tree = parent.tree
        let declarations = node.tree.declarationsForValues(of: node.index)
        var moved = node.index
        if node.tree === tree {
            guard !tree.ancestors(ofAndWith: parent.index).contains(node.index) else { return }
            tree.makeEditable()
            tree.unlink(node.index)
        } else {
            moved = tree.adopt(node.index, from: node.tree)
        }
        tree.link(moved, into: parent.index, before: successor?.resolved?.index ?? noNode)
        tree.add(declarations, to: moved)
    }
}

extension XMLTree {
    /// Frees all children of a node. The tree is editable.
    func dropChildren(_ index: UInt32) {
        for child in children(of: index) {
            unlink(child)
            free(child)
        }
    }
}

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
