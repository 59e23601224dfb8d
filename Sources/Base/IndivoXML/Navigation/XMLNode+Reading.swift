extension XMLNode {
    /// The local name of an element, the target of a processing instruction, the name in a document type;
    /// else empty.
    public var name: String { resolved.map { $0.tree.localName($0.index).string } ?? "" }

    /// The name as it is written, `prefix:name`.
    public var qualifiedName: String { resolved.map { $0.tree.names.qualified($0.record.name).string } ?? "" }

    /// The prefix of the name as it is written; nil without one.
    public var prefix: String? { resolved.flatMap { $0.tree.names.prefix($0.record.name).stringOrNil } }

    /// The URI of an element's namespace; nil without one.
    public var namespace: String? {
        resolved.flatMap { $0.tree.names.namespace(ofName: $0.record.name).stringOrNil }
    }

    /// Whether the node is an element of this namespace. No string is made.
    package func isInNamespace(_ uri: StaticString) -> Bool {
        guard let node = resolved, node.record.isElement else { return false }
        return node.tree.names.namespace(ofName: node.record.name).equals(uri)
    }

    /// The element's attributes in their order, without namespace declarations. A copy: it does not follow
    /// edits.
    public var attributes: XMLAttributes {
        guard let node = resolved else { return XMLAttributes([]) }
        let names = node.tree.names
        return XMLAttributes(
            node.tree.attributes(node.index).filter { !$0.isDeclaration }.map { attribute in
                XMLAttributes.Attribute(
                    name: names.local(attribute.name).string,
                    qualifiedName: names.qualified(attribute.name).string,
                    namespace: names.namespace(ofName: attribute.name).stringOrNil,
                    value: node.tree.attributeValue(attribute).string
                )
            }
        )
    }

    /// The value of an attribute, by its name as it is written, such as `"xml:id"`; nil when there is none.
    /// Namespace declarations are read by their names too (`"xmlns"`, `"xmlns:p"`).
    public func attr(_ name: String) -> String? {
        guard let node = resolved else { return nil }
        return name.withBytes { node.tree.attribute(node.index, named: $0) }.map {
            node.tree.attributeValue($0).string
        }
    }

    /// The value of an attribute, by its local name and the URI of its namespace; nil when there is none.
    public func attr(_ name: String, namespace: String) -> String? {
        guard let node = resolved else { return nil }
        let attributes = Array(node.tree.attributes(node.index))
        let place = node.tree.place(ofAttribute: name, namespace: namespace, in: attributes)
        return place.map { node.tree.attributeValue(attributes[$0]).string }
    }

    /// Calls `body` with the name as it is written, the namespace (empty without one) and the value of each
    /// attribute, in UTF-8, until it returns false. Namespace declarations are left out. No string is made.
    /// The bytes are valid during the call.
    package func forEachUTF8Attribute(
        _ body: (_ name: UTF8Bytes, _ namespace: UTF8Bytes, _ value: UTF8Bytes) -> Bool
    ) {
        guard let node = resolved else { return }
        let names = node.tree.names
        for attribute in node.tree.attributes(node.index) where !attribute.isDeclaration {
            let namespace = names.namespace(ofName: attribute.name)
            guard body(names.qualified(attribute.name), namespace, node.tree.attributeValue(attribute)) else {
                return
            }
        }
    }

    /// All text and CDATA below the node, in one string; the content of a text, comment or processing
    /// instruction.
    public func text() -> String { resolved.map { $0.tree.text($0.index) } ?? "" }

    /// The element or document this node is a child of.
    public func parent() -> XMLNode? { step(.parent) }

    /// The next sibling that is an element.
    public func next() -> XMLNode? { step(.nextElement) }

    /// The previous sibling that is an element.
    public func previous() -> XMLNode? { step(.previousElement) }

    func step(_ step: NodeWalk.Step) -> XMLNode? {
        resolved.flatMap { $0.tree.handle(orNil: $0.tree.go(step, from: $0.index)) }
    }

    /// The child elements.
    public func children() -> XMLSelection { relatives { $0.elements(in: $1) } }

    /// The child elements of this local name, whatever their namespace.
    public func children(named name: String) -> XMLSelection {
        name.withBytes { bytes in relatives { $0.elements(in: $1, named: bytes) } }
    }

    /// All children: elements, texts, comments, processing instructions.
    public func contents() -> XMLSelection { relatives { $0.children(of: $1) } }

    private func relatives<Nodes: Sequence<UInt32>>(_ nodes: (XMLTree, UInt32) -> Nodes) -> XMLSelection {
        guard let node = resolved else { return XMLSelection() }
        return XMLSelection(tree: node.tree, ids: nodes(node.tree, node.index).map { node.tree.id($0) })
    }

    /// The first child element of this local name, whatever its namespace.
    public func child(named name: String) -> XMLNode? {
        guard let node = resolved else { return nil }
        return name.withBytes {
            node.tree.elements(in: node.index, named: $0).first { _ in true }.map(node.tree.handle)
        }
    }

    /// The first child that is an element. With `next()` it walks the child elements without making a
    /// selection:
    ///
    /// ```swift
    /// var child = node.firstElement
    /// while let element = child { …; child = element.next() }
    /// ```
    package var firstElement: XMLNode? {
        resolved.flatMap { $0.tree.handle(orNil: $0.tree.firstElement(in: $0.index)) }
    }

    // MARK: What a set of the node alone gives

    /// The node itself, as for a selection of it alone.
    public var first: XMLNode? { self }

    /// The node itself, as for a selection of it alone.
    public var last: XMLNode? { self }

    /// What the closure makes of the node, in an array.
    public func map<Result>(_ transform: (XMLNode) throws -> Result) rethrows -> [Result] {
        [try transform(self)]
    }

    /// The node if the closure says yes; else an empty selection.
    public func filter(_ isIncluded: (XMLNode) throws -> Bool) rethrows -> XMLSelection {
        try isIncluded(self) ? selection : XMLSelection()
    }
}

extension XMLTree {
    @inline(__always)
    func attribute(_ index: UInt32, named name: UTF8Bytes) -> AttributeRecord? {
        let names = names
        for attribute in attributes(index) where names.qualified(attribute.name).equals(name) {
            return attribute
        }
        return nil
    }

    /// Where an attribute of this local name and namespace stands.
    func place(ofAttribute local: String, namespace: String, in attributes: [AttributeRecord]) -> Int? {
        attributes.firstIndex { attribute in
            !attribute.isDeclaration && names.local(attribute.name).elementsEqual(local.utf8)
                && names.namespace(ofName: attribute.name).elementsEqual(namespace.utf8)
        }
    }
}
