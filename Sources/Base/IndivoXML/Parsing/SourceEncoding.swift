import libxml2

/// How the bytes of a document are to be read, as its byte order mark, its XML declaration or its transport
/// say.
struct SourceEncoding {
    /// The name libxml2 knows the encoding by; nil for UTF-8, which needs no conversion.
    var name: String?
    /// How many bytes of a byte order mark come first.
    var mark: Int

    /// How a document is to be read that starts with `head`. Throws `XMLError` of kind `encoding`.
    static func detect(_ head: UTF8Bytes, given: String?) throws -> SourceEncoding {
        let found = byMark(head)
        if let given {
            // A transport that says "UTF-16" leaves the byte order to the document.
            if let found, found.name == nil ? isUTF8(given) : given.uppercased() == "UTF-16" { return found }
            return SourceEncoding(name: isUTF8(given) ? nil : given, mark: 0)
        }
        if let found { return found }
        let start = word(head)
        if start == 0x4C6F_A794 {
            // EBCDIC: the characters of the declaration are the same in all its code pages.
            var text = Column<UInt8>()
            defer { text.deallocate() }
            try SourceConverter("IBM037").convert(UTF8Bytes(rebasing: head.prefix(256)), into: &text)
            return SourceEncoding(name: declared(text.buffer) ?? "IBM037", mark: 0)
        }
        guard start == 0x3C3F_786D, let name = declared(head), !isUTF8(name) else {
            return SourceEncoding(name: nil, mark: 0)
        }
        if ["UTF-16", "UCS-", "UTF-32"].contains(where: name.uppercased().hasPrefix) {
            throw SourceConverter.error(
                "the document is labelled \(name), but is written in single bytes; correct the label"
            )
        }
        return SourceEncoding(name: name, mark: 0)
    }

    /// What the first bytes say: a byte order mark, or how `<` is written.
    private static func byMark(_ head: UTF8Bytes) -> SourceEncoding? {
        switch word(head) {
        case 0x0000_FEFF: SourceEncoding(name: "UCS-4BE", mark: 4)
        case 0xFFFE_0000: SourceEncoding(name: "UCS-4LE", mark: 4)
        case 0x0000_003C: SourceEncoding(name: "UCS-4BE", mark: 0)
        case 0x3C00_0000: SourceEncoding(name: "UCS-4LE", mark: 0)
        case let word where word >> 8 == 0xEFBBBF: SourceEncoding(name: nil, mark: 3)
        case let word where word >> 16 == 0xFEFF: SourceEncoding(name: "UTF-16BE", mark: 2)
        case let word where word >> 16 == 0xFFFE: SourceEncoding(name: "UTF-16LE", mark: 2)
        case let word where word >> 16 == 0x003C: SourceEncoding(name: "UTF-16BE", mark: 0)
        case let word where word >> 16 == 0x3C00: SourceEncoding(name: "UTF-16LE", mark: 0)
        default: nil
        }
    }

    /// The first four bytes as a number; those that are missing count as 0xAA, which no mark has.
    private static func word(_ head: UTF8Bytes) -> UInt32 {
        (0..<4).reduce(0) { word, index in word << 8 | UInt32(index < head.count ? head[index] : 0xAA) }
    }

    /// Whether the name is one of UTF-8, or of ASCII, which is part of it.
    private static func isUTF8(_ name: String) -> Bool {
        ["UTF-8", "UTF8", "US-ASCII", "ASCII"].contains(name.uppercased())
    }

    /// What the XML declaration says.
    private static func declared(_ head: UTF8Bytes) -> String? {
        let head = UTF8Bytes(rebasing: head.prefix(512))
        let end = head.firstIndex(of: UInt8(ascii: ">"), from: 0) ?? head.count
        guard let start = head.end(of: "encoding", from: 0, most: end) else { return nil }
        let rest = head[start...].drop { $0 <= 0x20 || $0 == UInt8(ascii: "=") }
        guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return nil
        }
        return String(decoding: rest.dropFirst().prefix { $0 != quote }, as: UTF8.self)
    }
}

