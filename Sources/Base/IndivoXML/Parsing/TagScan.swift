/// Searches for tags, comments and the like that are beyond the limits before libxml2 sees them: it would
/// collect an endless name or attribute list in memory first, and only then report it. It is fast because it
/// searches only where the next `<` is far away.
struct TagScan {
    /// A tag shorter than this can break no limit that matters for memory or time.
    private static let window = 16_384

    let source: UTF8Bytes
    let limits: XMLLimits

    func check() throws {
        let window = max(64, min(TagScan.window, limits.nameBytes, limits.textBytes))
        var position = 0
        while position + window < source.count {
            // The last `<` of the window is where the next window starts.
            var next = position + window
            while next > position, source[next] != UInt8(ascii: "<") { next -= 1 }
            if next > position {
                position = next
                continue
            }
            // A long stretch of text, or a long tag. What stands inside CDATA or a comment may look like a
            // tag, so a suspicion is checked by reading from the start.
            if source[position] == UInt8(ascii: "<"), violation(at: position) != nil { return try checkAll() }
            let end = source.firstIndex(of: UInt8(ascii: "<"), from: position + 1) ?? source.count
            if end - position > limits.textBytes { try checkText(from: position, to: end) }
            position = end
        }
    }

    /// Refuses a text that is too long by itself, unless references make it shorter than its source.
    private func checkText(from start: Int, to end: Int) throws {
        guard let mark = source.firstIndex(of: UInt8(ascii: ">"), from: start, most: end - start) else {
            return
        }
        let reference = source.firstIndex(of: UInt8(ascii: "&"), from: mark, most: end - mark) ?? end
        if reference - mark - 1 > limits.textBytes { throw tooLong(mark + 1) }
    }

    /// Checks markup that has begun and not ended yet, in the reader of pieces.
    func checkWaiting() throws {
        guard source.first == UInt8(ascii: "<"), let error = violation(at: 0) else { return }
        throw XMLError(error.kind, message: error.message)
    }

    /// Markup in which nothing is a tag.
    private static let opaque: [(start: StaticString, end: StaticString)] = [
        ("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"),
    ]

    private func checkAll() throws {
        var position = 0
        while let start = source.firstIndex(of: UInt8(ascii: "<"), from: position) {
            if let error = violation(at: start) { throw error }
            position = start + 1
            if let (mark, end) = TagScan.opaque.first(where: {
                source[start...].starts(with: $0.start.utf8Buffer)
            }) {
                guard let end = source.end(of: end, from: start + mark.utf8CodeUnitCount) else { return }
                position = end
            }
        }
    }

    /// What is wrong with the markup that starts at `start`. It looks no farther than the limits.
    private func violation(at start: Int) -> XMLError? {
        let rest = source[start...]
        let most = min(limits.textBytes, .max - 64)
        if rest.starts(with: "<!".utf8) || rest.starts(with: "<?".utf8) {
            let isSection = rest.starts(with: "<![CDATA[".utf8)
            let mark: StaticString = isSection ? "]]>" : rest.starts(with: "<!--".utf8) ? "-->" : ">"
            let length =
                source.end(of: mark, from: start + 2, most: most + 64).map { $0 - start }
                ?? min(most + 64, rest.count)
            // A short declaration does no harm; the parser reads a long one whole.
            return length > most + 16 ? tooLong(start) : nil
        }
        var position = start + 1
        var name = 0
        var attributes = 0
        while position < source.count {
            switch source[position] {
            case UInt8(ascii: ">"), UInt8(ascii: "<"): return nil
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let end = source.firstIndex(of: source[position], from: position + 1, most: most + 2)
                let length = end.map { $0 - position - 1 } ?? min(most + 1, source.count - position - 1)
                if length > limits.textBytes { return tooLong(start) }
                attributes += 1
                if attributes > limits.attributes {
                    return error(
                        .attributes,
                        start,
                        "an element has more than \(limits.attributes) attributes"
                    )
                }
                position += length + 1
                name = 0
            case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "="), UInt8(ascii: "/"): name = 0
            default:
                name += 1
                if name > limits.nameBytes {
                    return error(.nameBytes, start, "a name has more than \(limits.nameBytes) bytes")
                }
            }
            position += 1
        }
        return nil
    }

    private func tooLong(_ start: Int) -> XMLError {
        error(.textBytes, start, "a text or attribute value has more than \(limits.textBytes) bytes")
    }

    private func error(_ limit: XMLError.Limit, _ start: Int, _ message: String) -> XMLError {
        XMLError(.limit(limit), at: start, of: source, message: "\(message) (limits.\(limit.rawValue))")
    }
}
