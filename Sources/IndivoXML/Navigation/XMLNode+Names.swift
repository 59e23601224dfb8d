extension XMLNode {
    /// The local name of an element, the target of a processing instruction, the name in a document type; else empty.
    public var name: String {
        guard let node = resolved else { return "" }
        return node.tree.localName(node.index).string
    }

    /// The name as it is written, `prefix:name`.
    public var qualifiedName: String {
        guard let node = resolved else { return "" }
        return node.tree.state.pointee.arena.names.qualified(node.record.name).string
    }

    /// The prefix of the name as it is written; nil for none.
    public var prefix: String? {
        guard let node = resolved else { return nil }
        let prefix = node.tree.state.pointee.arena.names.prefix(node.record.name)
        return prefix.isEmpty ? nil : prefix.string
    }

    /// The URI of an element's namespace; nil for none.
    public var namespace: String? {
        guard let node = resolved else { return nil }
        let names = node.tree.state.pointee.arena.names
        let uri = names.namespace(names.namespaceID(ofName: node.record.name))
        return uri.isEmpty ? nil : uri.string
    }
}

extension XMLNode {
    /// Whether the node is an element of this local name. No string is made.
    package func isNamed(_ name: StaticString) -> Bool {
        guard let node = resolved, node.record.isElement else { return false }
        return node.tree.localName(node.index).equals(name.utf8Buffer)
    }

    /// Calls `body` with the UTF-8 bytes of the local name. No string is made.
    package func withUTF8Name<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        guard let node = resolved else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
        return try body(node.tree.localName(node.index))
    }

    /// Whether the node is an element of this namespace. No string is made.
    package func isInNamespace(_ uri: StaticString) -> Bool {
        guard let node = resolved, node.record.isElement else { return false }
        let names = node.tree.state.pointee.arena.names
        return names.namespace(names.namespaceID(ofName: node.record.name)).equals(uri.utf8Buffer)
    }
}

extension StaticString {
    /// The bytes of a literal. Every literal of more than one character has them; a single scalar has them too once it
    /// is used as a string.
    @inline(__always)
    var utf8Buffer: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
