#if canImport(CLibXML2)
import CLibXML2
#else
import libxml2
#endif

/// Reads a document piece by piece, and keeps only the subtrees that are wanted.
final class PushParser {
    private let context: xmlParserCtxtPtr
    private let state: UnsafeMutablePointer<ParseState>
    private let limits: XMLLimits
    private let encoding: String?
    /// How many bytes came, and how many they were in UTF-8.
    private var taken = 0
    private var received = 0
    /// The start of the document, until it is long enough to determine the encoding; then nil.
    private var head: [UInt8]? = []
    private var converter: SourceConverter?
    /// When so much text is waiting, it is checked for a tag beyond the limits; twice as much the next time.
    private var nextLook = 16_384

    init(elements: [String], options: XMLParseOptions) throws {
        XMLLibrary.initialize()
        limits = options.limits
        encoding = options.encoding
        guard let context = xmlCreatePushParserCtxt(nil, nil, nil, 0, nil) else {
            throw XMLError(.syntax, message: "out of memory")
        }
        self.context = context
        state = .allocate(capacity: 1)
        state.initialize(to: ParseState(source: UnsafeBufferPointer(start: nil, count: 0), options: options))
        state.pointee.wanted = elements.map { Array($0.utf8) }
        // The text is UTF-8 when libxml2 gets it, whatever it looks like and says.
        context.pointee.charset = Int32(XML_CHAR_ENCODING_UTF8.rawValue)
        SAXCallbacks.connect(context, state)
    }

    deinit {
        if let document = context.pointee.myDoc { xmlFreeDoc(document) }
        xmlFreeParserCtxt(context)
        state.pointee.arena.deallocate()
        state.pointee.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Reads on.
    ///
    /// - Returns: The subtrees that were completed.
    func feed(_ bytes: UTF8Bytes) throws -> [XMLNode] {
        taken += bytes.count
        if taken > limits.inputBytes { throw XMLError.inputLimit(limits.inputBytes) }
        if head != nil {
            head?.append(contentsOf: bytes)
            if (head?.count ?? 0) >= SourceEncoding.headLength { try start() }
        } else {
            try parse(bytes)
        }
        return takeCompleted()
    }

    /// The input is over.
    func finish() throws -> [XMLNode] {
        if head != nil { try start() }
        if let converter {
            var text = Column<UInt8>()
            defer { text.deallocate() }
            try converter.finish(into: &text)
            try parse(text: UnsafeBufferPointer(start: text.base, count: text.count))
        }
        xmlParseChunk(context, nil, 0, 1)
        if state.pointee.error == nil, context.pointee.wellFormed == 0 || received == 0 {
            state.pointee.fail(.syntax, received == 0 ? "the document is empty" : "the document is not well-formed")
        }
        try check()
        return takeCompleted()
    }

    /// Enough is there to determine the encoding.
    private func start() throws {
        let bytes = head ?? []
        head = nil
        try bytes.withUnsafeBufferPointer { bytes in
            let encoding = try SourceEncoding.detect(bytes, given: encoding)
            converter = try encoding.name.map { try SourceConverter($0) }
            try parse(UnsafeBufferPointer(rebasing: bytes[encoding.mark...]))
        }
    }

    private func parse(_ bytes: UTF8Bytes) throws {
        guard let converter else { return try parse(text: bytes) }
        var text = Column<UInt8>()
        defer { text.deallocate() }
        try converter.convert(bytes, into: &text, limit: limits.inputBytes)
        try parse(text: UnsafeBufferPointer(start: text.base, count: text.count))
    }

    private func parse(text: UTF8Bytes) throws {
        received += text.count
        if received > limits.inputBytes { throw XMLError.inputLimit(limits.inputBytes) }
        var rest = text[...]
        while !rest.isEmpty {
            let piece = UnsafeBufferPointer(rebasing: rest.prefix(1 << 20))
            rest = rest.dropFirst(piece.count)
            piece.withMemoryRebound(to: CChar.self) { _ = xmlParseChunk(context, $0.baseAddress, Int32($0.count), 0) }
            try check()
        }
    }

    private func check() throws {
        if let error = state.pointee.error { throw error }
        // What waits is an unfinished tag, comment or the like, which libxml2 collects whole.
        guard let input = context.pointee.input, let cursor = input.pointee.cur, let end = input.pointee.end else { return }
        let waiting = UnsafeBufferPointer(start: cursor, count: end - cursor)
        if waiting.count < nextLook {
            if waiting.count < 16_384 { nextLook = 16_384 }
            return
        }
        nextLook = waiting.count * 2
        try TagScan.checkWaiting(waiting, limits: limits)
    }

    private func takeCompleted() -> [XMLNode] {
        defer { state.pointee.completed = [] }
        return state.pointee.completed.map { tree in tree.handle(tree.firstElement(in: 0)) }
    }
}
