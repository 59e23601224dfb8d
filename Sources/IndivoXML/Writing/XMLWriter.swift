/// Writes a subtree as XML.
struct XMLWriter {
    let tree: XMLTree
    private let isPretty: Bool
    var output = ByteWriter()
    var scope: NamespaceScope
    /// Names that were checked and are valid.
    private var checkedNames: [Bool]
    private var keepsDocumentType = true
    /// What the outermost element takes over from the elements around it, which are not written.
    private(set) var inherited = Inherited()
    var depth = 0
    /// The depth of the outermost element that is written as it is, in pretty style.
    private var verbatimDepth: Int?

    /// Calls `body` with the bytes of the subtree.
    ///
    /// - Throws: `XMLError` of kind `unwritable` for what XML cannot carry.
    static func write<R>(_ node: XMLNode, style: XMLStyle, _ body: (UTF8Bytes) throws -> R) throws -> R {
        let node = try resolve(node)
        var writer = XMLWriter(node.tree, style: style)
        writer.inherited.declarations = node.tree.declarationsForValues(of: node.index)
        if style == .pretty, node.tree.preservesSpace(around: node.index) { writer.verbatimDepth = 0 }
        return try writer.write(node, body)
    }

    /// The same without a document type, and with all that an element inherits.
    static func writeForCanonicalForm<R>(_ node: XMLNode, _ body: (UTF8Bytes) throws -> R) throws -> R {
        let node = try resolve(node)
        var writer = XMLWriter(node.tree, style: .compact)
        writer.keepsDocumentType = false
        if node.record.isElement {
            writer.inherited.declarations = node.tree.declarationsInScope(above: node.index)
            writer.inherited.attributes = node.tree.xmlAttributes(above: node.index)
        }
        return try writer.write(node, body)
    }

    private static func resolve(_ node: XMLNode) throws -> XMLNode {
        if let node = node.resolved { return node }
        throw XMLError(.unwritable, message: "the node was removed; there is nothing to write")
    }

    private mutating func write<R>(_ node: XMLNode, _ body: (UTF8Bytes) throws -> R) throws -> R {
        defer { output.deallocate() }
        if node.record.kind == .document { try writeDocument() } else { try writeSubtree(node.index) }
        return try body(UnsafeBufferPointer(start: output.bytes.base, count: output.bytes.count))
    }

    private init(_ tree: XMLTree, style: XMLStyle) {
        self.tree = tree
        isPretty = style == .pretty
        let names = tree.state.pointee.arena.names
        scope = NamespaceScope(names: names)
        // libxml2 looked at the names that were parsed; those that code added come behind them.
        checkedNames = (0..<names.count).map { $0 > 0 && $0 < names.parsedCount }
    }

    // MARK: Structure

    private mutating func writeDocument() throws {
        output.write("<?xml version=\"1.0\" encoding=\"UTF-8\"")
        if let standalone = tree.state.pointee.arena.standalone {
            output.write(standalone ? " standalone=\"yes\"" : " standalone=\"no\"")
        }
        output.write("?>\n")
        var roots = 0
        var child = tree.firstChild(0)
        while child != noNode {
            switch tree.nodes[Int(child)].kind {
            case .element: roots += 1
            case .text where isBlank(tree.content(child)):
                child = tree.next(child)
                continue
            case .text, .cdata: throw unwritable(child, "text stands outside the root element; put it into the element")
            case .documentType where roots > 0:
                throw unwritable(child, "a document type stands behind the root element; put it before")
            default: break
            }
            try writeSubtree(child)
            output.write(byte: UInt8(ascii: "\n"))
            child = tree.next(child)
        }
        if roots != 1 {
            throw XMLError(.unwritable, message: "a document has one root element, this one has \(roots)")
        }
    }

    /// Writes a node and all below it. It goes by the links and not by recursion, so that no depth is too deep.
    private mutating func writeSubtree(_ top: UInt32) throws {
        var current = top
        while true {
            if tree.isElement(current), try startElement(current) {
                current = tree.firstChild(current)
                continue
            } else if !tree.isElement(current) {
                try writeLeaf(current)
            }
            // Up to the next sibling, closing what ends on the way.
            while true {
                if current == top { return }
                let next = tree.next(current)
                if next != noNode {
                    current = next
                    break
                }
                current = tree.parent(current)
                try endElement(current)
            }
        }
    }

    /// - Returns: Whether the element has children, which come next.
    private mutating func startElement(_ index: UInt32) throws -> Bool {
        if isPretty, depth > 0, verbatimDepth == nil { output.indent(depth) }
        let record = tree.nodes[Int(index)]
        try check(record.name, index)
        depth += 1
        output.write(byte: UInt8(ascii: "<"))
        output.write(tree.state.pointee.arena.names.qualified(record.name))
        try writeAttributes(index, record)
        if tree.firstChild(index) == noNode {
            output.write("/>")
            scope.leave(depth: depth)
            depth -= 1
            return false
        }
        output.write(byte: UInt8(ascii: ">"))
        if isPretty, verbatimDepth == nil, isVerbatim(index) { verbatimDepth = depth }
        return true
    }

    private mutating func endElement(_ index: UInt32) throws {
        let isVerbatim = verbatimDepth != nil
        if verbatimDepth == depth { verbatimDepth = nil }
        scope.leave(depth: depth)
        depth -= 1
        if isPretty, !isVerbatim { output.indent(depth) }
        output.write("</")
        output.write(tree.state.pointee.arena.names.qualified(tree.nodes[Int(index)].name))
        output.write(byte: UInt8(ascii: ">"))
    }

