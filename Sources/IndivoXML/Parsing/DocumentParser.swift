import CLibXML2

/// Reads a document into an arena with libxml2's SAX2 interface.
enum DocumentParser {
    /// - Throws: `XMLError`.
    static func parse(_ input: UnsafeBufferPointer<UInt8>, options: XMLParseOptions) throws -> XMLTree {
        XMLLibrary.initialize()
        if input.count > options.limits.inputBytes { throw XMLError.inputLimit(options.limits.inputBytes) }
        if input.count >= Int(Int32.max) { throw XMLError.inputLimit(Int(Int32.max)) }
        var source = try SourceEncoding.utf8(input, options: options)
        defer { source.deallocate() }
        let text = UnsafeBufferPointer(start: source.base, count: source.count - 1)
        if text.allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) {
            throw XMLError(.syntax, line: 1, column: 1, message: "the document is empty; an XML document has one root element")
        }
        try TagScan.check(text, limits: options.limits)
        return XMLTree(try run(text, options: options))
    }

    private static func run(_ source: UnsafeBufferPointer<UInt8>, options: XMLParseOptions) throws -> Arena {
        let state = UnsafeMutablePointer<ParseState>.allocate(capacity: 1)
        state.initialize(to: ParseState(source: source, options: options))
        defer {
            state.pointee.names.deallocate()
            state.deinitialize(count: 1)
            state.deallocate()
        }
        state.pointee.reserve()
        guard let context = xmlNewParserCtxt() else { throw XMLError(.syntax, message: "out of memory") }
        defer {
            if let document = context.pointee.myDoc { xmlFreeDoc(document) }
            xmlFreeParserCtxt(context)
        }
        state.pointee.context = context
        context.pointee._private = UnsafeMutableRawPointer(state)
        // HUGE lifts libxml2's own limits, which cannot be set; ours hold instead. Entities are replaced, and those
        // outside the document refused before they would be loaded.
        xmlCtxtUseOptions(
            context,
            Int32(XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue
                | XML_PARSE_IGNORE_ENC.rawValue))
        SAXCallbacks.install(in: context.pointee.sax)

        // The memory is neither copied nor moved: it outlives the context and ends with a zero.
        guard let stream = xmlNewInputStream(context) else { throw XMLError(.syntax, message: "out of memory") }
        stream.pointee.base = source.baseAddress
        stream.pointee.cur = source.baseAddress
        stream.pointee.end = source.baseAddress.map { $0 + source.count }
        inputPush(context, stream)
        xmlParseDocument(context)

        state.pointee.finish()
        if let error = state.pointee.error {
            state.pointee.arena.deallocate()
            throw error
        }
        state.pointee.arena.names.parsedCount = state.pointee.arena.names.count
        state.pointee.arena.trim()
        return state.pointee.arena
    }
}

extension ParseState {
    /// Room for a document of the usual density; untouched memory costs nothing.
    fileprivate mutating func reserve() {
        arena.nodes.reserve(source.count / 24 + 16)
        arena.lines.reserve(source.count / 24 + 16)
        arena.attributes.reserve(source.count / 32 + 16)
        arena.bytes.reserve(source.count * 3 / 4 + 64)
    }

    /// What can be said only at the end.
    fileprivate mutating func finish() {
        guard error == nil, let context else { return }
        closeText()
        if let start = source.baseAddress, let cursor = context.pointee.input?.pointee.cur,
            cursor >= start, cursor < start + source.count {
            fail(.syntax, "the document ends here, at a zero byte, but the input goes on; remove what follows")
        } else if context.pointee.wellFormed == 0 || depth != 0 || lastSibling == noNode {
            fail(.syntax, "the document is not well-formed")
        }
        switch context.pointee.standalone {
        case 1: arena.standalone = true
        case 0: arena.standalone = false
        default: break
        }
    }
}
