/// The tags and the text of HTML that nobody has checked, in time linear in its length. Comments and
/// declarations are left out.
///
/// What is malformed costs no text: a `<` that begins no tag is text, and so is a tag that nothing ends.
package struct HTMLTokens: Sequence, IteratorProtocol {
    package enum Token: Sendable, Hashable {
        /// Text in which references (`&amp;`, `&#160;`) stand for their characters.
        case text(String)
        /// A start tag, its names in lower case; empty where it ends in `/>`.
        case start(String, attributes: [String: String], isEmpty: Bool)
        case end(String)
    }

    /// Elements whose text is not for readers.
    package static let hidden: Set = [
        "script", "style", "head", "title", "iframe", "object", "template", "noscript", "svg", "math",
    ]
    /// Elements that stand on lines of their own.
    package static let blocks: Set = [
        "p", "div", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table", "section",
        "blockquote", "pre", "hr",
    ]

    private static let references = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "mdash": "—",
        "ndash": "–", "hellip": "…", "rsquo": "’", "lsquo": "‘", "rdquo": "”", "ldquo": "“", "bull": "•",
        "copy": "©", "reg": "®",
    ]

    private let bytes: [UInt8]
    private var index = 0
    /// The last position of each byte that ends something, so that none is searched for in vain.
    private let last: [UInt8: Int]

    package init(_ html: String) {
        let bytes = Array(html.utf8)
        self.bytes = bytes
        let ends = [UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'")]
        last = Dictionary(uniqueKeysWithValues: ends.map { ($0, bytes.lastIndex(of: $0) ?? -1) })
    }

    package mutating func next() -> Token? {
        var text: [UInt8] = []
        while index < bytes.count {
            guard isTag(at: index) else {
                text.append(bytes[index])
                index += 1
                continue
            }
            if !text.isEmpty { break }
            if let tag = readTag() { return tag }
        }
        return text.isEmpty ? nil : .text(Self.resolved(text))
    }

    /// Passes over the content of an element whose start tag was the last token, and its end tag.
    package mutating func skipContent(of name: String) {
        let end = Array("</\(name)".utf8)
        while index < bytes.count {
            if bytes[index] == end[0],
                bytes[index...].prefix(end.count).map({ $0 | 0x20 }) == end.map({ $0 | 0x20 })
            {
                return skip(past: [UInt8(ascii: ">")])
            }
            index += 1
        }
    }

    private func isTag(at index: Int) -> Bool {
        guard bytes[index] == UInt8(ascii: "<"), index + 1 < bytes.count,
            last[UInt8(ascii: ">")] ?? -1 > index
        else { return false }
        return bytes[index + 1].isASCIILetter || "/!?".utf8.contains(bytes[index + 1])
    }

    /// A tag; nil for a comment or a declaration.
    private mutating func readTag() -> Token? {
        if bytes[index...].starts(with: "<!--".utf8) {
            index += 4
            skip(past: Array("-->".utf8))
            return nil
        }
        let isEnd = bytes[index + 1] == UInt8(ascii: "/")
        index += isEnd ? 2 : 1
        let name = lowercased(while: \.isASCIILetterOrDigit)
        guard !name.isEmpty, !isEnd else {
            skip(past: [UInt8(ascii: ">")])
            return name.isEmpty ? nil : .end(name)
        }
        let (attributes, isEmpty) = readAttributes()
        return .start(name, attributes: attributes, isEmpty: isEmpty)
    }

    private mutating func readAttributes() -> ([String: String], isEmpty: Bool) {
        var attributes: [String: String] = [:]
        var isEmpty = false
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: ">") {
                index += 1
                break
            }
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=") || byte <= 0x20 {
                if byte > 0x20 { isEmpty = byte == UInt8(ascii: "/") }
                index += 1
                continue
            }
            isEmpty = false
            let name = lowercased { $0 > 0x20 && !"=/>".utf8.contains($0) }
            _ = take { $0 <= 0x20 }
            guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { continue }
            index += 1
            _ = take { $0 <= 0x20 }
            attributes[name] = Self.resolved(readValue())
        }
        return (attributes, isEmpty)
    }

    private mutating func readValue() -> [UInt8] {
        guard index < bytes.count, let quote = "\"'".utf8.first(where: { $0 == bytes[index] }),
            last[quote] ?? -1 > index
        else { return take { $0 > 0x20 && $0 != UInt8(ascii: ">") } }
        index += 1
        let value = take { $0 != quote }
        index += 1
        return value
    }

    private mutating func take(while isTaken: (UInt8) -> Bool) -> [UInt8] {
        let taken = bytes[index...].prefix(while: isTaken)
        index = taken.endIndex
        return Array(taken)
    }

    private mutating func lowercased(while isTaken: (UInt8) -> Bool) -> String {
        String(decoding: take(while: isTaken), as: UTF8.self).lowercased()
    }

    private mutating func skip(past end: [UInt8]) {
        while index < bytes.count, !bytes[index...].starts(with: end) { index += 1 }
        index = Swift.min(index + end.count, bytes.count)
    }

    // MARK: References

    private static func resolved(_ text: [UInt8]) -> String {
        guard text.contains(UInt8(ascii: "&")) else { return String(decoding: text, as: UTF8.self) }
        var resolved: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&"), let end = rest.prefix(10).firstIndex(of: UInt8(ascii: ";")),
                let character = character(String(decoding: rest[..<end], as: UTF8.self))
            else {
                resolved.append(byte)
                continue
            }
            resolved += character.utf8
            rest = rest[(end + 1)...]
        }
        return String(decoding: resolved, as: UTF8.self)
    }

    private static func character(_ name: String) -> String? {
        guard name.hasPrefix("#") else { return references[name] }
        let isHex = name.dropFirst().first.map { $0 == "x" || $0 == "X" } ?? false
        guard let code = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10), code >= 0x20,
            let scalar = Unicode.Scalar(code)
        else { return nil }
        return String(Character(scalar))
    }
}