    /// Whether white space inside the element means something.
    private func isVerbatim(_ index: UInt32) -> Bool {
        if let space = tree.spaceAttribute(index), space.elementsEqual("preserve".utf8) { return true }
        var child = tree.firstChild(index)
        var hasMarkup = false
        while child != noNode {
            switch tree.nodes[Int(child)].kind {
            case .cdata: return true
            case .text: if !isBlank(tree.content(child)) { return true }
            default: hasMarkup = true
            }
            child = tree.next(child)
        }
        // An element of nothing but blanks holds them on purpose.
        return !hasMarkup
    }

    private func isBlank(_ text: UTF8Bytes) -> Bool {
        text.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    // MARK: Leaves

    private mutating func writeLeaf(_ index: UInt32) throws {
        let record = tree.nodes[Int(index)]
        let content = tree.content(index)
        if isPretty, verbatimDepth == nil, depth > 0 {
            if record.kind == .text { return }
            output.indent(depth)
        }
        switch record.kind {
        case .text:
            if let bad = output.writeEscaped(content, .text) { throw unwritable(index, bad) }
        case .cdata:
            try checkCharacters(content, index)
            writeSection(content)
        case .comment:
            try checkCharacters(content, index)
            try checkReturns(content, index)
            if contains(content, "--") || content.last == UInt8(ascii: "-") {
                throw unwritable(index, "a comment holds \"--\" or ends in \"-\", which XML does not allow; change it")
            }
            output.write("<!--")
            output.write(content)
            output.write("-->")
        case .processingInstruction:
            try check(record.name, index)
            try checkCharacters(content, index)
            try checkReturns(content, index)
            if let first = content.first, first == 0x20 || first == 0x09 || first == 0x0A {
                throw unwritable(index, "the data of a processing instruction starts with white space, which is lost; remove it")
            }
            let target = tree.state.pointee.arena.names.qualified(record.name)
            if target.string.lowercased() == "xml" || target.contains(UInt8(ascii: ":")) || contains(content, "?>") {
                throw unwritable(index, "a processing instruction is named xml, has a colon in its name or holds \"?>\"; change it")
            }
            output.write("<?")
            output.write(target)
            if !content.isEmpty {
                output.write(byte: 0x20)
                output.write(content)
            }
            output.write("?>")
        case .documentType:
            guard keepsDocumentType else { return }
            output.write("<!DOCTYPE")
            output.write(content)
            output.write(">")
        case .document, .element, .removed: break
        }
    }

    /// A CDATA section. Where it holds the end mark it is ended and another begun; a carriage return, which a parser
    /// would take for a line feed, stands between two.
    private mutating func writeSection(_ content: UTF8Bytes) {
        let close = UInt8(ascii: "]")
        var from = 0
        output.write("<![CDATA[")
        for index in content.indices {
            let byte = content[index]
            let endsMark = byte == UInt8(ascii: ">") && index >= 2 && content[index - 1] == close && content[index - 2] == close
            guard endsMark || byte == 0x0D else { continue }
            output.write(UnsafeBufferPointer(rebasing: content[from..<index]))
            output.write(endsMark ? "]]><![CDATA[" : "]]>&#13;<![CDATA[")
            from = endsMark ? index : index + 1
        }
        output.write(UnsafeBufferPointer(rebasing: content[from...]))
        output.write("]]>")
    }

    private func contains(_ content: UTF8Bytes, _ pair: StaticString) -> Bool {
        let (first, second) = (pair.utf8Start[0], pair.utf8Start[1])
        return content.indices.dropLast().contains { content[$0] == first && content[$0 + 1] == second }
    }

    // MARK: Checks

    @inline(__always)
    mutating func check(_ name: UInt32, _ index: UInt32) throws {
        if checkedNames[Int(name)] { return }
        let text = tree.state.pointee.arena.names.qualified(name)
        guard NameRules.isQualifiedName(text) else {
            throw unwritable(index, "\"\(text.string.prefix(40))\" is not a name in XML; rename the node")
        }
        checkedNames[Int(name)] = true
    }

    private func checkCharacters(_ content: UTF8Bytes, _ index: UInt32) throws {
        for scalar in content.string.unicodeScalars where !NameRules.isCharacter(scalar) {
            throw unwritable(index, scalar)
        }
    }

    /// Comments and processing instructions have no way to write a carriage return: a parser makes it a line feed.
    private func checkReturns(_ content: UTF8Bytes, _ index: UInt32) throws {
        if content.contains(0x0D) {
            throw unwritable(index, "a comment or processing instruction cannot hold a carriage return; use a line feed")
        }
    }

    func unwritable(_ index: UInt32, _ scalar: Unicode.Scalar) -> XMLError {
        unwritable(
            index,
            "the character U+" + String(scalar.value, radix: 16, uppercase: true)
                + " cannot stand in XML; remove or replace it")
    }

    func unwritable(_ index: UInt32, _ message: String) -> XMLError {
        var path: [String] = []
        var current = index
        while current != noNode, path.count < 20 {
            if tree.isElement(current) {
                path.append(tree.state.pointee.arena.names.qualified(tree.nodes[Int(current)].name).string)
            }
            current = tree.parent(current)
        }
        return XMLError(.unwritable, message: "in /\(path.reversed().joined(separator: "/")): \(message)")
    }
}
