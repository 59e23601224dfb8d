extension XMLSelection {
    /// The child elements of all the nodes.
    public func children() -> XMLSelection {
        gather { tree, index, found in
            var child = tree.firstElement(in: index)
            while child != noNode {
                found(child)
                child = tree.nextElement(child)
            }
        }
    }

    /// The child elements of this local name, whatever their namespace.
    public func children(named name: String) -> XMLSelection {
        var name = name
        return name.withUTF8 { bytes in
            gather { tree, index, found in
                var child = tree.firstElement(in: index)
                while child != noNode {
                    if tree.localName(child).equals(bytes) { found(child) }
                    child = tree.nextElement(child)
                }
            }
        }
    }

    /// All children of all the nodes: elements, texts, comments, processing instructions.
    public func contents() -> XMLSelection {
        gather { tree, index, found in
            var child = tree.firstChild(index)
            while child != noNode {
                found(child)
                child = tree.next(child)
            }
        }
    }

    /// The elements that the nodes are children of.
    public func parent() -> XMLSelection {
        gather { tree, index, found in
            let parent = tree.parent(index)
            if parent != noNode, tree.isElement(parent) { found(parent) }
        }
    }

    /// The next sibling element of each node.
    public func next() -> XMLSelection {
        gather { tree, index, found in
            let next = tree.nextElement(index)
            if next != noNode { found(next) }
        }
    }

    /// The previous sibling element of each node.
    public func previous() -> XMLSelection {
        gather { tree, index, found in
            let previous = tree.previousElement(index)
            if previous != noNode { found(previous) }
        }
    }

    /// The nearest of each node and its ancestors that the selector matches.
    public func closest(_ selector: XMLSelector) -> XMLSelection {
        XMLSelection(
            joining: groups.map { tree, indices in
                let run = SelectorRun(selector, tree: tree)
                return XMLSelection(tree: tree, indices: tree.inOrder(indices.compactMap { run.closest($0) }))
            })
    }

    /// The nearest of each node and its ancestors that the selector matches.
    ///
    /// - Throws: `XMLSelectorError`.
    @_disfavoredOverload
    public func closest(_ selector: String) throws -> XMLSelection { closest(try XMLSelector(selector)) }

    /// The nodes for which the closure says yes.
    public func filter(_ isIncluded: (XMLNode) throws -> Bool) rethrows -> XMLSelection {
        var kept: [XMLNode] = []
        for node in self where try isIncluded(node) { kept.append(node) }
        return XMLSelection(kept)
    }

    /// The nodes that are not among others.
    public func not(_ others: some Sequence<XMLNode>) -> XMLSelection {
        let others = Set(others)
        return filter { !others.contains($0) }
    }

    /// The nodes of both selections, each once: first these, then those that are new.
    public func add(_ others: some Sequence<XMLNode>) -> XMLSelection { XMLSelection(Array(self) + Array(others)) }

    /// The index of a node in the selection, from 0; nil when it is not in it.
    public func index(of node: XMLNode) -> Int? { firstIndex(of: node) }
}

extension XMLNode {
    /// The nearest of the node and its ancestors that the selector matches.
    public func closest(_ selector: XMLSelector) -> XMLNode? {
        guard let node = resolved else { return nil }
        return SelectorRun(selector, tree: node.tree).closest(node.index).map(node.tree.handle)
    }

    /// The nearest of the node and its ancestors that the selector matches.
    ///
    /// - Throws: `XMLSelectorError`.
    @_disfavoredOverload
    public func closest(_ selector: String) throws -> XMLNode? { closest(try XMLSelector(selector)) }

    /// The child elements of this local name, as `children(named:)`.
    public subscript(name: String) -> XMLSelection { children(named: name) }
}

extension XMLSelection {
    /// The child elements of this local name, as `children(named:)`: `root["Report"]["Item"]`.
    public subscript(name: String) -> XMLSelection { children(named: name) }
}

extension SelectorRun {
    func closest(_ index: UInt32) -> UInt32? {
        var current = index
        while current != noNode {
            if tree.isElement(current), matches(current) { return current }
            current = tree.parent(current)
        }
        return nil
    }
}
