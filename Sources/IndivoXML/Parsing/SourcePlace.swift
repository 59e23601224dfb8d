#if canImport(CLibXML2)
import CLibXML2
#else
import libxml2
#endif

/// Where in the source the parser is.
struct SourcePlace {
    var line: Int?
    var column: Int?
    var excerpt: String?

    /// What the parser knows without the source: it counts columns in bytes.
    init(context: xmlParserCtxtPtr?) {
        guard let input = context?.pointee.input, input.pointee.base != input.pointee.end else { return }
        line = Int(input.pointee.line)
        column = Int(input.pointee.col)
    }

    /// The position of a byte of the source.
    init(offset: Int, source: UTF8Bytes) {
        var lineStart = offset
        while lineStart > 0, source[lineStart - 1] != UInt8(ascii: "\n") { lineStart -= 1 }
        line = 1 + source[..<lineStart].count(where: { $0 == UInt8(ascii: "\n") })
        column = 1 + source[lineStart..<offset].count(where: { $0 & 0xC0 != 0x80 })
        let from = max(lineStart, offset - 40)
        var to = offset
        while to < source.count, to < offset + 40, source[to] != UInt8(ascii: "\n") { to += 1 }
        // The cut may fall inside a character: leave its rest out.
        let bytes = source[from..<to].drop(while: { $0 & 0xC0 == 0x80 })
        excerpt = String(String(decoding: bytes, as: UTF8.self).filter { $0 != "\u{FFFD}" })
    }
}
