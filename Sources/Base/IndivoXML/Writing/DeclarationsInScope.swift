/// A prefix, or the empty one, and the namespace that it stands for.
struct NamespaceDeclaration {
    var prefix: String
    var uri: String

    /// `xmlns` or `xmlns:prefix`.
    var attributeName: String { prefix.isEmpty ? "xmlns" : "xmlns:" + prefix }
}

// Names keep their namespace wherever their node goes. Values do not: the meaning of `xsi:type="xs:int"`
// depends on the declarations around it. A subtree that is written, copied or moved takes along the
// declarations that its values may refer to.
extension XMLTree {
    /// The declarations of an element's ancestors that are in force at it and not overridden by its own.
    func declarationsInScope(above index: UInt32) -> [NamespaceDeclaration] {
        var seen = Set(attributes(index).lazy.filter(\.isDeclaration).map(\.name))
        var found: [NamespaceDeclaration] = []
        for ancestor in ancestors(of: index) {
            for attribute in attributes(ancestor)
            where attribute.isDeclaration && seen.insert(attribute.name).inserted {
                let uri = attributeValue(attribute).string
                // `xmlns=""` ends an outer default namespace.
                if !uri.isEmpty {
                    found.append(NamespaceDeclaration(prefix: names.declaredPrefix(attribute.name), uri: uri))
                }
            }
        }
        return found
    }

    /// The declarations around an element that values in it may refer to.
    func declarationsForValues(of top: UInt32) -> [NamespaceDeclaration] {
        let around = isElement(top) ? declarationsInScope(above: top) : []
        guard !around.isEmpty else { return [] }
        let byPrefix = Dictionary(firstOf: around.map { (UTF8Key($0.prefix), $0) })
        let longest = around.map { $0.prefix.utf8.count }.max() ?? 0
        return declarationsForValues(of: top, maximumPrefixLength: longest, default: byPrefix[UTF8Key("")]) {
            byPrefix[UTF8Key($0)]
        }
    }

    /// - Parameter resolve: The namespace of a prefix around the element.
    func declarationsForValues(
        of top: UInt32,
        maximumPrefixLength: Int,
        default defaultNamespace: NamespaceDeclaration?,
        resolve: (UTF8Bytes) -> NamespaceDeclaration?
    ) -> [NamespaceDeclaration] {
        var found: [UTF8Key: NamespaceDeclaration] = [:]
        // A value without a colon may be a name in the default namespace; an element in it declares it
        // anyway.
        if let defaultNamespace, !names.prefix(nodes[Int(top)].name).isEmpty {
            found[UTF8Key("")] = defaultNamespace
        }
        func look(at value: UTF8Bytes) {
            value.forEachPrefix(maximum: maximumPrefixLength) { prefix in
                let key = UTF8Key(prefix)
                if found[key] == nil, let declaration = resolve(prefix) { found[key] = declaration }
            }
        }
        if maximumPrefixLength > 0 {
            for node in subtree(of: top) {
                for attribute in attributes(node) where !attribute.isDeclaration {
                    look(at: attributeValue(attribute))
                }
                if isText(node) { look(at: content(node)) }
            }
        }
        return found.sorted { $0.key.text < $1.key.text }.map(\.value)
    }

    /// Adds declarations to an element that it lacks, and that are not in force around it. The tree is
    /// writable.
    func add(_ declarations: [NamespaceDeclaration], to index: UInt32) {
        if declarations.isEmpty { return }
        let node = handle(index)
        var attributes = Array(attributes(index))
        let count = attributes.count
        for declaration in declarations where node.attr(declaration.attributeName) == nil {
            let known = node.parent()?.namespace(forPrefix: declaration.prefix)
            if let known, known.hasSameBytes(as: declaration.uri) { continue }
            let header = nameID(declaration.attributeName, namespaceID: 0) | AttributeRecord.declarationFlag
            attributes.append(AttributeRecord(header: header, value: store(declaration.uri)))
        }
        if attributes.count > count { setAttributes(index, to: attributes) }
    }

    /// The attributes in the namespace `xml` that an element's ancestors have and the element lacks; of each,
    /// the nearest.
    func xmlAttributes(above index: UInt32) -> [AttributeRecord] {
        var seen: Set<UTF8Key> = []
        var found: [AttributeRecord] = []
        for node in ancestors(ofAndWith: index) {
            for attribute in attributes(node) where !attribute.isDeclaration {
                let isXML = names.namespace(ofName: attribute.name).elementsEqual(NamespaceScope.xml.utf8)
                guard isXML, seen.insert(UTF8Key(names.local(attribute.name))).inserted else { continue }
                if node != index { found.append(attribute) }
            }
        }
        return found
    }

    /// Whether `xml:space="preserve"` is in force around a node.
    func preservesSpace(around index: UInt32) -> Bool {
        ancestors(of: index).compactMap(preservesSpace).first ?? false
    }

    /// The value of the element's own `xml:space`.
    func preservesSpace(_ index: UInt32) -> Bool? {
        attribute(index, named: ("xml:space" as StaticString).utf8Buffer).map {
            attributeValue($0).equals("preserve")
        }
    }
}

extension UTF8Bytes {
    /// Calls `body` with whatever stands before a colon and could be a prefix, up to a number of bytes.
    fileprivate func forEachPrefix(maximum: Int, _ body: (UTF8Bytes) -> Void) {
        var position = 0
        while let colon = firstIndex(of: UInt8(ascii: ":"), from: position) {
            var start = colon
            while start > position, colon - start <= maximum, self[start - 1].isNameByte { start -= 1 }
            if start < colon, colon - start <= maximum { body(UTF8Bytes(rebasing: self[start..<colon])) }
            position = colon + 1
        }
    }
}

extension UInt8 {
    /// Whether the byte can be part of a name without a colon.
    fileprivate var isNameByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x2E, 0x80...: true
        default: false
        }
    }
}
