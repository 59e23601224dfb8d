extension XMLTree {
    /// Prepares the tree for edits of attributes and content: it gets an arena of its own.
    func makeWritable() {
        state.pointee.mirror = nil
        if state.pointee.frozen != nil {
            state.pointee.arena.apply(.copy)
            state.pointee.frozen = nil
        }
        // Unused bytes are dropped once they are the larger part, so that a document that is edited forever
        // does not grow forever. Only at the start of an edit: offsets that no record holds yet would be
        // lost.
        let bytes = state.pointee.wastedBytes
        let attributes = state.pointee.wastedAttributes
        if bytes > 1 << 16 && bytes > state.pointee.arena.bytes.count / 2
            || attributes > 1 << 14 && attributes > state.pointee.arena.attributes.count / 2
        {
            compactValues()
        }
    }

    /// Prepares the tree for edits of structure: it gets an arena of its own, and links beside the records.
    func makeEditable() {
        makeWritable()
        state.pointee.order = nil
        guard isPristine else { return }
        let count = state.pointee.arena.nodes.count
        let links = state.pointee.links.extend(by: count)
        links.initialize(repeating: Link(), count: count)
        for index in 0..<count {
            let record = nodes[index]
            if record.parent != noNode {
                if links[Int(record.parent)].firstChild == noNode {
                    links[Int(record.parent)].firstChild = UInt32(index)
                }
                if record.next == noNode { links[Int(record.parent)].lastChild = UInt32(index) }
            }
            if record.next != noNode { links[Int(record.next)].previous = UInt32(index) }
        }
    }

    // MARK: Records

    /// A new record that stands alone. The tree is editable.
    func makeRecord(_ record: NodeRecord) -> UInt32 {
        if let index = state.pointee.vacant.popLast() {
            nodes[Int(index)] = record
            return index
        }
        let index = UInt32(state.pointee.arena.nodes.count)
        precondition(index < noNode, "an XML document can have no more than \(noNode) nodes")
        state.pointee.arena.nodes.append(record)
        state.pointee.links.append(Link())
        return index
    }

    func makeText(_ text: String) -> UInt32 { makeRecord(NodeRecord(kind: .text, payload: store(text))) }

    /// Frees the slots of a subtree that stands alone: handles into it report that their node was removed.
    func free(_ top: UInt32) {
        for index in Array(subtree(of: top)) {
            vacate(index)
            state.pointee.vacant.append(index)
        }
    }

    /// Marks a slot as gone.
    func vacate(_ index: UInt32) {
        let record = nodes[Int(index)]
        for attribute in attributes(index) { waste(attribute.value) }
        state.pointee.wastedAttributes += attributes(index).count
        if !record.isElement, record.kind != .document { waste(record.payload) }
        nodes[Int(index)] = NodeRecord(kind: .removed)
        let generation = state.pointee.links.base[Int(index)].generation
        state.pointee.links.base[Int(index)] = Link(generation: generation &+ 1)
        state.pointee.removedTops.remove(index)
        state.pointee.identities[index] = nil
    }

    // MARK: Links

    /// Takes a node out of its parent's children. The node keeps its own.
    func unlink(_ index: UInt32) {
        let links = state.pointee.links.base
        let record = nodes[Int(index)]
        join(links[Int(index)].previous, record.next, in: record.parent)
        if record.parent != noNode, links[Int(record.parent)].firstChild == noNode {
            nodes[Int(record.parent)].header &= ~NodeRecord.childrenFlag
        }
        nodes[Int(index)].parent = noNode
        nodes[Int(index)].next = noNode
        links[Int(index)].previous = noNode
    }

    /// Puts a node that stands alone among the children of `parent`, before `successor` or (for `noNode`) at
    /// the end.
    func link(_ index: UInt32, into parent: UInt32, before successor: UInt32) {
        let links = state.pointee.links.base
        let previous = successor == noNode ? links[Int(parent)].lastChild : links[Int(successor)].previous
        nodes[Int(index)].parent = parent
        join(previous, index, in: parent)
        join(index, successor, in: parent)
        nodes[Int(parent)].header |= NodeRecord.childrenFlag
        state.pointee.removedTops.remove(index)
    }

    /// Makes neighbours of two children of `parent`; `noNode` stands for its start and its end.
    private func join(_ left: UInt32, _ right: UInt32, in parent: UInt32) {
        let links = state.pointee.links.base
        if left != noNode {
            nodes[Int(left)].next = right
        } else if parent != noNode {
            links[Int(parent)].firstChild = right
        }
        if right != noNode {
            links[Int(right)].previous = left
        } else if parent != noNode {
            links[Int(parent)].lastChild = left
        }
    }

    // MARK: Bytes

    func waste(_ offset: UInt32) {
        state.pointee.wastedBytes += state.pointee.arena.value(at: offset).count + 1
    }

    func store(_ text: String) -> UInt32 { text.withBytes { store($0) } }

    func store(_ bytes: UTF8Bytes) -> UInt32 {
        precondition(
            state.pointee.arena.bytes.count + bytes.count + 10 < Int(UInt32.max),
            "the text of an XML document can have no more than 4 GB"
        )
        return state.pointee.arena.store(bytes)
    }

    private func compactValues() {
        var old = state.pointee.arena
        var arena = old
        arena.bytes = Column()
        arena.attributes = Column()
        for index in 0..<UInt32(old.nodes.count) {
            var payload = nodes[Int(index)].payload
            switch nodes[Int(index)].kind {
            case .element:
                payload = UInt32(arena.attributes.count)
                for var attribute in attributes(index) {
                    attribute.value = arena.store(old.value(at: attribute.value))
                    arena.attributes.append(attribute)
                }
            case .document, .removed: continue
            default: payload = arena.store(old.value(at: payload))
            }
            nodes[Int(index)].payload = payload
        }
        old.bytes.deallocate()
        old.attributes.deallocate()
        state.pointee.arena = arena
        state.pointee.wastedBytes = 0
        state.pointee.wastedAttributes = 0
    }

    // MARK: Names

    /// The id of a name, added when it is new. The arena is the tree's own.
    func nameID(_ qualified: String, namespace: String?) -> UInt32 {
        nameID(qualified, namespaceID: namespaceID(namespace))
    }

    func nameID(_ qualified: String, namespaceID: UInt32) -> UInt32 {
        let key = NameKey(name: UTF8Key(qualified), namespace: namespaceID)
        if state.pointee.nameIDs == nil {
            state.pointee.nameIDs = Dictionary(
                firstOf: (0..<UInt32(names.count)).map { id in
                    (
                        NameKey(name: UTF8Key(names.qualified(id)), namespace: names.namespaceID(ofName: id)),
                        id
                    )
                }
            )
        }
        if let id = state.pointee.nameIDs?[key] { return id }
        precondition(names.count < NodeRecord.nameLimit, "too many different names in one XML document")
        let id = qualified.withBytes { name in
            let colon = name.firstIndex(of: UInt8(ascii: ":")) ?? 0
            let local = UTF8Bytes(rebasing: name[(colon > 0 ? colon + 1 : 0)...])
            let prefix = UTF8Bytes(rebasing: name[..<colon])
            return state.pointee.arena.names.add(prefix: prefix, local: local, namespace: namespaceID)
        }
        state.pointee.nameIDs?[key] = id
        return id
    }

    /// The id of a namespace, added when it is new; nil and the empty URI are no namespace.
    func namespaceID(_ uri: String?) -> UInt32 {
        guard let uri, !uri.isEmpty else { return 0 }
        if state.pointee.namespaceIDs == nil { state.pointee.namespaceIDs = names.namespaceIDs }
        let key = UTF8Key(uri)
        if let id = state.pointee.namespaceIDs?[key] { return id }
        let id = uri.withBytes { state.pointee.arena.names.addNamespace($0) }
        state.pointee.namespaceIDs?[key] = id
        return id
    }

    // MARK: Attributes

    /// Replaces an element's attributes.
    func setAttributes(_ index: UInt32, to attributes: [AttributeRecord]) {
        let old = self.attributes(index).count
        state.pointee.hasSetAttributes = true
        state.pointee.wastedAttributes += old
        guard let last = attributes.indices.last else {
            nodes[Int(index)].header &= ~NodeRecord.attributesFlag
            return
        }
        let start: Int
        if attributes.count <= old {
            start = Int(nodes[Int(index)].payload)
        } else {
            start = state.pointee.arena.attributes.count
            _ = state.pointee.arena.attributes.extend(by: attributes.count)
            nodes[Int(index)].payload = UInt32(start)
        }
        for (offset, attribute) in attributes.enumerated() {
            var attribute = attribute
            attribute.isLast = offset == last
            state.pointee.arena.attributes.base[start + offset] = attribute
        }
        nodes[Int(index)].header |= NodeRecord.attributesFlag
    }
}
