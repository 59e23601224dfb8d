import libxml2

/// Reads a document into an arena with libxml2's SAX2 interface.
enum DocumentParser {
    /// A document of more bytes is handed to libxml2 in pieces, so that it need not be copied whole.
    private static let copyLimit = 65_536

    /// - Throws: `XMLError`.
    static func parse(_ input: UTF8Bytes, options: XMLParseOptions) throws -> XMLTree {
        XMLLibrary.initialized
        let limit = min(options.limits.inputBytes, Int(Int32.max) - 1)
        if input.count > limit { throw XMLError.inputLimit(limit) }
        let encoding = try SourceEncoding.detect(input, given: options.encoding)
        let body = UTF8Bytes(rebasing: input[encoding.mark...])
        if encoding.name == nil, body.count > copyLimit { return try parse(body, endsInZero: false, options) }
        // libxml2 reads the zero byte behind the end.
        var text = Column<UInt8>()
        defer { text.deallocate() }
        if let name = encoding.name {
            try SourceConverter(name).convert(
                body,
                into: &text,
                limit: options.limits.inputBytes,
                isLast: true
            )
        } else {
            text.reserve(body.count + 1)
            text.append(contentsOf: body)
        }
        text.append(0)
        return try parse(UTF8Bytes(rebasing: text.buffer.dropLast()), endsInZero: true, options)
    }

    /// - Parameter source: The document in UTF-8.
    private static func parse(_ source: UTF8Bytes, endsInZero: Bool, _ options: XMLParseOptions) throws
        -> XMLTree
    {
        if source.isBlank {
            throw XMLError(
                .syntax,
                line: 1,
                column: 1,
                message: "the document is empty; an XML document has one root element"
            )
        }
        try TagScan(source: source, limits: options.limits).check()
        let parser = try ParserContext(xmlNewParserCtxt(), source: source, options: options)
        // It owns what the pointers point at.
        defer { withExtendedLifetime(parser) {} }
        let context = parser.context
        let state = parser.state
        state.pointee.arena.reserve(forBytes: source.count)
        guard let stream = endsInZero ? stream(over: source, in: context) : stream(fedBy: state, in: context)
        else {
            throw XMLError(.syntax, message: "out of memory")
        }
        inputPush(context, stream)
        // The text is UTF-8 by now, whatever it looks like.
        context.pointee.encoding = UnsafePointer(xmlStrdup("UTF-8"))
        xmlParseDocument(context)

        state.pointee.finish()
        if let error = state.pointee.error { throw error }
        return state.pointee.takeTree()
    }

    /// The memory is neither copied nor moved: it outlives the context and ends with a zero.
    private static func stream(over source: UTF8Bytes, in context: xmlParserCtxtPtr) -> xmlParserInputPtr? {
        guard let stream = xmlNewInputStream(context) else { return nil }
        stream.pointee.base = source.baseAddress
        stream.pointee.cur = source.baseAddress
        stream.pointee.end = source.baseAddress.map { $0 + source.count }
        return stream
    }

    /// libxml2 asks for one piece after the other, and keeps only the last.
    private static func stream(fedBy state: UnsafeMutablePointer<ParseState>, in context: xmlParserCtxtPtr)
        -> xmlParserInputPtr?
    {
        let read: xmlInputReadCallback = { state, target, room in
            guard let state, let target else { return -1 }
            return state.assumingMemoryBound(to: ParseState.self).pointee.feed(target, room: Int(room))
        }
        guard let buffer = xmlParserInputBufferCreateIO(read, nil, state, XML_CHAR_ENCODING_NONE) else {
            return nil
        }
        let stream = xmlNewIOInputStream(context, buffer, XML_CHAR_ENCODING_NONE)
        if stream == nil { xmlFreeParserInputBuffer(buffer) }
        return stream
    }
}

extension ParseState {
    /// What can be said only at the end.
    fileprivate mutating func finish() {
        guard error == nil, let context else { return }
        closeText()
        if let offset, offset < source.count {
            fail(
                .syntax,
                "the document ends here, at a zero byte, but the input goes on; remove what follows"
            )
        } else if context.pointee.wellFormed == 0 || depth != 0 || lastSibling == noNode {
            fail(.syntax, "the document is not well-formed")
        }
        arena.standalone = [0: false, 1: true][context.pointee.standalone]
    }
}
