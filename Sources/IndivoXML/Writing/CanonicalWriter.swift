/// Writes a document that was parsed in canonical form (W3C Canonical XML 1.0).
struct CanonicalWriter {
    private let tree: XMLTree
    private let names: NameTable
    private let withComments: Bool
    private(set) var output = ByteWriter(isCanonical: true)
    /// What each prefix stands for, by the id of its declaration's name, and at which depth that was written.
    private var bindings: [(name: UInt32, value: UInt32, depth: Int)] = []
    private var depth = 0

    init(_ tree: XMLTree, withComments: Bool) {
        self.tree = tree
        names = tree.names
        self.withComments = withComments
    }

    /// Writes the document: the root element, and what stands around it each in a line of its own (section 2.1).
    mutating func write() throws {
        var isBehindRoot = false
        for child in tree.children(of: 0) {
            switch tree.nodes[Int(child)].kind {
            case .element:
                try tree.visit(child) { index, isEnd in
                    if !isEnd, tree.isElement(index) { try startElement(index) } else if !isEnd { writeLeaf(index) }
                    if tree.isElement(index), isEnd || tree.firstChild(index) == noNode { endElement(index) }
                }
                isBehindRoot = true
            case .comment where withComments, .processingInstruction:
                if isBehindRoot { output.write(byte: 0x0A) }
                writeLeaf(child)
                if !isBehindRoot { output.write(byte: 0x0A) }
            default: break
            }
        }
    }

    private mutating func startElement(_ index: UInt32) throws {
        depth += 1
        output.write(byte: UInt8(ascii: "<"))
        output.write(names.qualified(tree.nodes[Int(index)].name))
        let attributes = tree.attributes(index)
        // The default's name, xmlns, comes first, being its prefix's start.
        let declarations = attributes.filter(\.isDeclaration).sorted {
            names.qualified($0.name).lexicographicallyPrecedes(names.qualified($1.name))
        }
        for declaration in declarations where try declare(declaration, index) { write(declaration) }
        let others = attributes.filter { !$0.isDeclaration }.sorted { left, right in
            let (leftSpace, rightSpace) = (names.namespace(ofName: left.name), names.namespace(ofName: right.name))
            if !leftSpace.equals(rightSpace) { return leftSpace.lexicographicallyPrecedes(rightSpace) }
            return names.local(left.name).lexicographicallyPrecedes(names.local(right.name))
        }
        for attribute in others { write(attribute) }
        output.write(byte: UInt8(ascii: ">"))
    }

    private mutating func endElement(_ index: UInt32) {
        while bindings.last?.depth == depth { bindings.removeLast() }
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
        let outer = bindings.last { $0.name == declaration.name }.map { tree.state.pointee.arena.value(at: $0.value) }
        if outer?.equals(uri) ?? uri.isEmpty { return false }
        bindings.append((declaration.name, declaration.value, depth))
        return true
    }

    private mutating func write(_ attribute: AttributeRecord) {
        output.write(byte: 0x20)
        output.write(names.qualified(attribute.name))
        output.write("=\"")
        _ = output.writeEscaped(tree.attributeValue(attribute), .attribute)
        output.write(byte: UInt8(ascii: "\""))
    }

    private mutating func writeLeaf(_ index: UInt32) {
        let content = tree.content(index)
        switch tree.nodes[Int(index)].kind {
        case .text, .cdata: _ = output.writeEscaped(content, .text)
        case .comment: if withComments { output.writeComment(content) }
        case .processingInstruction: output.writeInstruction(tree.localName(index), content)
        default: break
        }
    }

    mutating func deallocate() { output.deallocate() }
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
