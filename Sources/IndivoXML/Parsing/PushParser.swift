import CLibXML2

/// Reads a document piece by piece, and keeps only the subtrees that are wanted.
final class PushParser {
    private let context: xmlParserCtxtPtr
    private let state: UnsafeMutablePointer<ParseState>
    private let limits: XMLLimits
    private var received = 0
    /// When so much text is waiting, it is looked at for a tag beyond the limits; twice as much the next time.
    private var nextLook = 16_384

    init(elements: Set<String>, options: XMLParseOptions) throws {
        XMLLibrary.initialize()
        limits = options.limits
        guard let context = xmlCreatePushParserCtxt(nil, nil, nil, 0, nil) else {
            throw XMLError(.syntax, message: "out of memory")
        }
        self.context = context
        state = .allocate(capacity: 1)
        state.initialize(to: ParseState(source: UnsafeBufferPointer(start: nil, count: 0), options: options))
        state.pointee.context = context
        state.pointee.wanted = elements.map { Array($0.utf8) }
        context.pointee._private = UnsafeMutableRawPointer(state)
        xmlCtxtUseOptions(
            context, Int32(XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue))
        SAXCallbacks.install(in: context.pointee.sax)
        if let encoding = options.encoding {
            if encoding.uppercased().contains("UTF-7") || encoding.uppercased().contains("UTF7") {
                throw XMLError(.encoding, message: "UTF-7 is refused, because it hides markup; use UTF-8")
            }
            guard let handler = xmlFindCharEncodingHandler(encoding) else {
                throw XMLError(.encoding, message: "the encoding \(encoding.prefix(40)) is not known")
            }
            xmlSwitchToEncoding(context, handler)
        }
    }

    deinit {
        if let document = context.pointee.myDoc { xmlFreeDoc(document) }
        xmlFreeParserCtxt(context)
        state.pointee.arena.deallocate()
        state.pointee.names.deallocate()
        for arena in state.pointee.completed {
            var arena = arena
            arena.deallocate()
        }
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Reads on.
    ///
    /// - Returns: The subtrees that were completed.
    func feed(_ bytes: UnsafeBufferPointer<UInt8>) throws -> [XMLNode] {
        received += bytes.count
        if received > limits.inputBytes { throw XMLError.inputLimit(limits.inputBytes) }
        bytes.withMemoryRebound(to: CChar.self) { _ = xmlParseChunk(context, $0.baseAddress, Int32($0.count), 0) }
        try check()
        return takeCompleted()
    }

    /// The input is over.
    func finish() throws -> [XMLNode] {
        xmlParseChunk(context, nil, 0, 1)
        if state.pointee.error == nil, context.pointee.wellFormed == 0 || received == 0 {
            state.pointee.fail(.syntax, received == 0 ? "the document is empty" : "the document is not well-formed")
        }
        try check()
        return takeCompleted()
    }

    private func check() throws {
        if let name = context.pointee.encoding.map({ String(cString: $0).uppercased() }),
            name.contains("UTF-7") || name.contains("UTF7") {
            throw XMLError(.encoding, message: "UTF-7 is refused, because it hides markup; use UTF-8")
        }
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
        let arenas = state.pointee.completed
        state.pointee.completed = []
        return arenas.map { arena in
            let tree = XMLTree(arena)
            return tree.handle(tree.firstElement(in: 0))
        }
    }
}
