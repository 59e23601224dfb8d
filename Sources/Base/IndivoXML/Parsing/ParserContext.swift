import libxml2

/// libxml2's parser, and the state that its callbacks work on.
final class ParserContext {
    let context: xmlParserCtxtPtr
    let state: UnsafeMutablePointer<ParseState>

    init(
        _ make: @autoclosure () -> xmlParserCtxtPtr?,
        source: UTF8Bytes,
        options parseOptions: XMLParseOptions
    ) throws {
        XMLLibrary.initialized
        guard let context = make() else { throw XMLError(.syntax, message: "out of memory") }
        self.context = context
        state = .allocate(capacity: 1)
        state.initialize(to: ParseState(source: source, options: parseOptions))
        state.pointee.context = context
        context.pointee._private = UnsafeMutableRawPointer(state)
        // HUGE lifts libxml2's own limits, which cannot be set; ours hold instead. Entities are replaced, and
        // those outside the document refused before they would be loaded.
        let options = [XML_PARSE_NOENT, XML_PARSE_NONET, XML_PARSE_HUGE, XML_PARSE_IGNORE_ENC]
        xmlCtxtUseOptions(context, Int32(options.reduce(0) { $0 | $1.rawValue }))
        SAXCallbacks.install(in: context.pointee.sax)
    }

    deinit {
        if let document = context.pointee.myDoc { xmlFreeDoc(document) }
        xmlFreeParserCtxt(context)
        state.pointee.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }
}
