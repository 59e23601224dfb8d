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
}

extension XMLNode {
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
