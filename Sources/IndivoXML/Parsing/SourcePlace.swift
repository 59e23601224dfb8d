import CLibXML2

/// Where in the source the parser is.
struct SourcePlace {
    var line: Int?
    var column: Int?
    var excerpt: String?

    init(context: xmlParserCtxtPtr?, source: UnsafeBufferPointer<UInt8>) {
        guard let context, let input = context.pointee.input, let start = source.baseAddress else { return }
        guard let cursor = input.pointee.cur, cursor >= start, cursor <= start + source.count else {
            line = Int(input.pointee.line)
            return
        }
        locate(cursor - start, in: source)
    }

    /// The place of a byte of the source.
    init(offset: Int, source: UnsafeBufferPointer<UInt8>) { locate(offset, in: source) }

    private mutating func locate(_ offset: Int, in source: UnsafeBufferPointer<UInt8>) {
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
