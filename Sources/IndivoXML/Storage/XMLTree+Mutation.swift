extension XMLTree {
    /// Makes the tree ready for edits of content: its arena its own.
    func own() {
        guard state.pointee.frozen != nil else { return }
        state.pointee.arena = state.pointee.arena.copy()
        state.pointee.frozen = nil
    }

    /// Makes the tree ready for edits of attributes and content.
    func makeWritable() {
        state.pointee.mirror = nil
        own()
        compactValuesIfWasteful()
    }

    /// Makes the tree ready for edits of structure: its arena its own, and links beside the records.
    func makeEditable() {
        makeWritable()
        state.pointee.order = nil
        guard isPristine else { return }
        let count = state.pointee.arena.nodes.count
        let links = state.pointee.links.extend(by: count)
        links.initialize(repeating: Link(firstChild: noNode, lastChild: noNode, previous: noNode, generation: 0), count: count)
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
        state.pointee.links.append(Link(firstChild: noNode, lastChild: noNode, previous: noNode, generation: 0))
        return index
    }

    func makeText(_ text: String) -> UInt32 {
        let payload = store(text)
        return makeRecord(NodeRecord(kind: .text, parent: noNode, payload: payload))
    }

    /// Frees the slots of a subtree that stands alone: handles into it report that their node was removed.
    func free(_ top: UInt32) {
        var doomed: [UInt32] = []
        var current = top
        while current != noNode {
            doomed.append(current)
            current = following(current, within: top)
        }
        for index in doomed {
            let record = nodes[Int(index)]
            if record.isElement {
                for attribute in attributes(index) {
                    waste(attribute.value)
                    state.pointee.wastedAttributes += 1
                }
            } else if record.kind != .document {
                waste(record.payload)
            }
            vacate(index)
            state.pointee.vacant.append(index)
        }
    }

    /// Marks a slot as gone.
    func vacate(_ index: UInt32) {
        nodes[Int(index)] = NodeRecord(kind: .vacant, parent: noNode)
        let generation = state.pointee.links.base[Int(index)].generation
        state.pointee.links.base[Int(index)] = Link(
            firstChild: noNode, lastChild: noNode, previous: noNode, generation: generation &+ 1)
        state.pointee.removedTops.remove(index)
        state.pointee.identities[index] = nil
    }

    // MARK: Links

    /// Takes a node out of its parent's children. The node keeps its own.
    func unlink(_ index: UInt32) {
        let links = state.pointee.links.base
        let record = nodes[Int(index)]
        let previous = links[Int(index)].previous
        if previous != noNode {
            nodes[Int(previous)].next = record.next
        } else if record.parent != noNode {
            links[Int(record.parent)].firstChild = record.next
        }
        if record.next != noNode {
            links[Int(record.next)].previous = previous
        } else if record.parent != noNode {
            links[Int(record.parent)].lastChild = previous
        }
        if record.parent != noNode, links[Int(record.parent)].firstChild == noNode {
            nodes[Int(record.parent)].header &= ~NodeRecord.childrenFlag
        }
        nodes[Int(index)].parent = noNode
        nodes[Int(index)].next = noNode
        links[Int(index)].previous = noNode
    }

    /// Puts a node that stands alone among the children of `parent`, before `successor` or (for `noNode`) at the end.
    func link(_ index: UInt32, into parent: UInt32, before successor: UInt32) {
        let links = state.pointee.links.base
        let previous = successor == noNode ? links[Int(parent)].lastChild : links[Int(successor)].previous
        nodes[Int(index)].parent = parent
        nodes[Int(index)].next = successor
        links[Int(index)].previous = previous
        if previous != noNode {
            nodes[Int(previous)].next = index
        } else {
            links[Int(parent)].firstChild = index
        }
        if successor != noNode {
            links[Int(successor)].previous = index
        } else {
            links[Int(parent)].lastChild = index
        }
        nodes[Int(parent)].header |= NodeRecord.childrenFlag
        state.pointee.removedTops.remove(index)
    }

    // MARK: Bytes

    func waste(_ offset: UInt32) {
        state.pointee.wastedBytes += state.pointee.arena.value(at: offset).count + 1
    }

    func store(_ text: String) -> UInt32 {
        makeRoom(for: text.utf8.count)
        return state.pointee.arena.store(text)
    }

    func store(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        makeRoom(for: bytes.count)
        return state.pointee.arena.store(bytes)
    }

    /// Drops what nobody refers to once it is most of all, so that a document edited for ever does not grow for ever.
    /// Only at the start of an edit: offsets that no record holds yet would be lost.
    private func compactValuesIfWasteful() {
        let wastedBytes = state.pointee.wastedBytes
        let wastedAttributes = state.pointee.wastedAttributes
        if wastedBytes > 1 << 16 && wastedBytes > state.pointee.arena.bytes.count / 2
            || wastedAttributes > 1 << 14 && wastedAttributes > state.pointee.arena.attributes.count / 2 {
            compactValues()
        }
    }

    private func makeRoom(for extra: Int) {
        precondition(
            state.pointee.arena.bytes.count + extra + 10 < Int(UInt32.max),
            "the text of an XML document can have no more than 4 GB")
    }

    private func compactValues() {
        var arena = state.pointee.arena
        let old = arena
        arena.bytes = Column()
        arena.attributes = Column()
        for index in 0..<arena.nodes.count {
            let record = arena.nodes.base[index]
            switch record.kind {
            case .element:
                guard record.hasAttributes else { continue }
                arena.nodes.base[index].payload = UInt32(arena.attributes.count)
                var attribute = Int(record.payload)
                while true {
                    var copy = old.attributes.base[attribute]
                    copy.value = arena.store(old.value(at: copy.value))
                    arena.attributes.append(copy)
                    if copy.isLast { break }
                    attribute += 1
                }
            case .document, .vacant: continue
            default: arena.nodes.base[index].payload = arena.store(old.value(at: record.payload))
            }
        }
        var bytes = old.bytes
        bytes.deallocate()
        var attributes = old.attributes
        attributes.deallocate()
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
        let key = NameKey(qualified: UTF8Key(qualified), namespace: namespaceID)
        if state.pointee.nameIDs == nil {
            var known: [NameKey: UInt32] = [:]
            let names = state.pointee.arena.names
            for id in 0..<UInt32(names.count) {
                let key = NameKey(qualified: UTF8Key(names.qualified(id)), namespace: names.namespaceID(ofName: id))
                if known[key] == nil { known[key] = id }
            }
            state.pointee.nameIDs = known
        }
        if let id = state.pointee.nameIDs?[key] { return id }
        precondition(state.pointee.arena.names.count < NodeRecord.nameLimit, "too many different names in one XML document")
        var text = qualified
        let id = text.withUTF8 { name in
            let colon = name.firstIndex(of: UInt8(ascii: ":")) ?? 0
            let local = UnsafeBufferPointer(rebasing: name[(colon > 0 ? colon + 1 : 0)...])
            let prefix = UnsafeBufferPointer(rebasing: name[..<colon])
            return state.pointee.arena.names.add(prefix: prefix, local: local, namespace: namespaceID)
        }
        state.pointee.nameIDs?[key] = id
        return id
    }

    /// The id of a namespace, added when it is new; nil and the empty URI are no namespace.
    func namespaceID(_ uri: String?) -> UInt32 {
        guard var uri, !uri.isEmpty else { return 0 }
        if state.pointee.namespaceIDs == nil {
            var known: [UTF8Key: UInt32] = [:]
            let names = state.pointee.arena.names
            for id in 1..<UInt32(names.namespaces.count + 1) {
                let key = UTF8Key(names.namespace(id))
                if known[key] == nil { known[key] = id }
            }
            state.pointee.namespaceIDs = known
        }
        let key = UTF8Key(uri)
        if let id = state.pointee.namespaceIDs?[key] { return id }
        let id = uri.withUTF8 { state.pointee.arena.names.addNamespace($0) }
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
            attribute.header &= ~AttributeRecord.lastFlag
            if offset == last { attribute.header |= AttributeRecord.lastFlag }
            state.pointee.arena.attributes.base[start + offset] = attribute
        }
        nodes[Int(index)].header |= NodeRecord.attributesFlag
    }
}
