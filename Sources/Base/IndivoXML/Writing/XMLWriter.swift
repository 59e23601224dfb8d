/// Writes a subtree as XML.
struct XMLWriter {
    enum Form: Equatable {
        case style(XMLStyle)
        /// Everything that the canonical form needs: inherited declarations are written, a document type is
        /// not.
        case complete
        /// The canonical form of a document that was written as complete, read, and has its attributes in
        /// order.
        case canonical(withComments: Bool)
    }

    let tree: XMLTree
    private let form: Form
    private let isPretty: Bool
    let isCanonical: Bool
    var output: ByteWriter
    var scope: NamespaceScope
    /// Names that were checked and are valid.
    private var checkedNames: [Bool]
    /// The declarations that the outermost element takes over from the elements around it, which are not
    /// written.
    private(set) var inheritedDeclarations: [NamespaceDeclaration] = []
    /// The same for attributes in the namespace `xml`.
    private(set) var inheritedAttributes: [AttributeRecord] = []
    var depth = 0
    /// The depth of the outermost element that is written as it is, in pretty style.
    private var verbatimDepth: Int?

    /// Calls `body` with the bytes of the subtree.
    /// - Throws: `XMLError` of kind `unwritable` for content that XML cannot contain.
    static func write<R>(_ node: XMLNode, as form: Form, _ body: (UTF8Bytes) throws -> R) throws -> R {
        guard let node = node.resolved else {
            throw XMLError(.unwritable, message: "the node was removed; there is nothing to write")
        }
        let tree = node.tree
        let index = node.index
        var writer = XMLWriter(tree, form)
        defer { writer.output.deallocate() }
        writer.inheritedDeclarations =
            form == .complete ? tree.declarationsInScope(above: index) : tree.declarationsForValues(of: index)
        if form == .complete { writer.inheritedAttributes = tree.xmlAttributes(above: index) }
        if writer.isPretty, tree.preservesSpace(around: index) { writer.verbatimDepth = 0 }
        if node.record.kind == .document {
            try writer.writeDocument()
        } else {
            try writer.writeSubtree(index)
        }
        return try body(writer.output.bytes.buffer)
    }

    private init(_ tree: XMLTree, _ form: Form) {
        self.tree = tree
        self.form = form
        isPretty = form == .style(.pretty)
        if case .canonical = form { isCanonical = true } else { isCanonical = false }
        output = ByteWriter(isCanonical: isCanonical)
        scope = NamespaceScope(names: tree.names)
        // libxml2 checked the names that were parsed; names that code added come after them.
        checkedNames = (0..<tree.names.count).map { $0 > 0 && $0 < tree.names.parsedCount }
    }

    // MARK: Structure

    private mutating func writeDocument() throws {
        if !isCanonical {
            output.write("<?xml version=\"1.0\" encoding=\"UTF-8\"")
            if let standalone = tree.state.pointee.arena.standalone {
                output.write(standalone ? " standalone=\"yes\"" : " standalone=\"no\"")
            }
            output.write("?>\n")
        }
        var roots = 0
        for child in tree.children(of: 0) {
            let isBehindRoot = roots > 0
            switch tree.nodes[Int(child)].kind {
            case .element: roots += 1
            case .text where tree.content(child).isBlank: continue
            case .comment where form == .canonical(withComments: false): continue
            case .text, .cdata:
                throw unwritable(child, "text stands outside the root element; put it into the element")
            case .documentType where roots > 0:
                throw unwritable(child, "a document type stands behind the root element; put it before")
            default: break
            }
            // In canonical form what stands around the root has lines of its own, and the root none (section
            // 2.1).
            if isCanonical, isBehindRoot { output.write(byte: UInt8(ascii: "\n")) }
            try writeSubtree(child)
            if !isCanonical || roots == 0 { output.write(byte: UInt8(ascii: "\n")) }
        }
        if roots != 1 {
            throw XMLError(.unwritable, message: "a document has one root element, this one has \(roots)")
        }
    }

    private mutating func writeSubtree(_ top: UInt32) throws {
        try tree.visit(top) { index, isEnd in
            if isEnd {
                endElement(index)
            } else if tree.isElement(index) {
                try startElement(index)
            } else {
                try writeLeaf(index)
            }
        }
    }

    private mutating func startElement(_ index: UInt32) throws {
        if isPretty, depth > 0, verbatimDepth == nil { output.indent(depth) }
        let record = tree.nodes[Int(index)]
        try check(record.name, index)
        depth += 1
        output.write(byte: UInt8(ascii: "<"))
        output.write(tree.names.qualified(record.name))
        try writeAttributes(index, record)
        let isEmpty = tree.firstChild(index) == noNode
        if isEmpty, !isCanonical {
            output.write("/>")
            scope.leave(depth: depth)
            depth -= 1
            return
        }
        output.write(byte: UInt8(ascii: ">"))
        if isEmpty { return endElement(index) }
        if isPretty, verbatimDepth == nil, isVerbatim(index) { verbatimDepth = depth }
    }

