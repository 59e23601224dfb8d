/// Writes a document that was parsed in canonical form (W3C Canonical XML 1.0). Like `XMLWriter` it goes by the links and
/// not by recursion.
struct CanonicalWriter {
    private let tree: XMLTree
    private let names: NameTable
    private let withComments: Bool
    private(set) var output = ByteWriter()
    /// What each prefix stands for, by the id of its declaration's name, and at which depth that was written.
    private var bindings: [UInt32: [(value: UInt32, depth: Int)]] = [:]
    private var depth = 0

    init(_ tree: XMLTree, withComments: Bool) {
        self.tree = tree
        names = tree.state.pointee.arena.names
        self.withComments = withComments
    }

    /// Writes the document: the root element, and what stands around it each in a line of its own (section 2.1).
    mutating func write() throws {
        var isBehindRoot = false
        var child = tree.firstChild(0)
        while child != noNode {
            switch tree.nodes[Int(child)].kind {
            case .element:
                try writeElements(child)
                isBehindRoot = true
            case .comment where withComments, .processingInstruction:
                if isBehindRoot { output.write(byte: 0x0A) }
                writeLeaf(child)
                if !isBehindRoot { output.write(byte: 0x0A) }
            default: break
            }
            child = tree.next(child)
        }
    }

    private mutating func writeElements(_ top: UInt32) throws {
        var current = top
        while true {
            if tree.isElement(current) {
                try startElement(current)
                let child = tree.firstChild(current)
                if child != noNode {
                    current = child
                    continue
                }
                endElement(current)
            } else {
                writeLeaf(current)
            }
            while true {
                if current == top { return }
                let next = tree.next(current)
                if next != noNode {
                    current = next
                    break
                }
                current = tree.parent(current)
                endElement(current)
            }
        }
    }

    private mutating func startElement(_ index: UInt32) throws {
        depth += 1
        output.write(byte: UInt8(ascii: "<"))
        output.write(names.qualified(tree.nodes[Int(index)].name))
        let attributes = tree.attributes(index)
        // The default's name, xmlns, comes first, being its prefix's start.
        let declarations = attributes.filter { $0.isDeclaration }.sorted {
            names.qualified($0.name).lexicographicallyPrecedes(names.qualified($1.name))
        }
        for declaration in declarations where try declare(declaration, index) {
            write(names.qualified(declaration.name), tree.attributeValue(declaration))
        }
        let others = attributes.filter { !$0.isDeclaration }.sorted { left, right in
            let leftSpace = names.namespace(names.namespaceID(ofName: left.name))
            let rightSpace = names.namespace(names.namespaceID(ofName: right.name))
            if !leftSpace.equals(rightSpace) { return leftSpace.lexicographicallyPrecedes(rightSpace) }
            return names.local(left.name).lexicographicallyPrecedes(names.local(right.name))
        }
        for attribute in others { write(names.qualified(attribute.name), tree.attributeValue(attribute)) }
        output.write(byte: UInt8(ascii: ">"))
    }

    private mutating func endElement(_ index: UInt32) {
        for declaration in tree.attributes(index) where declaration.isDeclaration {
            if bindings[declaration.name]?.last?.depth == depth { bindings[declaration.name]?.removeLast() }
        }
        depth -= 1
        output.write("</")
        output.write(names.qualified(tree.nodes[Int(index)].name))
        output.write(byte: UInt8(ascii: ">"))
    }

    /// - Returns: Whether the declaration is to be written: it says something else than the one around it (section 2.3).
    private mutating func declare(_ declaration: AttributeRecord, _ index: UInt32) throws -> Bool {
        let uri = tree.attributeValue(declaration)
        if !uri.isEmpty, !uri.hasScheme {
            throw XMLError(
                .unwritable, line: tree.handle(index).line,
                message: "the document has no canonical form: a namespace is a relative URI")
        }
        // What the prefix xml stands for is fixed.
        if uri.elementsEqual(NamespaceScope.xml.utf8) { return false }
        let outer = bindings[declaration.name]?.last.map { tree.state.pointee.arena.value(at: $0.value) }
        if outer?.equals(uri) ?? uri.isEmpty { return false }
        bindings[declaration.name, default: []].append((declaration.value, depth))
        return true
    }

    private mutating func write(_ name: UTF8Bytes, _ value: UTF8Bytes) {
        output.write(byte: 0x20)
        output.write(name)
        output.write("=\"")
        output.writeCanonical(value, .attribute)
        output.write(byte: UInt8(ascii: "\""))
    }

    private mutating func writeLeaf(_ index: UInt32) {
        let content = tree.content(index)
        switch tree.nodes[Int(index)].kind {
        case .text, .cdata: output.writeCanonical(content, .text)
        case .comment where withComments:
            output.write("<!--")
            output.write(content)
            output.write("-->")
        case .processingInstruction:
            output.write("<?")
            output.write(tree.localName(index))
            if !content.isEmpty {
                output.write(byte: 0x20)
                output.write(content)
            }
            output.write("?>")
        default: break
        }
    }

    mutating func deallocate() { output.deallocate() }
}

extension ByteWriter {
    /// Writes character data with the references of Canonical XML 1.0, section 2.3.
    fileprivate mutating func writeCanonical(_ text: UTF8Bytes, _ place: Escaping) {
        for byte in text {
            switch (byte, place) {
            case (UInt8(ascii: "&"), _): write("&amp;")
            case (UInt8(ascii: "<"), _): write("&lt;")
            case (UInt8(ascii: ">"), .text): write("&gt;")
            case (UInt8(ascii: "\""), .attribute): write("&quot;")
            case (0x09, .attribute): write("&#x9;")
            case (0x0A, .attribute): write("&#xA;")
            case (0x0D, _): write("&#xD;")
            default: write(byte: byte)
            }
        }
    }
}

extension UTF8Bytes {
    /// Whether the bytes start with a URI's scheme and its colon (RFC 3986, section 3.1): a URI that is not relative.
    fileprivate var hasScheme: Bool {
        guard let colon = firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        return self[..<colon].enumerated().allSatisfy { position, byte in
            switch byte {
            case 0x41...0x5A, 0x61...0x7A: true
            case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): position > 0
            default: false
            }
        }
    }
}
