import Foundation

/// Where structured text ends, found without a tree.
enum StructureEnd {
    static func ofXMLOrJSON(_ body: Data) -> CallResponse.End {
        switch body.first(where: { !isSpace($0) }) {
        case nil: .cut
        case UInt8(ascii: "["), UInt8(ascii: "{"): ofJSON(body)
        default: ofXML(body)
        }
    }

    /// Whether JSON's outermost array or object is closed. Other values have no end of their own.
    static func ofJSON(_ body: Data) -> CallResponse.End {
        body.withUnsafeBytes { bytes in
            var depth = 0
            var isText = false
            var isEscape = false
            for byte in bytes {
                if isText {
                    if isEscape { isEscape = false } else if byte == UInt8(ascii: "\\") { isEscape = true }
                    else if byte == UInt8(ascii: "\"") { isText = false }
                    continue
                }
                switch byte {
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"):
                    depth -= 1
                    if depth <= 0 { return .whole }
                case UInt8(ascii: "\""): isText = true
                case _ where isSpace(byte): break
                default: if depth == 0 { return .unknown }
                }
            }
            return .cut
        }
    }

    /// Whether the root element of XML is closed; unknown for what is not XML.
    static func ofXML(_ body: Data) -> CallResponse.End {
        body.withUnsafeBytes { bytes in
            // In UTF-16 every other byte is zero; no server sends it.
            guard !bytes.prefix(4).contains(0) else { return .unknown }
            // A page for people is no answer to any call, and need not close its elements.
            let beginning = String(decoding: bytes.prefix(100), as: UTF8.self).lowercased()
            guard !beginning.contains("<html"), !beginning.contains("<!doctype html") else { return .unknown }
            var scanner = XMLEndScanner(bytes)
            return scanner.end()
        }
    }

    fileprivate static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// Follows the tags of a document as far as its root's end.
private struct XMLEndScanner {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func end() -> CallResponse.End {
        var depth = 0
        while skip(past: "<") {
            let ends: Bool
            if follows("!--") {
                ends = skip(past: "-->")
            } else if follows("![CDATA[") {
                ends = skip(past: "]]>")
            } else if follows("?") {
                ends = skip(past: "?>")
            } else if follows("!") {
                ends = skipTag(isDeclaration: true) != nil
            } else {
                let isEnd = follows("/")
                let last = skipTag()
                ends = last != nil
                if isEnd { depth -= 1 } else if last != UInt8(ascii: "/") { depth += 1 }
                if ends, depth <= 0 { return .whole }
            }
            guard ends else { return .cut }
        }
        // Words instead of an element: no more of them would make it XML.
        let isText = depth == 0 && bytes.contains { !StructureEnd.isSpace($0) && $0 != UInt8(ascii: "<") }
            && !bytes.contains(UInt8(ascii: "<"))
        return isText ? .unknown : .cut
    }

    private func follows(_ text: StaticString) -> Bool { text.withUTF8Buffer { bytes[position...].starts(with: $0) } }

    /// - Returns: Whether it is there.
    private mutating func skip(past text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard let first = text.first else { return true }
            while let found = bytes[position...].firstIndex(of: first) {
                if bytes[found...].starts(with: text) {
                    position = found + text.count
                    return true
                }
                position = found + 1
            }
            position = bytes.count
            return false
        }
    }

    /// Skips a tag, or a document type with what is declared in it.
    /// - Returns: The byte before its last one; `nil` when it does not end.
    private mutating func skipTag(isDeclaration: Bool = false) -> UInt8? {
        var quote: UInt8?
        var isInside = false
        var last: UInt8 = 0
        while position < bytes.count {
            if isDeclaration, quote == nil, follows("<!--") {
                guard skip(past: "-->") else { return nil }
                continue
            }
            let byte = bytes[position]
            position += 1
            if byte == quote {
                quote = nil
            } else if quote == nil {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
                case UInt8(ascii: "["): isInside = isDeclaration
                case UInt8(ascii: "]"): isInside = false
                case UInt8(ascii: ">") where !isInside: return last
                default: break
                }
            }
            last = byte
        }
        return nil
    }
}

/// How much memory a response takes once it is read: an element of four bytes may become an object of hundreds.
///
/// What a transport lets through is bounded in bytes. So that reading it is bounded too, the pieces are counted first,
/// and a response of too many is refused before anything is made of it.
enum ResponseWeight {
    /// What an element, or a value in JSON, may weigh when it has become a tree and an object; and what an attribute may.
    private static let (piece, attribute) = (1_000, 130)

    /// What XML will weigh, no less; 0 where it cannot be more than a maximum, since an element has four bytes or more, and
    /// an attribute one at least.
    static func ofXML(_ body: Data, upTo maximum: Int) -> Int {
        guard body.count > maximum / (1 + piece / 4 + attribute) else { return 0 }
        // In another encoding than these "<" may be another byte; no server sends one.
        guard isEncodedPlainly(body.prefix(256)) else { return .max }
        return body.withUnsafeBytes { bytes in
            var weight = bytes.count
            for index in bytes.indices {
                switch bytes[index] {
                case UInt8(ascii: "="): weight += attribute
                case UInt8(ascii: "<"):
                    // The byte behind "<" tells an element's beginning from its end, a comment or an instruction.
                    let next = index + 1 < bytes.count ? bytes[index + 1] : 0
                    if !"/!?".utf8.contains(next) { weight += piece }
                default: break
                }
            }
            return weight
        }
    }

    /// Whether "<" is the byte that it is in ASCII, by the beginning of a document.
    private static func isEncodedPlainly(_ beginning: Data) -> Bool {
        let text = String(decoding: beginning.filter { $0 != 0 }, as: UTF8.self).lowercased()
        guard text.contains("<") else { return false }
        guard let name = text.firstMatch(of: #/encoding\s*=\s*["']([^"']*)/#)?.1 else { return true }
        return ["utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-", "windows-125"].contains { name.hasPrefix($0) }
    }

    /// What JSON will weigh, no less; 0 where it cannot be more than a maximum, as each of its values has a byte.
    static func ofJSON(_ body: Data, upTo maximum: Int) -> Int {
        guard body.count > maximum / (1 + piece) else { return 0 }
        return body.withUnsafeBytes { bytes in
            bytes.reduce(body.count + piece) { $1 == 0x2C || $1 == 0x5B || $1 == 0x7B ? $0 + piece : $0 }
        }
    }
}
