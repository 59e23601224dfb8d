/// Attributes, and the declarations that names need.
extension XMLWriter {
    @inline(__always)
    mutating func writeAttributes(_ index: UInt32, _ record: NodeRecord) throws {
        let names = tree.names
        let prefix = scope.prefix(ofName: record.name)
        let namespace = names.namespaceID(ofName: record.name)
        let attributes = tree.attributes(index)
        for attribute in attributes where attribute.isDeclaration {
            try writeDeclaration(attribute, elementPrefix: prefix, elementNamespace: namespace, index)
        }
        if depth == 1 { try writeInheritedDeclarations(prefix, namespace, index) }
        if namespace == 0, prefix != 0 { throw undeclared(record.name, index) }
        if scope.namespace(ofPrefix: prefix) != namespace { try declare(prefix, namespace, index) }
        var prefixed = 0
        for attribute in attributes where !attribute.isDeclaration {
            try check(attribute.name, index)
            let name = names.qualified(attribute.name)
            let namespace = names.namespaceID(ofName: attribute.name)
            if namespace == 0 {
                guard names.prefix(attribute.name).isEmpty else { throw undeclared(attribute.name, index) }
                output.write(byte: 0x20)
                output.write(name)
            } else {
                try writePrefixed(attribute.name, namespace, index)
                prefixed += 1
            }
            try writeValue(tree.attributeValue(attribute), index)
        }
        if depth == 1 {
            for attribute in inheritedAttributes {
                try writePrefixed(attribute.name, names.namespaceID(ofName: attribute.name), index)
                try writeValue(tree.attributeValue(attribute), index)
            }
        }
        if prefixed > 1, tree.state.pointee.hasSetAttributes { try checkTwice(attributes, index) }
    }

    private mutating func writeValue(_ value: UTF8Bytes, _ index: UInt32) throws {
        output.write("=\"")
        if let bad = output.writeEscaped(value, .attribute) { throw unwritable(index, bad) }
        output.write(byte: UInt8(ascii: "\""))
    }

    private mutating func writeDeclaration(
        _ attribute: AttributeRecord,
        elementPrefix: UInt32,
        elementNamespace: UInt32,
        _ index: UInt32
    ) throws {
        // Not the prefix's number: a name `xmlns:`, which is wrong, has that of the default declaration.
        let isDefault = tree.names.prefix(attribute.name).isEmpty
        let prefix = scope.number(ofPrefix: tree.names.declaredPrefix(attribute.name))
        let uri = tree.attributeValue(attribute)
        let namespace = scope.namespaceID(UTF8Key(uri))
        // The element's own namespace counts for more than a declaration that was put beside it.
        if prefix == elementPrefix, namespace != elementNamespace, isDefault || elementNamespace != 0 {
            return
        }
        try check(attribute.name, index)
        if !isDefault, uri.isEmpty {
            throw unwritable(index, "a prefix is declared as no namespace; remove the declaration")
        }
        if isCanonical, !uri.isEmpty, !uri.hasScheme {
            throw unwritable(index, "the document has no canonical form: a namespace is a relative URI")
        }
        // Canonical form says nothing twice (section 2.3).
        if !isCanonical || scope.namespace(ofPrefix: prefix) != namespace {
            try declare(prefix, namespace, index, as: uri)
        }
    }

    private mutating func writeInheritedDeclarations(
        _ elementPrefix: UInt32,
        _ elementNamespace: UInt32,
        _ index: UInt32
    ) throws {
        for declaration in inheritedDeclarations {
            let prefix = scope.number(ofPrefix: declaration.prefix)
            try declaration.uri.withBytes { uri in
                let namespace = scope.namespaceID(UTF8Key(uri))
                // The element's own prefix is declared as what it stands for.
                if prefix != elementPrefix || namespace == elementNamespace {
                    try declare(prefix, namespace, index, as: uri)
                }
            }
        }
    }

    /// - Parameter uri: As it is declared; nil for a declaration that nobody asked for and a name needs.
    private mutating func declare(
        _ prefix: UInt32,
        _ namespace: UInt32,
        _ index: UInt32,
        as uri: UTF8Bytes? = nil
    ) throws {
        let uri = uri ?? tree.names.namespace(namespace)
        try checkBinding(prefix, uri, index)
        scope.declare(prefix, namespace, depth: depth)
        output.write(prefix == 0 ? " xmlns" : " xmlns:")
        output.write(scope.prefixTexts[Int(prefix)])
        try writeValue(uri, index)
    }

    private mutating func writePrefixed(_ name: UInt32, _ namespace: UInt32, _ index: UInt32) throws {
        var prefix = scope.prefix(ofName: name)
        if prefix == 0 || scope.namespace(ofPrefix: prefix) != namespace {
            if let known = scope.prefix(for: namespace) {
                prefix = known
            } else {
                // A prefix that stands for something else may be in use on this very element.
                if prefix == 0 || scope.namespace(ofPrefix: prefix) != nil { prefix = freshPrefix() }
                try declare(prefix, namespace, index)
            }
        }
        output.write(byte: 0x20)
        output.write(scope.prefixTexts[Int(prefix)])
        output.write(byte: UInt8(ascii: ":"))
        output.write(tree.names.local(name))
    }

    private mutating func freshPrefix() -> UInt32 {
        var number = 1
        while true {
            let prefix = scope.number(ofPrefix: "ns\(number)")
            if scope.namespace(ofPrefix: prefix) == nil { return prefix }
            number += 1
        }
    }

    // MARK: Checks

    /// Namespaces in XML 1.0, section 3: what the prefixes `xml` and `xmlns` stand for is fixed, and nothing
    /// else may stand for that.
    private func checkBinding(_ prefix: UInt32, _ uri: UTF8Bytes, _ index: UInt32) throws {
        let isXML = uri.elementsEqual(NamespaceScope.xml.utf8)
        let isRight = scope.prefixTexts[Int(prefix)] == "xml" ? isXML : !isXML && !scope.isReserved(prefix)
        if isRight, !uri.elementsEqual(NamespaceScope.xmlns.utf8) { return }
        throw unwritable(
            index,
            "the prefixes xml and xmlns and their namespaces are reserved; take another prefix and namespace"
        )
    }

    private func undeclared(_ name: UInt32, _ index: UInt32) -> XMLError {
        unwritable(
            index,
            """
            the prefix of \(tree.names.qualified(name).string.prefix(40)) is not declared; give the namespace
            """
        )
    }

    /// No two attributes of an element have the same namespace and local name. The parser sees to it, edits
    /// do not.
    private func checkTwice(_ attributes: UnsafeBufferPointer<AttributeRecord>, _ index: UInt32) throws {
        var seen: Set<XMLTree.NameKey> = []
        for attribute in attributes where !attribute.isDeclaration {
            let local = UTF8Key(tree.names.local(attribute.name))
            let namespace = tree.names.namespaceID(ofName: attribute.name)
            if namespace != 0, !seen.insert(XMLTree.NameKey(name: local, namespace: namespace)).inserted {
                throw unwritable(index, "the attribute \(local.text.prefix(40)) is there twice; remove one")
            }
        }
    }
}
