#if canImport(CLibXML2)
import CLibXML2
#else
import libxml2
#endif
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension XMLNode {
    /// The node in canonical form (W3C Canonical XML 1.0), in UTF-8: two documents mean the same when these are equal.
    ///
    /// - Parameter withComments: Whether comments are kept.
    /// - Throws: `XMLError` of kind `unwritable` for what XML cannot carry.
    public func canonical(withComments: Bool = false) throws -> Data {
        XMLLibrary.initialize()
        return try XMLWriter.write(self, style: .compact, keepsDocumentType: false) { bytes in
            guard bytes.count < Int(Int32.max), let start = bytes.baseAddress else {
                throw XMLError.inputLimit(Int(Int32.max))
            }
            let options =
                XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue
                | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
            guard let context = xmlNewParserCtxt() else { throw XMLError(.unwritable, message: "out of memory") }
            defer { xmlFreeParserCtxt(context) }
            let document = start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                xmlCtxtReadMemory(context, $0, Int32(bytes.count), nil, "UTF-8", Int32(options))
            }
            guard let document else {
                throw XMLError(.unwritable, message: "the node is no document; only elements and documents have a canonical form")
            }
            defer { xmlFreeDoc(document) }
            // Into a buffer: `xmlFree`, which a plain text would need, is a variable that Swift may not read from several tasks.
            guard let buffer = xmlBufferCreate(), let output = xmlOutputBufferCreateBuffer(buffer, nil) else {
                throw XMLError(.unwritable, message: "out of memory")
            }
            defer { xmlBufferFree(buffer) }
            xmlBufferSetAllocationScheme(buffer, XML_BUFFER_ALLOC_DOUBLEIT)
            let status = xmlC14NDocSaveTo(
                document, nil, Int32(XML_C14N_1_0.rawValue), nil, withComments ? 1 : 0, output)
            guard xmlOutputBufferClose(output) >= 0, status >= 0, let text = xmlBufferContent(buffer) else {
                throw XMLError(.unwritable, message: "the document has no canonical form: a namespace is a relative URI")
            }
            return Data(bytes: text, count: Int(xmlBufferLength(buffer)))
        }
    }
}
