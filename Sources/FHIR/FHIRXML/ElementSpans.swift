/// Where each element of a well-formed document without a document type is in its source, in document order.
///
/// IndivoXML checks documents and reads names and values; this finds columns, and the narrative as it was
/// written.
struct ElementSpans {
    struct Span {
        /// The index of the `<` of the start tag.
        let start: Int
        /// The index behind the `>` of the end tag.
        var end: Int
        /// How many elements it has, itself included.
        var count: Int
    }

    private(set) var spans: [Span] = []

    init(_ source: [UInt8]) {
        var open: [Int] = []
        var position = 0
        while let start = source[position...].firstIndex(of: UInt8(ascii: "<")), start + 1 < source.count {
            let end: Int?
            switch source[start + 1] {
            case UInt8(ascii: "!"):
                let isSection = source[start...].starts(with: "<![CDATA[".utf8)
                end = Self.end(of: isSection ? "]]>" : "-->", in: source, from: start + (isSection ? 9 : 4))
            case UInt8(ascii: "?"):
                end = Self.end(of: "?>", in: source, from: start + 2)
            case UInt8(ascii: "/"):
                end = Self.end(of: ">", in: source, from: start)
                if let end, let index = open.popLast() {
                    spans[index].end = end
                    spans[index].count = spans.count - index
                }
            default:
                end = Self.endOfTag(in: source, from: start)
                if let end {
                    if source[end - 2] != UInt8(ascii: "/") { open.append(spans.count) }
                    spans.append(Span(start: start, end: end, count: 1))
                }
            }
            guard let end else { return }
            position = end
        }
    }

    private static func end(of mark: String, in source: [UInt8], from start: Int) -> Int? {
        var position = start
        while position < source.count, let next = source[position...].firstIndex(of: mark.utf8.first ?? 0) {
            if source[next...].starts(with: mark.utf8) { return next + mark.utf8.count }
            position = next + 1
        }
        return nil
    }

    /// The index behind the `>` of a start tag; one in an attribute's value does not end it.
    private static func endOfTag(in source: [UInt8], from start: Int) -> Int? {
        var quote: UInt8?
        for index in start..<source.count {
            let byte = source[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index + 1
            }
        }
        return nil
    }
}