    private mutating func endElement(_ index: UInt32) {
        let isVerbatim = verbatimDepth != nil
        if verbatimDepth == depth { verbatimDepth = nil }
        scope.leave(depth: depth)
        depth -= 1
        if isPretty, !isVerbatim { output.indent(depth) }
        output.write("</")
        output.write(tree.names.qualified(tree.nodes[Int(index)].name))
        output.write(byte: UInt8(ascii: ">"))
    }

    /// Whether white space inside the element is significant.
    private func isVerbatim(_ index: UInt32) -> Bool {
        if tree.preservesSpace(index) == true { return true }
        var hasMarkup = false
        for child in tree.children(of: index) {
            let isText = tree.isText(child)
            if isText, tree.nodes[Int(child)].kind == .cdata || !tree.content(child).isBlank { return true }
            if !isText { hasMarkup = true }
        }
        // An element with nothing but blanks contains them on purpose.
        return !hasMarkup
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
        case .cdata where isCanonical: _ = output.writeEscaped(content, .text)
        case .cdata:
            try checkCharacters(content, index, allowsReturn: true)
            writeSection(content)
        case .comment where form == .canonical(withComments: false): break
        case .comment:
            try checkCharacters(content, index)
            if content.end(of: "--", from: 0) != nil || content.last == UInt8(ascii: "-") {
                throw unwritable(
                    index,
                    "a comment holds \"--\" or ends in \"-\", which XML does not allow; change it"
                )
            }
            output.write("<!--")
            output.write(content)
            output.write("-->")
        case .processingInstruction:
            try check(record.name, index)
            try checkCharacters(content, index)
            if let first = content.first, first == 0x20 || first == 0x09 || first == 0x0A {
                throw unwritable(
                    index,
                    "the data of a processing instruction starts with white space, which is lost; remove it"
                )
            }
            let target = tree.names.qualified(record.name)
            if target.string.lowercased() == "xml" || target.contains(UInt8(ascii: ":"))
                || content.end(of: "?>", from: 0) != nil
            {
                throw unwritable(
                    index,
                    """
                    a processing instruction is named xml, has a colon in its name or holds "?>"; change it
                    """
                )
            }
            output.write("<?")
            output.write(target)
            if !content.isEmpty { output.write(byte: 0x20) }
            output.write(content)
            output.write("?>")
        case .documentType where form != .complete:
            output.write("<!DOCTYPE")
            output.write(content)
            output.write(">")
        case .document, .documentType, .element, .removed: break
        }
    }

    /// A CDATA section. At an end mark in the content, it is ended and another begun. A carriage return,
    /// which a parser would turn into a line feed, is written between two sections.
    private mutating func writeSection(_ content: UTF8Bytes) {
        let close = UInt8(ascii: "]")
        var from = 0
        output.write("<![CDATA[")
        for index in content.indices {
            let byte = content[index]
            let endsMark =
                byte == UInt8(ascii: ">") && index >= 2 && content[index - 1] == close
                && content[index - 2] == close
            guard endsMark || byte == 0x0D else { continue }
            output.write(UTF8Bytes(rebasing: content[from..<index]))
            output.write(endsMark ? "]]><![CDATA[" : "]]>&#13;<![CDATA[")
            from = endsMark ? index : index + 1
        }
        output.write(UTF8Bytes(rebasing: content[from...]))
        output.write("]]>")
    }

    // MARK: Checks

    @inline(__always)
    mutating func check(_ name: UInt32, _ index: UInt32) throws {
        if checkedNames[Int(name)] { return }
        let text = tree.names.qualified(name)
        guard NameRules.isQualifiedName(text) else {
            throw unwritable(index, "\"\(text.string.prefix(40))\" is not a name in XML; rename the node")
        }
        checkedNames[Int(name)] = true
    }

    private func checkCharacters(_ content: UTF8Bytes, _ index: UInt32, allowsReturn: Bool = false) throws {
        for scalar in content.string.unicodeScalars where !NameRules.isCharacter(scalar) {
            throw unwritable(index, scalar)
        }
        // Comments and processing instructions have no way to write a carriage return: a parser makes it a
        // line feed.
        if !allowsReturn, content.contains(0x0D) {
            throw unwritable(
                index,
                "a comment or processing instruction cannot hold a carriage return; use a line feed"
            )
        }
    }

    func unwritable(_ index: UInt32, _ scalar: Unicode.Scalar) -> XMLError {
        let code = String(scalar.value, radix: 16, uppercase: true)
        return unwritable(index, "the character U+\(code) cannot stand in XML; remove or replace it")
    }

    func unwritable(_ index: UInt32, _ message: String) -> XMLError {
        let path = tree.ancestors(ofAndWith: index).filter(tree.isElement).prefix(20).map {
            tree.names.qualified(tree.nodes[Int($0)].name).string
        }
        return XMLError(.unwritable, message: "in /\(path.reversed().joined(separator: "/")): \(message)")
    }
}
