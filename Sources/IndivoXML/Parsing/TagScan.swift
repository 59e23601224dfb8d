#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Searches for tags, comments and the like that are beyond the limits before libxml2 sees them: it would collect an
/// endless name or attribute list in memory first, and only then report it.
///
/// It is fast because it searches only where the next `<` is far away.
enum TagScan {
    /// A tag shorter than this can break no limit that matters for memory or time.
    private static let window = 16_384

    static func check(_ source: UTF8Bytes, limits: XMLLimits) throws {
        let window = max(64, min(TagScan.window, limits.nameBytes, limits.textBytes))
        guard source.count > window else { return }
        var position = 0
        while position + window < source.count {
            // The last `<` of the window is where the next window starts.
            var next = position + window
            while next > position, source[next] != UInt8(ascii: "<") { next -= 1 }
            if next > position {
                position = next
                continue
            }
            // A long stretch of text, or a long tag. What stands inside CDATA or a comment may look like a tag, so a
            // suspicion is checked by reading from the start.
            if source[position] == UInt8(ascii: "<"), violation(source, at: position, limits) != nil {
                try checkAll(source, limits: limits)
                return
            }
            let end = index(of: UInt8(ascii: "<"), in: source, from: position + 1) ?? source.count
            if end - position > limits.textBytes { try checkText(source, from: position, to: end, limits) }
            position = end
            if end == source.count { break }
        }
    }

    /// Refuses a text that is too long whatever stands before it, unless references make it shorter than its source.
    private static func checkText(_ source: UTF8Bytes, from start: Int, to end: Int, _ limits: XMLLimits) throws {
        guard let mark = index(of: UInt8(ascii: ">"), in: source, from: start), end - mark - 1 > limits.textBytes else { return }
        let reference = index(of: UInt8(ascii: "&"), in: source, from: mark) ?? source.count
        if min(reference, end) - mark - 1 > limits.textBytes {
            throw error(.textBytes, limits.textBytes, source, mark + 1)
        }
    }

    /// Checks markup that has begun and not ended yet, as the reader of pieces has it.
    static func checkWaiting(_ waiting: UTF8Bytes, limits: XMLLimits) throws {
        guard waiting.first == UInt8(ascii: "<"), let error = violation(waiting, at: 0, limits) else { return }
        throw XMLError(error.kind, message: error.message)
    }

    private static func checkAll(_ source: UTF8Bytes, limits: XMLLimits) throws {
        var position = index(of: UInt8(ascii: "<"), in: source, from: 0) ?? source.count
        while position < source.count {
            if let error = violation(source, at: position, limits) { throw error }
            let rest = source[position...]
            let end: Int?
            if rest.starts(with: "<!--".utf8) {
                end = find("-->", in: source, from: position + 4)
            } else if rest.starts(with: "<![CDATA[".utf8) {
                end = find("]]>", in: source, from: position + 9)
            } else if rest.starts(with: "<?".utf8) {
                end = find("?>", in: source, from: position + 2)
            } else {
                end = position + 1
            }
            guard let end else { return }
            position = index(of: UInt8(ascii: "<"), in: source, from: end) ?? source.count
        }
    }

    /// Where the keyword `<!DOCTYPE` ends, before which nothing but comments and processing instructions may stand.
    static func endOfDoctypeKeyword(in source: UTF8Bytes) -> Int? {
        var position = 0
        while let start = index(of: UInt8(ascii: "<"), in: source, from: position) {
            let rest = source[start...]
            if rest.starts(with: "<!DOCTYPE".utf8) { return start + 9 }
            let isComment = rest.starts(with: "<!--".utf8)
            guard let end = find(isComment ? "-->" : "?>", in: source, from: start + (isComment ? 4 : 2)) else { return nil }
            position = end
        }
        return nil
    }

    /// - Parameter most: How many bytes are checked.
    private static func index(of byte: UInt8, in source: UTF8Bytes, from start: Int, most: Int = .max) -> Int? {
        guard let base = source.baseAddress, start < source.count else { return nil }
        return memchr(base + start, Int32(byte), min(most, source.count - start)).map {
            UnsafeRawPointer($0) - UnsafeRawPointer(base)
        }
    }

    /// - Parameter most: How many bytes are checked.
    private static func find(
        _ mark: StaticString, in source: UTF8Bytes, from start: Int, most: Int = .max
    ) -> Int? {
        let mark = UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
        var position = start
        while position - start < most,
            let next = index(of: mark[0], in: source, from: position, most: most - (position - start)) {
            if source[next...].starts(with: mark) { return next + mark.count }
            position = next + 1
        }
        return nil
    }

    /// What is wrong with the markup that starts at `start`.
    private static func violation(_ source: UTF8Bytes, at start: Int, _ limits: XMLLimits) -> XMLError? {
        let rest = source[start...]
        if rest.starts(with: "<!".utf8) || rest.starts(with: "<?".utf8) {
            let isSection = rest.starts(with: "<![CDATA[".utf8)
            let mark: StaticString = isSection ? "]]>" : rest.starts(with: "<!--".utf8) ? "-->" : ">"
            let most = limits.textBytes < .max - 64 ? limits.textBytes + 64 : .max
            let end = find(mark, in: source, from: start + 2, most: most)
                ?? (source.count - start > most ? start + most : source.count)
            // A declaration is as harmless as it is short; a long one is read whole by the parser.
            return end - start > limits.textBytes + 16 ? error(.textBytes, limits.textBytes, source, start) : nil
        }
        var position = start + 1
        var name = 0
        var attributes = 0
        while position < source.count {
            switch source[position] {
            case UInt8(ascii: ">"), UInt8(ascii: "<"): return nil
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let quote = source[position]
                // Looking farther than the limit would be for nothing.
                let most = limits.textBytes < .max - 2 ? limits.textBytes + 2 : .max
                let end = index(of: quote, in: source, from: position + 1, most: most)
                    ?? (source.count - position > most ? position + most : source.count)
                if end - position - 1 > limits.textBytes { return error(.textBytes, limits.textBytes, source, start) }
                attributes += 1
                if attributes > limits.attributes { return error(.attributes, limits.attributes, source, start) }
                position = end
                name = 0
            case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "="), UInt8(ascii: "/"): name = 0
            default:
                name += 1
                if name > limits.nameBytes { return error(.nameBytes, limits.nameBytes, source, start) }
            }
            position += 1
        }
        return nil
    }

    private static func error(
        _ limit: XMLError.Limit, _ value: Int, _ source: UTF8Bytes, _ start: Int
    ) -> XMLError {
        let what =
            switch limit {
            case .nameBytes: "a name has more than \(value) bytes"
            case .attributes: "an element has more than \(value) attributes"
            default: "a text or attribute value has more than \(value) bytes"
            }
        let place = SourcePlace(offset: start, source: source)
        return XMLError(
            .limit(limit), line: place.line, column: place.column,
            message: "\(what) (limits.\(limit.rawValue))", excerpt: place.excerpt)
    }
}
