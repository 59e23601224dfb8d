/// The verbs of jQuery that lead from a node or a selection to other nodes.
///
/// A node behaves as a selection of one. A selector is a literal, or a compiled `XMLSelector` if it is known
/// only at run time.
///
/// Results are in document order, without duplicates, also where jQuery goes backwards (`parents`,
/// `previousAll`).
public protocol XMLQueryable {
    /// The nodes themselves, as a selection.
    var selection: XMLSelection { get }
}

extension XMLNode: XMLQueryable {
    /// The node as a selection of one.
    public var selection: XMLSelection { XMLSelection(self) }
}

extension XMLSelection: XMLQueryable {
    /// The selection itself.
    public var selection: XMLSelection { self }
}

extension XMLQueryable {
    // MARK: Down

    /// The descendants that the selector matches. The whole selector is matched below the nodes; it may start
    /// with a combinator, as in `> Item`.
    public func find(_ selector: XMLSelector) -> XMLSelection {
        selection.gather { tree, index in SelectorRun(selector, tree: tree, scope: index).find(from: index) }
    }

    /// The first of the descendants that the selector matches.
    public func first(_ selector: XMLSelector) -> XMLNode? { find(selector).first }

    // MARK: Up and sideways

    /// The ancestors that are elements, in document order: the nearest is the last.
    public func parents() -> XMLSelection { relatives(.parentElement) }

    /// The ancestors below the nearest one that the selector matches.
    public func parentsUntil(_ selector: XMLSelector) -> XMLSelection {
        relatives(.parentElement, until: selector)
    }

    /// The sibling elements.
    public func siblings() -> XMLSelection {
        selection.gather { tree, index in
            let parent = tree.parent(index)
            return parent == noNode ? [] : tree.elements(in: parent).filter { $0 != index }
        }
    }

    /// All following sibling elements.
    public func nextAll() -> XMLSelection { relatives(.nextElement) }

    /// The following sibling elements before the first one that the selector matches.
    public func nextUntil(_ selector: XMLSelector) -> XMLSelection {
        relatives(.nextElement, until: selector)
    }

    /// All preceding sibling elements, in document order.
    public func previousAll() -> XMLSelection { relatives(.previousElement) }

    /// The preceding sibling elements behind the nearest one that the selector matches, in document order.
    public func previousUntil(_ selector: XMLSelector) -> XMLSelection {
        relatives(.previousElement, until: selector)
    }

    /// The results of repeating a step from each node, up to an element that the selector matches.
    private func relatives(_ step: NodeWalk.Step, until selector: XMLSelector? = nil) -> XMLSelection {
        selection.collect { tree, indices in
            let run = selector.map { SelectorRun($0, tree: tree) }
            return indices.flatMap { tree.walk(step, from: $0).prefix { run?.matches($0) != true } }
        }
    }

    // MARK: Of the nodes themselves

    /// Whether the selector matches one of the nodes.
    public func `is`(_ selector: XMLSelector) -> Bool { !selection.filter(selector).isEmpty }

    /// The nodes that the selector matches.
    public func filter(_ selector: XMLSelector) -> XMLSelection { picked(by: selector, keepsMatches: true) }

    /// The nodes that the selector does not match.
    public func not(_ selector: XMLSelector) -> XMLSelection { picked(by: selector, keepsMatches: false) }

    private func picked(by selector: XMLSelector, keepsMatches: Bool) -> XMLSelection {
        var kept: Set<XMLNode> = []
        let nodes = selection
        for (tree, indices) in nodes.groups {
            let found = SelectorRun(selector, tree: tree).filter(
                indices.filter(tree.isElement),
                by: selector.alternatives
            )
            kept.formUnion(found.map(tree.handle))
        }
        return nodes.filter { kept.contains($0) == keepsMatches }
    }

    /// The nodes with a descendant that the selector matches.
    public func has(_ selector: XMLSelector) -> XMLSelection {
        selection.filter { !$0.find(selector).isEmpty }
    }

    /// The nodes that are not among others.
    public func not(_ others: some Sequence<XMLNode>) -> XMLSelection {
        let others = Set(others)
        return selection.filter { !others.contains($0) }
    }

    /// The nodes and others, each once: first these, then those that are new.
    public func add(_ others: some Sequence<XMLNode>) -> XMLSelection {
        XMLSelection(Array(selection) + Array(others))
    }

    /// The index of the first node among the elements of its parent, from 0; nil when there is no node.
    public func index() -> Int? {
        selection.first?.resolved.map { Array($0.tree.walk(.previousElement, from: $0.index)).count }
    }

    /// The index of a node among these, from 0; `nil` if it is not one of them.
    public func index(of node: XMLNode) -> Int? { selection.firstIndex(of: node) }

    /// Calls `body` with each node and its index.
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
        func bound(_ place: Int) -> Int {
            Swift.min(Swift.max(place < 0 ? nodes.count + place : place, 0), nodes.count)
        }
        let from = bound(start)
        return XMLSelection(nodes[from..<Swift.max(from, bound(end ?? nodes.count))])
    }

    // MARK: Another verb and a filter

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
