import CLibXML2Tree

/// libxml2's own tree, at its fastest options.
enum LibXML2 {
    static func parse(_ bytes: [UInt8]) -> xmlDocPtr {
        let options = XML_PARSE_NOBLANKS.rawValue | XML_PARSE_COMPACT.rawValue | XML_PARSE_HUGE.rawValue
        let document = bytes.withUnsafeBytes { buffer in
            xmlReadMemory(
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(buffer.count),
                nil,
                nil,
                Int32(options)
            )
        }
        guard let document else { fatalError("the benchmark's document is not well-formed") }
        return document
    }

    static func count(_ expression: String, in document: xmlDocPtr) -> Int {
        let context = xmlXPathNewContext(document)
        defer { xmlXPathFreeContext(context) }
        guard let object = xmlXPathEvalExpression(expression, context) else { return -1 }
        defer { xmlXPathFreeObject(object) }
        return Int(object.pointee.nodesetval?.pointee.nodeNr ?? 0)
    }

    static func write(_ document: xmlDocPtr) -> Int {
        var text: UnsafeMutablePointer<xmlChar>?
        var count: Int32 = 0
        xmlDocDumpMemory(document, &text, &count)
        tree_xmlFree(text)
        return Int(count)
    }
}
