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

extension XMLNode {
    /// The element's attributes in their order, without namespace declarations. A copy: it does not follow edits.
    public var attributes: XMLAttributes {
        guard let node = resolved else { return XMLAttributes([]) }
        let names = node.tree.state.pointee.arena.names
        return XMLAttributes(
            node.tree.attributes(node.index).filter { !$0.isDeclaration }.map { attribute in
                let uri = names.namespace(names.namespaceID(ofName: attribute.name))
                return XMLAttributes.Attribute(
                    name: names.local(attribute.name).string, qualifiedName: names.qualified(attribute.name).string,
                    namespace: uri.isEmpty ? nil : uri.string, value: node.tree.attributeValue(attribute).string)
            })
    }

    /// The value of an attribute, by its name as it is written, such as `"xml:id"`; nil when there is none. Namespace
    /// declarations are read by their names too (`"xmlns"`, `"xmlns:p"`).
    public func attr(_ name: String) -> String? {
        guard let node = resolved else { return nil }
        var name = name
        return name.withUTF8 { node.tree.attribute(node.index, named: $0) }.map { node.tree.attributeValue($0).string }
    }

    /// The value of an attribute, by its local name and the URI of its namespace; nil when there is none.
    public func attr(_ name: String, namespace: String) -> String? {
        guard let node = resolved else { return nil }
        return node.tree.attribute(node.index, local: name, namespace: namespace).map {
            node.tree.attributeValue($0).string
        }
    }

    /// Calls `body` with the name as it is written, the namespace (empty for none) and the value of each attribute, in
    /// UTF-8, until it returns false. Namespace declarations are left out. No string is made. The bytes are valid during
    /// the call.
    package func forEachUTF8Attribute(
        _ body: (_ name: UnsafeBufferPointer<UInt8>, _ namespace: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>)
            -> Bool
    ) {
        guard let node = resolved else { return }
        let names = node.tree.state.pointee.arena.names
        for attribute in node.tree.attributes(node.index) where !attribute.isDeclaration {
            let namespace = names.namespace(names.namespaceID(ofName: attribute.name))
            guard body(names.qualified(attribute.name), namespace, node.tree.attributeValue(attribute)) else { return }
        }
    }
}

extension XMLTree {
    @inline(__always)
    func attribute(_ index: UInt32, named name: UnsafeBufferPointer<UInt8>) -> AttributeRecord? {
        let names = state.pointee.arena.names
        for attribute in attributes(index) where names.qualified(attribute.name).equals(name) { return attribute }
        return nil
    }

    func attribute(_ index: UInt32, local: String, namespace: String) -> AttributeRecord? {
        let names = state.pointee.arena.names
        return attributes(index).first { attribute in
            !attribute.isDeclaration && names.local(attribute.name).elementsEqual(local.utf8)
                && names.namespace(names.namespaceID(ofName: attribute.name)).elementsEqual(namespace.utf8)
        }
    }
}

extension XMLNode {
    /// All text and CDATA below the node, in one string; the content of a text, comment or processing instruction.
    public func text() -> String {
        guard let node = resolved else { return "" }
        return node.tree.text(node.index)
    }

    /// Calls `body` with the UTF-8 bytes of `text()`. No string is made, and no byte is copied when the element holds
    /// one piece of text. The bytes are valid during the call.
    package func withUTF8Text<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        guard let node = resolved else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
        let tree = node.tree
        if node.record.isElement {
            let child = tree.firstChild(node.index)
            if child == noNode { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
            let kind = tree.nodes[Int(child)].kind
            if kind == .text || kind == .cdata, tree.next(child) == noNode { return try body(tree.content(child)) }
        }
        var text = tree.text(node.index)
        return try text.withUTF8(body)
    }

    /// Calls `body` with the UTF-8 bytes of an attribute's value, or nil when the element has no such attribute. The
    /// name is the qualified one as it is written. No string is made. The bytes are valid during the call.
    package func withUTF8Attribute<R>(_ name: StaticString, _ body: (UnsafeBufferPointer<UInt8>?) throws -> R) rethrows -> R {
        guard let node = resolved, let attribute = node.tree.attribute(node.index, named: name.utf8Buffer) else {
            return try body(nil)
        }
        return try body(node.tree.attributeValue(attribute))
    }

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

/// A node gives what a set of it alone would.
extension XMLNode {
    /// The node itself, as for a selection of it alone.
    public var first: XMLNode? { self }

    /// The node itself, as for a selection of it alone.
    public var last: XMLNode? { self }

    /// What the closure makes of the node, in an array.
    public func map<Result>(_ transform: (XMLNode) throws -> Result) rethrows -> [Result] { [try transform(self)] }

    /// The node if the closure says yes; else an empty selection.
    public func filter(_ isIncluded: (XMLNode) throws -> Bool) rethrows -> XMLSelection {
        try isIncluded(self) ? XMLSelection([self]) : XMLSelection()
    }

    /// The node if it is not among others; else an empty selection.
    public func not(_ others: some Sequence<XMLNode>) -> XMLSelection { filter { !others.contains($0) } }

    /// The node and others, each once.
    public func add(_ others: some Sequence<XMLNode>) -> XMLSelection { XMLSelection([self] + Array(others)) }

    /// 0 for the node itself; nil for others.
    public func index(of node: XMLNode) -> Int? { node == self ? 0 : nil }
}