/// Converts text of another encoding to UTF-8, piece by piece.
final class SourceConverter {
    private let name: String
    private let handler: xmlCharEncodingHandlerPtr
    /// What was not converted yet: the start of a character, at most.
    private let raw: xmlBufferPtr
    private let converted: xmlBufferPtr
    private var taken = 0
    private var isAtStart = true

    /// - Throws: `XMLError` of kind `encoding` for a name that is not known, and for UTF-7.
    convenience init(_ name: String) throws {
        // An encoding may make markup of bytes that show none, as UTF-7 and its variant for mailboxes do.
        // They have many names (`UTF_7`, `windows-65000`), so that it is tried; by a converter of its own,
        // which may keep a state.
        for hidden in ["+ADw-", "&ADw-"]
        where try SourceConverter(unchecked: name).makesMarkup(of: Array(hidden.utf8)) {
            throw SourceConverter.error("UTF-7 is refused, because it hides markup; use UTF-8")
        }
        try self.init(unchecked: name)
    }

    private init(unchecked name: String) throws {
        guard let handler = xmlFindCharEncodingHandler(name) else {
            throw SourceConverter.error(
                "the encoding \(name.prefix(40)) is not known; convert the document to UTF-8"
            )
        }
        guard let raw = xmlBufferCreate(), let converted = xmlBufferCreate() else {
            throw XMLError(.encoding, message: "out of memory")
        }
        self.name = name
        self.handler = handler
        self.raw = raw
        self.converted = converted
    }

    private func makesMarkup(of hidden: [UInt8]) -> Bool {
        var text = Column<UInt8>()
        defer { text.deallocate() }
        hidden.withUnsafeBufferPointer { hidden in try? convert(hidden, into: &text) }
        return text.buffer.contains(UInt8(ascii: "<"))
    }

    static func error(_ message: String) -> XMLError {
        XMLError(.encoding, line: 1, column: 1, message: message)
    }

    deinit {
        xmlCharEncCloseFunc(handler)
        xmlBufferFree(raw)
        xmlBufferFree(converted)
    }

    /// Converts what follows. Bytes that are not text, and last ones that end inside a character, are errors
    /// of kind `encoding`.
    func convert(
        _ input: UTF8Bytes,
        into output: inout Column<UInt8>,
        limit: Int = .max,
        isLast: Bool = false
    ) throws {
        for start in stride(from: 0, to: input.count, by: 65_536) {
            let piece = UTF8Bytes(rebasing: input[start...].prefix(65_536))
            xmlBufferAdd(raw, piece.baseAddress, Int32(piece.count))
            taken += piece.count
            try drain(into: &output)
            if output.count > limit { throw XMLError.inputLimit(limit) }
        }
        if isLast { try drain(into: &output) }
        if isLast, xmlBufferLength(raw) > 0 { throw wrong }
    }

    /// Converts what waits, as far as it goes.
    private func drain(into output: inout Column<UInt8>) throws {
        while xmlBufferLength(raw) > 0 {
            let before = xmlBufferLength(raw)
            let result = LibXMLMessage.collected { xmlCharEncInFunc(handler, converted, raw) }.result
            if result == -2 { throw wrong }
            var text = UTF8Bytes(start: xmlBufferContent(converted), count: Int(xmlBufferLength(converted)))
            if isAtStart, text.count >= 3 {
                // A mark that the conversion kept.
                if text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF {
                    text = UTF8Bytes(rebasing: text[3...])
                }
                isAtStart = false
            }
            output.append(contentsOf: text)
            xmlBufferEmpty(converted)
            if xmlBufferLength(raw) == before { return }
        }
    }

    private var wrong: XMLError {
        let place = taken - Int(xmlBufferLength(raw))
        return XMLError(
            .encoding,
            message: "the document is not \(name.prefix(40)) as it says, from about byte \(place) on"
        )
    }
}
