extension XMLNode {
    /// Moves a node, from wherever it is, to the end of this one.
    ///
    /// It takes along the namespaces of prefixes in its values, where they are not declared here.
    ///
    /// A node keeps its namespace, also none: `XMLNode("Field")` below an element with a default namespace is written as
    /// `<Field xmlns="">`, which an Indivo server refuses. Give it the namespace of the element, or let the element make it:
    ///
    /// ```swift
    /// model.append(XMLNode("Field", namespace: model.namespace))
    /// model.appendElement("Field", namespace: model.namespace)
    /// ```
    ///
    /// A document node stands for its children. A move that would make no tree (a node into itself, children of a text) changes
    /// nothing.
    ///
    /// - Returns: The receiver.
    @discardableResult
    public func append(_ node: XMLNode) -> XMLNode { append(CollectionOfOne(node)) }

    /// Moves nodes to the end of this one, in their order.
    @discardableResult
    public func append(_ nodes: some Sequence<XMLNode>) -> XMLNode {
        guard let me = resolved, me.canHaveChildren else { return self }
        for node in nodes { node.move(into: me, before: nil) }
        return self
    }

    /// Moves a node to the start of this one.
    @discardableResult
    public func prepend(_ node: XMLNode) -> XMLNode { prepend(CollectionOfOne(node)) }

    /// Moves nodes to the start of this one, in their order.
    @discardableResult
    public func prepend(_ nodes: some Sequence<XMLNode>) -> XMLNode {
        guard let me = resolved, me.canHaveChildren else { return self }
        let nodes = XMLNode.pieces(nodes)
        let moved = Set(nodes)
        let first = me.contents().first { !moved.contains($0) }
        for node in nodes { node.move(into: me, before: first) }
        return self
    }

    /// Moves a node directly before this one. Where this node has no parent, nothing changes.
    @discardableResult
    public func before(_ node: XMLNode) -> XMLNode { before(CollectionOfOne(node)) }

    /// Moves nodes directly before this one, in their order.
    @discardableResult
    public func before(_ nodes: some Sequence<XMLNode>) -> XMLNode {
        guard let parent = parent() else { return self }
        // The receiver may be among the nodes: then the place is before whatever follows it and stays.
        let nodes = XMLNode.pieces(nodes)
        let place = sibling(from: self, notIn: Set(nodes))
        for node in nodes { node.move(into: parent, before: place) }
        return self
    }

    /// Moves a node directly behind this one. Where this node has no parent, nothing changes.
    @discardableResult
    public func after(_ node: XMLNode) -> XMLNode { after(CollectionOfOne(node)) }

    /// Moves nodes directly behind this one, in their order.
    @discardableResult
    public func after(_ nodes: some Sequence<XMLNode>) -> XMLNode {
        guard let parent = parent() else { return self }
        let nodes = XMLNode.pieces(nodes)
        let place = sibling(from: nextSibling, notIn: Set(nodes))
        for node in nodes { node.move(into: parent, before: place) }
        return self
    }

    /// Replaces this node by another.
    ///
    /// - Returns: This node, which was taken out and can be put elsewhere.
    @discardableResult
    public func replace(with node: XMLNode) -> XMLNode { replace(with: CollectionOfOne(node)) }

    /// Replaces this node by other nodes, in their order.
    ///
    /// - Returns: This node, which was taken out and can be put elsewhere.
    @discardableResult
    public func replace(with nodes: some Sequence<XMLNode>) -> XMLNode {
        let nodes = XMLNode.pieces(nodes)
        guard parent() != nil, nodes != [self] else { return self }
        before(nodes)
        return nodes.contains(self) ? self : remove()
    }

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

    private var nextSibling: XMLNode? {
        guard let node = resolved else { return nil }
        return node.tree.handle(orNil: node.tree.next(node.index))
    }

    /// The first of `start` and the siblings behind it that is not to be moved.
    private func sibling(from start: XMLNode?, notIn moved: Set<XMLNode>) -> XMLNode? {
        var place = start
        while let candidate = place, moved.contains(candidate) { place = candidate.nextSibling }
        return place
    }

    /// The nodes that really move: a document node's children in its stead.
    private static func pieces(_ nodes: some Sequence<XMLNode>) -> [XMLNode] {
        nodes.flatMap { node in
            node.kind == .document ? node.contents().filter { $0.kind != .documentType } : [node]
        }
    }

    /// Moves the node among the children of `parent`: before `successor`, which is a child of
    /// `parent`, or at the end.
    private func move(into parent: XMLNode, before successor: XMLNode?) {
        guard let node = resolved, let parent = parent.resolved else { return }
        if node.record.kind == .document {
            for piece in XMLNode.pieces([node]) { piece.move(into: parent, before: successor) }
            return
        }
        if let successor, successor == node { return }
        let tree = parent.tree
        let declarations = node.tree.declarationsForValues(of: node.index)
        var moved = node.index
        if node.tree === tree {
            guard !tree.isAncestor(node.index, ofOrSame: parent.index) else { return }
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
        var child = firstChild(index)
        while child != noNode {
            let next = next(child)
            unlink(child)
            free(child)
            child = next
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
