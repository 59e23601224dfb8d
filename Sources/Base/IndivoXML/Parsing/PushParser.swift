import libxml2

/// Reads a document piece by piece, and keeps only the subtrees that are wanted.
final class PushParser {
    private let parser: ParserContext
    private let options: XMLParseOptions
    /// How many bytes came, and how many they were in UTF-8.
    private var taken = 0
    private var received = 0
    private var isAtStart = true
    private var converter: SourceConverter?
    /// When so much text is waiting, it is checked for a tag beyond the limits; twice as much the next time.
    private var nextLook = 16_384

    init(elements: [String], options: XMLParseOptions) throws {
        self.options = options
        parser = try ParserContext(
            xmlCreatePushParserCtxt(nil, nil, nil, 0, nil),
            source: .none,
            options: options
        )
        state.pointee.wanted = elements.map { Array($0.utf8) }
        // The text is UTF-8 when libxml2 gets it, whatever it looks like and says.
        context.pointee.charset = Int32(XML_CHAR_ENCODING_UTF8.rawValue)
    }

    private var context: xmlParserCtxtPtr { parser.context }
    private var state: UnsafeMutablePointer<ParseState> { parser.state }

    /// Reads on, and gives the subtrees that are complete. The first bytes are enough to determine the
    /// encoding, or all.
    func feed(_ bytes: UTF8Bytes, isLast: Bool) throws -> [XMLNode] {
        let limit = options.limits.inputBytes
        taken += bytes.count
        if taken > limit { throw XMLError.inputLimit(limit) }
        var bytes = bytes
        if isAtStart {
            isAtStart = false
            let encoding = try SourceEncoding.detect(bytes, given: options.encoding)
            converter = try encoding.name.map { try SourceConverter($0) }
            bytes = UTF8Bytes(rebasing: bytes[encoding.mark...])
        }
        var text = Column<UInt8>()
        defer { text.deallocate() }
        try converter?.convert(bytes, into: &text, limit: limit, isLast: isLast)
        try parse(text: converter == nil ? bytes : text.buffer)
        if isLast {
            xmlParseChunk(context, nil, 0, 1)
            if state.pointee.error == nil, context.pointee.wellFormed == 0 || received == 0 {
                state.pointee.fail(
                    .syntax,
                    received == 0 ? "the document is empty" : "the document is not well-formed"
                )
            }
            try check()
        }
        defer { state.pointee.completed = [] }
        return state.pointee.completed.map { tree in tree.handle(tree.firstElement(in: 0)) }
    }

    private func parse(text: UTF8Bytes) throws {
        received += text.count
        if received > options.limits.inputBytes { throw XMLError.inputLimit(options.limits.inputBytes) }
        for start in stride(from: 0, to: text.count, by: 1 << 20) {
            UTF8Bytes(rebasing: text[start...].prefix(1 << 20)).withMemoryRebound(to: CChar.self) {
                _ = xmlParseChunk(context, $0.baseAddress, Int32($0.count), 0)
            }
            try check()
        }
    }

    private func check() throws {
        if let error = state.pointee.error { throw error }
        // What waits is an unfinished tag, comment or the like, which libxml2 collects whole.
        guard let input = context.pointee.input, let cursor = input.pointee.cur, let end = input.pointee.end
        else { return }
        let waiting = UTF8Bytes(start: cursor, count: end - cursor)
        if waiting.count < 16_384 { nextLook = 16_384 }
        guard waiting.count >= nextLook else { return }
        nextLook = waiting.count * 2
        try TagScan(source: waiting, limits: options.limits).checkWaiting()
    }
}
