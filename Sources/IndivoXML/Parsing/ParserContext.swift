#if canImport(CLibXML2)
import CLibXML2
#else
import libxml2
#endif

/// libxml2's parser, and the state that its callbacks work on.
final class ParserContext {
    let context: xmlParserCtxtPtr
    let state: UnsafeMutablePointer<ParseState>

    init(_ make: @autoclosure () -> xmlParserCtxtPtr?, source: UTF8Bytes, options: XMLParseOptions) throws {
        XMLLibrary.initialize()
        guard let context = make() else { throw XMLError(.syntax, message: "out of memory") }
        self.context = context
        state = .allocate(capacity: 1)
        state.initialize(to: ParseState(source: source, options: options))
        SAXCallbacks.connect(context, state)
    }

    deinit {
        if let document = context.pointee.myDoc { xmlFreeDoc(document) }
        xmlFreeParserCtxt(context)
        state.pointee.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }
}
