extension XMLSelection {
    /// The nodes that are not gone, by the tree they live in now.
    var groups: [(tree: XMLTree, indices: [UInt32])] {
        var groups: [(tree: XMLTree, indices: [UInt32])] = []
        for node in self {
            guard let node = node.resolved else { continue }
            if let last = groups.indices.last(where: { groups[$0].tree === node.tree }) {
                groups[last].indices.append(node.index)
            } else {
                groups.append((node.tree, [node.index]))
            }
        }
        return groups
    }

    init(tree: XMLTree, indices: [UInt32]) {
        self.init(tree: tree, ids: indices.map { tree.handle($0).id })
    }

    /// Joins selections of several trees.
    init(joining parts: [XMLSelection]) {
        if parts.count == 1 { self = parts[0] } else { self.init(parts.joined()) }
    }

    /// What `step` finds from each node: in document order and without duplicates.
    func gather(_ step: (_ tree: XMLTree, _ index: UInt32, _ found: (UInt32) -> Void) -> Void) -> XMLSelection {
        XMLSelection(
            joining: groups.map { tree, indices in
                var found: [UInt32] = []
                for index in indices { step(tree, index) { found.append($0) } }
                return XMLSelection(tree: tree, indices: tree.inOrder(found))
            })
    }
}

extension XMLTree {
    /// Nodes in document order, each once.
    func inOrder(_ indices: [UInt32]) -> [UInt32] {
        var isAscending = true
        var previous: UInt32?
        for index in indices {
            let place = place(of: index)
            if let before = previous, before >= place {
                isAscending = false
                break
            }
            previous = place
        }
        if isAscending { return indices }
        return Set(indices).sorted { place(of: $0) < place(of: $1) }
    }
}
