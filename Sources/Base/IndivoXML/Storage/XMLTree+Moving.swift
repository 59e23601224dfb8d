extension XMLTree {
    /// Copies the subtree of `top` from another tree (or this one) to this tree, where the copy stands alone.
    /// The copy's records are appended in document order, so that a copy into an empty tree leaves it
    /// pristine.
    /// - Returns: Each node with its copy, `top` first.
    func copySubtree(_ top: UInt32, from source: XMLTree) -> [(original: UInt32, copy: UInt32)] {
        let isForeign = source !== self
        var nameMap: [UInt32: UInt32] = [:]
        func name(_ id: UInt32) -> UInt32 {
            guard isForeign else { return id }
            if let known = nameMap[id] { return known }
            let copy = nameID(
                source.names.qualified(id).string,
                namespace: source.names.namespace(ofName: id).string
            )
            nameMap[id] = copy
            return copy
        }
        func value(_ offset: UInt32) -> UInt32 {
            // Within one tree a value may be shared: values are never changed in place.
            isForeign ? store(source.state.pointee.arena.value(at: offset)) : offset
        }
        var pairs: [(original: UInt32, copy: UInt32)] = []
        // Those along the path down to the node at hand.
        var path = pairs
        for original in source.subtree(of: top) {
            let record = source.nodes[Int(original)]
            var copy = NodeRecord(kind: record.kind, name: name(record.name))
            if record.kind != .element && record.kind != .document { copy.payload = value(record.payload) }
            let index = makeRecord(copy)
            let attributes = Array(source.attributes(original)).map {
                AttributeRecord(
                    header: name($0.name) | $0.header & AttributeRecord.declarationFlag,
                    value: value($0.value)
                )
            }
            if !attributes.isEmpty { setAttributes(index, to: attributes) }
            while let last = path.last, last.original != record.parent { path.removeLast() }
            if let parent = path.last { link(index, into: parent.copy, before: noNode) }
            path.append((original, index))
            pairs.append((original, index))
        }
        return pairs
    }

    /// Brings a subtree of another tree here, where it stands alone. Handles to the moved nodes follow.
    func adopt(_ top: UInt32, from source: XMLTree) -> UInt32 {
        makeEditable()
        source.makeEditable()
        source.unlink(top)
        let pairs = copySubtree(top, from: source)
        let destination = source.destination(self)
        for (original, copy) in pairs {
            state.pointee.identities[copy] = source.hashIdentity(original)
            source.forward(original, to: copy, destination: destination)
        }
        return pairs[0].copy
    }

    /// What a handle to the node hashes by; it stays the same when the node moves to another tree.
    func hashIdentity(_ index: UInt32) -> Int {
        if !state.pointee.identities.isEmpty, let identity = state.pointee.identities[index] {
            return identity
        }
        return Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()) &+ Int(index)
    }

    /// Marks a slot as moved. It is not used again, because handles to it must find their node.
    private func forward(_ index: UInt32, to copy: UInt32, destination: Int) {
        let target = state.pointee.destinations[destination].tree
        vacate(index)
        nodes[Int(index)] = NodeRecord(
            kind: .removed,
            name: UInt32(destination + 1),
            payload: target?.state.pointee.links.base[Int(copy)].generation ?? 0
        )
        nodes[Int(index)].next = copy
    }

    /// Where the node of a vacant slot lives now; nil when it is gone.
    func forwarded(_ index: UInt32, generation: UInt32) -> XMLNode? {
        let record = nodes[Int(index)]
        let current = state.pointee.links.base[Int(index)].generation
        guard record.kind == .removed, record.name > 0, current == generation &+ 1 else { return nil }
        guard let tree = state.pointee.destinations[Int(record.name) - 1].tree else { return nil }
        return XMLNode(tree: tree, index: record.next, generation: record.payload)
    }

    private func destination(_ target: XMLTree) -> Int {
        if let known = state.pointee.destinations.firstIndex(where: { $0.tree === target }) { return known }
        state.pointee.destinations.append(
            Destination(strong: target.reaches(self) ? nil : target, tree: target)
        )
        return state.pointee.destinations.count - 1
    }

    /// Whether strong references lead from this tree to another.
    private func reaches(_ other: XMLTree) -> Bool {
        var seen: Set<ObjectIdentifier> = []
        var open = [self]
        while let tree = open.popLast() {
            if tree === other { return true }
            guard seen.insert(ObjectIdentifier(tree)).inserted else { continue }
            open.append(contentsOf: tree.state.pointee.destinations.compactMap(\.strong))
        }
        return false
    }
}
