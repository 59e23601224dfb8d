/// The verbs of jQuery by which both a node and a selection give other nodes.
///
/// A node behaves as a selection of one. Every verb that takes a selector takes a compiled `XMLSelector`
/// or a literal, and then does not throw, or a string, and then throws `XMLSelectorError` when the string is no selector.
///
/// Results are in document order, without duplicates, also where jQuery goes backwards (`parents`,
/// `previousAll`).
public protocol XMLQueryable {
    /// The nodes themselves, as a selection.
    var selection: XMLSelection { get }
}

extension XMLNode: XMLQueryable {
    /// The node as a selection of one.
    public var selection: XMLSelection { XMLSelection(CollectionOfOne(self)) }
}

extension XMLSelection: XMLQueryable {
    /// The selection itself.
    public var selection: XMLSelection { self }
}

// MARK: - Down

extension XMLQueryable {
    /// The descendants that the selector matches. The whole selector is matched below the nodes; it may start with a
    /// combinator, as in `> Item`.
    public func find(_ selector: XMLSelector) -> XMLSelection {
        XMLSelection(
            joining: selection.groups.map { tree, indices in
                var found: [UInt32] = []
                for index in indices { found += SelectorRun(selector, tree: tree, scope: index).find(from: index) }
                return XMLSelection(tree: tree, indices: tree.inOrder(found))
            })
    }

    /// The first of the descendants that the selector matches.
    public func first(_ selector: XMLSelector) -> XMLNode? { find(selector).first }
}

// MARK: - Up and sideways

extension XMLQueryable {
    /// The ancestors that are elements, in document order: the nearest is the last.
    public func parents() -> XMLSelection {
        selection.gather { tree, index, found in tree.forEachAncestor(of: index, found) }
    }

    /// The ancestors below the nearest one that the selector matches.
    public func parentsUntil(_ selector: XMLSelector) -> XMLSelection {
        relatives(until: selector) { tree, index, step in
            var ancestor = tree.parent(index)
            while ancestor != noNode, tree.isElement(ancestor), step(ancestor) { ancestor = tree.parent(ancestor) }
        }
    }

    /// The sibling elements.
    public func siblings() -> XMLSelection {
        selection.gather { tree, index, found in
            let parent = tree.parent(index)
            guard parent != noNode else { return }
            tree.forEach(from: tree.firstElement(in: parent), tree.nextElement) { if $0 != index { found($0) } }
        }
    }

    /// All following sibling elements.
    public func nextAll() -> XMLSelection {
        selection.gather { tree, index, found in tree.forEach(from: tree.nextElement(index), tree.nextElement, found) }
    }

    /// The following sibling elements before the first one that the selector matches.
    public func nextUntil(_ selector: XMLSelector) -> XMLSelection {
        relatives(until: selector) { tree, index, step in
            var sibling = tree.nextElement(index)
            while sibling != noNode, step(sibling) { sibling = tree.nextElement(sibling) }
        }
    }

    /// All preceding sibling elements, in document order.
    public func previousAll() -> XMLSelection {
        selection.gather { tree, index, found in
            let parent = tree.parent(index)
            guard parent != noNode else { return }
            var sibling = tree.firstElement(in: parent)
            while sibling != noNode {
                if tree.place(of: sibling) >= tree.place(of: index) { return }
                found(sibling)
                sibling = tree.nextElement(sibling)
            }
        }
    }

    /// The preceding sibling elements behind the nearest one that the selector matches, in document order.
    public func previousUntil(_ selector: XMLSelector) -> XMLSelection {
        relatives(until: selector) { tree, index, step in
            var sibling = tree.previousElement(index)
            while sibling != noNode, step(sibling) { sibling = tree.previousElement(sibling) }
        }
    }

    /// What `walk` steps on before it meets an element that the selector matches.
    private func relatives(
        until selector: XMLSelector, _ walk: (XMLTree, UInt32, _ step: (UInt32) -> Bool) -> Void
    ) -> XMLSelection {
        XMLSelection(
            joining: selection.groups.map { tree, indices in
                let run = SelectorRun(selector, tree: tree)
                var found: [UInt32] = []
                for index in indices {
                    walk(tree, index) { candidate in
                        if run.matches(candidate) { return false }
                        found.append(candidate)
                        return true
                    }
                }
                return XMLSelection(tree: tree, indices: tree.inOrder(found))
            })
    }
}

