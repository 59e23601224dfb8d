/// Nodes of a tree, each one step from the one before. The next step is taken before a node is returned,
/// since the caller may move or free the node.
struct NodeWalk: Sequence, IteratorProtocol {
    enum Step {
        case next, nextElement, previousElement, parent, parentElement
        /// The next in document order inside the subtree of a node.
        case following(within: UInt32)
    }

    let tree: XMLTree
    let step: Step
    var upcoming: UInt32

    @inline(__always)
    mutating func next() -> UInt32? {
        if upcoming == noNode { return nil }
        let current = upcoming
        upcoming = tree.go(step, from: current)
        return current
    }
}

extension XMLTree {
    /// The result of a step; `noNode` if there is none.
    @inline(__always)
    func go(_ step: NodeWalk.Step, from index: UInt32) -> UInt32 {
        switch step {
        case .next: return next(index)
        case .nextElement: return nextElement(index)
        case .previousElement: return previousElement(index)
        case .parent: return parent(index)
        case .parentElement:
            let parent = parent(index)
            return parent != noNode && isElement(parent) ? parent : noNode
        case .following(let top): return following(index, within: top)
        }
    }

    /// Where one step after the other leads.
    func walk(_ step: NodeWalk.Step, from index: UInt32) -> NodeWalk {
        NodeWalk(tree: self, step: step, upcoming: go(step, from: index))
    }

    func children(of index: UInt32) -> NodeWalk {
        NodeWalk(tree: self, step: .next, upcoming: firstChild(index))
    }

    func elements(in index: UInt32) -> NodeWalk {
        NodeWalk(tree: self, step: .nextElement, upcoming: firstElement(in: index))
    }

    func elements(in index: UInt32, named name: UTF8Bytes) -> LazyFilterSequence<NodeWalk> {
        elements(in: index).lazy.filter { self.localName($0).equals(name) }
    }

    /// A node and all below it, in document order.
    func subtree(of top: UInt32) -> NodeWalk {
        NodeWalk(tree: self, step: .following(within: top), upcoming: top)
    }

    /// A node and its ancestors, from the inside out.
    func ancestors(ofAndWith index: UInt32) -> NodeWalk {
        NodeWalk(tree: self, step: .parent, upcoming: index)
    }

    /// The ancestors of a node, from the inside out.
    func ancestors(of index: UInt32) -> NodeWalk { walk(.parent, from: index) }

    /// Calls `body` with each node of a subtree when it starts, and with those that have children when they
    /// end. It follows the links and does not recurse, so that no tree is too deep.
    @inline(__always)
    func visit(_ top: UInt32, _ body: (_ index: UInt32, _ isEnd: Bool) throws -> Void) rethrows {
        var current = top
        while true {
            try body(current, false)
            let child = firstChild(current)
            if child != noNode {
                current = child
                continue
            }
            while current != top, next(current) == noNode {
                current = parent(current)
                try body(current, true)
            }
            if current == top { return }
            current = next(current)
        }
    }
}
