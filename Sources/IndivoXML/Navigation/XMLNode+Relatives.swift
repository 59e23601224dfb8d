extension XMLNode {
    /// The element or document this node is a child of.
    public func parent() -> XMLNode? {
        guard let node = resolved else { return nil }
        return node.tree.handle(orNil: node.tree.parent(node.index))
    }

    /// The child elements.
    public func children() -> XMLSelection {
        childSelection { tree, child in tree.isElement(child) }
    }

    /// The child elements of this local name, whatever their namespace.
    public func children(named name: String) -> XMLSelection {
        var name = name
        return name.withUTF8 { bytes in
            childSelection { tree, child in tree.isElement(child) && tree.localName(child).equals(bytes) }
        }
    }

    /// The first child element of this local name, whatever its namespace.
    public func child(named name: String) -> XMLNode? {
        guard let node = resolved else { return nil }
        var name = name
        return name.withUTF8 { bytes in
            var child = node.tree.firstElement(in: node.index)
            while child != noNode, !node.tree.localName(child).equals(bytes) { child = node.tree.nextElement(child) }
            return node.tree.handle(orNil: child)
        }
    }

    /// All children: elements, texts, comments, processing instructions.
    public func contents() -> XMLSelection {
        childSelection { _, _ in true }
    }

    /// The next sibling that is an element.
    public func next() -> XMLNode? {
        guard let node = resolved else { return nil }
        return node.tree.handle(orNil: node.tree.nextElement(node.index))
    }

    /// The previous sibling that is an element.
    public func previous() -> XMLNode? {
        guard let node = resolved else { return nil }
        return node.tree.handle(orNil: node.tree.previousElement(node.index))
    }

    private func childSelection(where isWanted: (XMLTree, UInt32) -> Bool) -> XMLSelection {
        guard let node = resolved else { return XMLSelection() }
        let tree = node.tree
        var ids: [NodeID] = []
        var child = tree.firstChild(node.index)
        while child != noNode {
            if isWanted(tree, child) { ids.append(tree.handle(child).id) }
            child = tree.next(child)
        }
        return XMLSelection(tree: tree, ids: ids)
    }
}

extension XMLNode {
    /// The first child that is an element. With `next()` it walks the child elements without making a selection:
    ///
    /// ```swift
    /// var child = node.firstElement
    /// while let element = child { …; child = element.next() }
    /// ```
    package var firstElement: XMLNode? {
        guard let node = resolved else { return nil }
        return node.tree.handle(orNil: node.tree.firstElement(in: node.index))
    }
}
