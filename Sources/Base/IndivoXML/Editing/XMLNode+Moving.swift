extension XMLNode {
    func takeOut() {
        guard let node = resolved, node.record.kind != .document, node.record.parent != noNode else { return }
        let declarations = node.tree.declarationsForValues(of: node.index)
        node.tree.makeEditable()
        node.tree.unlink(node.index)
        node.tree.state.pointee.removedTops.insert(node.index)
        node.tree.add(declarations, to: node.index)
    }

    func dropChildren() {
        guard let node = resolved, node.canHaveChildren else { return }
        node.tree.makeEditable()
        node.tree.dropChildren(node.index)
    }

    func putInto(_ wrapper: XMLNode) {
        guard let node = resolved, node.record.kind != .document else { return }
        var copy = wrapper.clone()
        if copy.kind == .document, let root = copy.root { copy = root }
        guard copy.kind == .element else { return }
        if parent() != nil { before(copy) }
        var innermost = copy
        while let inner = innermost.firstElement { innermost = inner }
        innermost.append(self)
    }

    func replaceParent() {
        guard let parent = parent(), parent.kind == .element, parent.parent()?.kind == .element else {
            return
        }
        parent.replace(with: parent.contents())
    }

    var canHaveChildren: Bool { record.isElement || record.kind == .document }

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
        if !nodes.contains(self) { takeOut() }
    }

    /// Moves the node among the children of `parent`: before `successor`, which is a child of `parent`, or at
    /// the end.
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
