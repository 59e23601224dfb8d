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
                    isText = isEscape || byte != UInt8(ascii: "\"")
                    isEscape = !isEscape && byte == UInt8(ascii: "\\")
                    continue
                }
                switch byte {
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"):
                    depth -= 1
                    if depth <= 0 { return .whole }
                case UInt8(ascii: "\""): isText = true
                default: if depth == 0, !isSpace(byte) { return .unknown }
                }
            }
            return .cut
        }
    }

    /// Whether the root element of XML is closed; unknown for what is not XML.
    static func ofXML(_ body: Data) -> CallResponse.End {
        // In UTF-16 every other byte is zero; no server sends it.
        if body.prefix(4).contains(0) { return .unknown }
        // A page for people is not an answer to any call, and need not close its elements.
        let beginning = String(decoding: body.prefix(100), as: UTF8.self).lowercased()
        if beginning.contains("<html") || beginning.contains("<!doctype html") { return .unknown }
        // Words instead of an element: no more of them would make it XML.
        guard body.contains(UInt8(ascii: "<")) else { return body.allSatisfy(isSpace) ? .cut : .unknown }
        return body.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var rest = bytes[...]
            var depth = 0
            while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
                rest = rest[start...]
                if let section = sections.first(where: { rest.starts(with: $0.start.utf8) }) {
                    guard let end = place(behind: section.end.utf8, in: rest) else { return .cut }
                    rest = rest[end...]
                    continue
                }
                guard let end = endOfTag(rest) else { return .cut }
                let first = bytes[start + 1]
                let last = bytes[end - 1]
                rest = rest[end...]
                guard first != UInt8(ascii: "!") else { continue }
                depth += first == UInt8(ascii: "/") ? -1 : last == UInt8(ascii: "/") ? 0 : 1
                if depth <= 0 { return .whole }
            }
            return .cut
        }
    }

    /// What may hold anything, tags too.
    private static let sections: [(start: String, end: String)] = [
        ("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"),
    ]

    /// Where what follows a mark begins. `firstRange(of:)` takes half a second for a megabyte.
    private static func place(behind mark: String.UTF8View, in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        var rest = bytes
        while let start = rest.firstIndex(where: { $0 == mark.first }) {
            rest = rest[start...]
            if rest.starts(with: mark) { return start + mark.count }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// Where a tag ends, or a declaration, whose own declarations count as tags; `nil` when it does not.
    private static func endOfTag(_ tag: Slice<UnsafeRawBufferPointer>) -> Int? {
        var quote: UInt8?
        return tag.indices.dropFirst().first { index in
            switch tag[index] {
            case UInt8(ascii: ">"), UInt8(ascii: "<"): return quote == nil
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if quote == nil { quote = tag[index] } else if quote == tag[index] { quote = nil }
            default: break
            }
            return false
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// How much memory a response takes once it is read, reckoned before: an element of four bytes may become an
/// object of hundreds.
enum ResponseWeight {
    /// What an element, or a value in JSON, may weigh when it has become a tree and an object; and what an
    /// attribute may.
    private static let piece = 1_000
    private static let attribute = 130

    /// What XML will weigh, no less; 0 where its length alone (4 bytes an element, 1 an attribute) keeps it
    /// below a maximum.
    static func ofXML(_ body: Data, upTo maximum: Int) -> Int {
        guard body.count > maximum / (1 + piece / 4 + attribute) else { return 0 }
        // In another encoding than these "<" may be another byte; no server sends one.
        guard isEncodedPlainly(body.prefix(256)) else { return .max }
        return body.withUnsafeBytes { bytes in
            var weight = bytes.count
            for index in bytes.indices {
                if bytes[index] == UInt8(ascii: "=") { weight += attribute }
                guard bytes[index] == UInt8(ascii: "<") else { continue }
                // The byte behind "<" tells an element's beginning from its end, a comment or an instruction.
                if index + 1 == bytes.count || !"/!?".utf8.contains(bytes[index + 1]) { weight += piece }
            }
            return weight
        }
    }

    /// Whether "<" is the byte that it is in ASCII, by the beginning of a document.
    private static func isEncodedPlainly(_ beginning: Data) -> Bool {
        let text = String(decoding: beginning.filter { $0 != 0 }, as: UTF8.self).lowercased()
        guard text.contains("<") else { return false }
        guard let name = text.firstMatch(of: #/encoding\s*=\s*["']([^"']*)/#)?.1 else { return true }
        return ["utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-", "windows-125"].contains {
            name.hasPrefix($0)
        }
    }

    /// What JSON will weigh, no less; 0 where it cannot be more than a maximum, as each of its values has a
    /// byte.
    static func ofJSON(_ body: Data, upTo maximum: Int) -> Int {
        guard body.count > maximum / (1 + piece) else { return 0 }
        return body.withUnsafeBytes { bytes in
            bytes.reduce(body.count + piece) { $1 == 0x2C || $1 == 0x5B || $1 == 0x7B ? $0 + piece : $0 }
        }
    }
}