// MARK: - Of the nodes themselves

extension XMLQueryable {
    /// Whether the selector matches one of the nodes.
    public func `is`(_ selector: XMLSelector) -> Bool { !selection.filter(selector).isEmpty }

    /// The nodes that the selector matches.
    public func filter(_ selector: XMLSelector) -> XMLSelection { selection.picked(by: selector, keepsMatches: true) }

    /// The nodes that the selector does not match.
    public func not(_ selector: XMLSelector) -> XMLSelection { selection.picked(by: selector, keepsMatches: false) }

    /// The nodes with a descendant that the selector matches.
    public func has(_ selector: XMLSelector) -> XMLSelection {
        selection.filter { !$0.find(selector).isEmpty }
    }

    /// The index of the first node among the elements of its parent, from 0; nil when there is no node.
    public func index() -> Int? {
        guard let node = selection.first?.resolved else { return nil }
        var place = 0
        node.tree.forEach(from: node.tree.previousElement(node.index), node.tree.previousElement) { _ in place += 1 }
        return place
    }

    /// Calls `body` with each node and its index.
    ///
    /// - Returns: The receiver.
    @discardableResult
    public func each(_ body: (_ place: Int, _ node: XMLNode) throws -> Void) rethrows -> Self {
        for (place, node) in selection.enumerated() { try body(place, node) }
        return self
    }

    /// The node at an index, from 0, or from the end when negative; nil when there is none.
    public func eq(_ place: Int) -> XMLNode? {
        let nodes = selection
        let place = place < 0 ? nodes.count + place : place
        return nodes.indices.contains(place) ? nodes[place] : nil
    }

    /// The nodes from one index up to another, which is excluded; both count from the end when negative.
    public func slice(_ start: Int, _ end: Int? = nil) -> XMLSelection {
        let nodes = selection
        func bound(_ place: Int) -> Int { Swift.min(Swift.max(place < 0 ? nodes.count + place : place, 0), nodes.count) }
        let from = bound(start)
        return XMLSelection(nodes[from..<Swift.max(from, bound(end ?? nodes.count))])
    }
}

extension XMLTree {
    func forEachAncestor(of index: UInt32, _ body: (UInt32) -> Void) {
        var ancestor = parent(index)
        while ancestor != noNode, isElement(ancestor) {
            body(ancestor)
            ancestor = parent(ancestor)
        }
    }
}

extension XMLSelection {
    /// The nodes the selector means, or the others.
    func picked(by selector: XMLSelector, keepsMatches: Bool) -> XMLSelection {
        var kept: Set<XMLNode> = []
        for (tree, indices) in groups {
            let run = SelectorRun(selector, tree: tree)
            let elements = indices.filter(tree.isElement)
            for alternative in selector.alternatives {
                for index in run.filter(elements, by: alternative) { kept.insert(tree.handle(index)) }
            }
        }
        return filter { kept.contains($0) == keepsMatches }
    }
}

// Verbs that are another verb and a filter.
extension XMLQueryable {
    /// The child elements that the selector matches.
    public func children(_ selector: XMLSelector) -> XMLSelection { selection.children().filter(selector) }

    /// The parents that the selector matches.
    public func parent(_ selector: XMLSelector) -> XMLSelection { selection.parent().filter(selector) }

    /// The ancestors that the selector matches, in document order: the nearest is the last.
    public func parents(_ selector: XMLSelector) -> XMLSelection { parents().filter(selector) }

    /// The sibling elements that the selector matches.
    public func siblings(_ selector: XMLSelector) -> XMLSelection { siblings().filter(selector) }

    /// The next sibling elements, where the selector matches them.
    public func next(_ selector: XMLSelector) -> XMLSelection { selection.next().filter(selector) }

    /// The following sibling elements that the selector matches.
    public func nextAll(_ selector: XMLSelector) -> XMLSelection { nextAll().filter(selector) }

    /// The previous sibling elements, where the selector matches them.
    public func previous(_ selector: XMLSelector) -> XMLSelection { selection.previous().filter(selector) }

    /// The preceding sibling elements that the selector matches, in document order.
    public func previousAll(_ selector: XMLSelector) -> XMLSelection { previousAll().filter(selector) }
}
