#if canImport(CLibXML2)
import CLibXML2
#else
import libxml2
#endif

/// How the bytes of a document are to be read, as its byte order mark, its XML declaration or its transport say.
struct SourceEncoding {
    /// The name libxml2 knows the encoding by; nil for UTF-8, which needs no conversion.
    var name: String?
    /// How many bytes of a byte order mark come first.
    var mark: Int

    /// The bytes at the start of a document that decide.
    static let headLength = 512

    /// - Parameter head: The start of the document, or all of it.
    /// - Throws: `XMLError` of kind `encoding`.
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
            let converter = try SourceConverter("IBM037")
            var text = Column<UInt8>()
            defer { text.deallocate() }
            try converter.convert(UnsafeBufferPointer(rebasing: head.prefix(256)), into: &text)
            let label = declared(UnsafeBufferPointer(start: text.base, count: text.count))
            return SourceEncoding(name: label?.string ?? "IBM037", mark: 0)
        }
        guard start == 0x3C3F_786D, let label = declared(head), !isUTF8(label) else {
            return SourceEncoding(name: nil, mark: 0)
        }
        let name = label.string
        let upper = name.uppercased()
        if upper.hasPrefix("UTF-16") || upper.hasPrefix("UCS-") || upper.hasPrefix("UTF-32") {
            throw XMLError(
                .encoding, line: 1, column: 1,
                message: "the document is labelled \(name), but is written in single bytes; correct the label")
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
        var word: UInt32 = 0
        for index in 0..<4 { word = word << 8 | UInt32(index < head.count ? head[index] : 0xAA) }
        return word
    }

    private static func isUTF8(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { isUTF8($0) }
    }

    /// Whether the name is one of UTF-8, or of ASCII, which is part of it.
    private static func isUTF8(_ name: UTF8Bytes) -> Bool {
        isName(name, "UTF-8") || isName(name, "UTF8") || isName(name, "US-ASCII") || isName(name, "ASCII")
    }

    private static func isName(_ name: UTF8Bytes, _ upper: StaticString) -> Bool {
        guard name.count == upper.utf8CodeUnitCount else { return false }
        for index in 0..<name.count {
            let byte = name[index]
            let isLower = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
            if (isLower ? byte - 0x20 : byte) != upper.utf8Start[index] { return false }
        }
        return true
    }

    /// What the XML declaration says.
    private static func declared(_ head: UTF8Bytes) -> UTF8Bytes? {
        let keyword: StaticString = "encoding"
        let end = min(head.count, headLength)
        var position = 0
        while position + keyword.utf8CodeUnitCount < end, head[position] != UInt8(ascii: ">") {
            let part = UnsafeBufferPointer(rebasing: head[position..<position + keyword.utf8CodeUnitCount])
            if part.equals(keyword.utf8Buffer) { break }
            position += 1
        }
        position += keyword.utf8CodeUnitCount
        while position < end, head[position] <= 0x20 || head[position] == UInt8(ascii: "=") { position += 1 }
        guard position < end, head[position] == UInt8(ascii: "\"") || head[position] == UInt8(ascii: "'") else {
            return nil
        }
        let start = position + 1
        let quote = head[position]
        position = start
        while position < end, head[position] != quote { position += 1 }
        return UnsafeBufferPointer(rebasing: head[start..<position])
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
    init(_ name: String) throws {
        if SourceConverter.hidesMarkup(name) {
            throw XMLError(.encoding, line: 1, column: 1, message: "UTF-7 is refused, because it hides markup; use UTF-8")
        }
        guard let handler = xmlFindCharEncodingHandler(name) else {
            throw XMLError(
                .encoding, line: 1, column: 1,
                message: "the encoding \(name.prefix(40)) is not known; convert the document to UTF-8")
        }
        guard let raw = xmlBufferCreate(), let converted = xmlBufferCreate() else {
            throw XMLError(.encoding, message: "out of memory")
        }
        self.name = name
        self.handler = handler
        self.raw = raw
        self.converted = converted
    }

    /// Whether the encoding makes markup of bytes that show none, as UTF-7 and its variant for mailboxes do. They have
    /// many names (`UTF_7`, `windows-65000`), so that it is tried.
    private static func hidesMarkup(_ name: String) -> Bool {
        ["+ADw-", "&ADw-"].contains { hidden in
            // A converter of its own: it may keep a state.
            guard let handler = xmlFindCharEncodingHandler(name), let raw = xmlBufferCreate(),
                let converted = xmlBufferCreate()
            else { return false }
            defer {
                xmlCharEncCloseFunc(handler)
                xmlBufferFree(raw)
                xmlBufferFree(converted)
            }
            xmlBufferCat(raw, hidden)
            _ = LibXMLMessages.silenced { xmlCharEncInFunc(handler, converted, raw) }
            return UnsafeBufferPointer(start: xmlBufferContent(converted), count: Int(xmlBufferLength(converted)))
                .contains(UInt8(ascii: "<"))
        }
    }

    deinit {
        xmlCharEncCloseFunc(handler)
        xmlBufferFree(raw)
        xmlBufferFree(converted)
    }

    /// Converts what follows.
    ///
    /// - Throws: `XMLError` of kind `encoding` for bytes that are no text.
    func convert(_ input: UTF8Bytes, into output: inout Column<UInt8>, limit: Int = .max) throws {
        var position = 0
        while position < input.count {
            let piece = UnsafeBufferPointer(rebasing: input[position..<min(position + 65_536, input.count)])
            if let start = piece.baseAddress { xmlBufferAdd(raw, start, Int32(piece.count)) }
            position += piece.count
            taken += piece.count
            try drain(into: &output)
            if output.count > limit { throw XMLError.inputLimit(limit) }
        }
    }

    /// The text is over.
    ///
    /// - Throws: `XMLError` of kind `encoding` when it ends inside a character.
    func finish(into output: inout Column<UInt8>) throws {
        try drain(into: &output)
        if xmlBufferLength(raw) > 0 { throw wrong }
    }

    /// Converts what waits, as far as it goes.
    private func drain(into output: inout Column<UInt8>) throws {
        while xmlBufferLength(raw) > 0 {
            let before = xmlBufferLength(raw)
            let result = LibXMLMessages.silenced { xmlCharEncInFunc(handler, converted, raw) }
            if result == -2 { throw wrong }
            var text = UnsafeBufferPointer(start: xmlBufferContent(converted), count: Int(xmlBufferLength(converted)))
            if isAtStart, text.count >= 3 {
                // A mark that the conversion kept.
                if text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF { text = UnsafeBufferPointer(rebasing: text[3...]) }
                isAtStart = false
            }
            output.append(contentsOf: text)
            xmlBufferEmpty(converted)
            if xmlBufferLength(raw) == before { return }
        }
    }

    private var wrong: XMLError {
        XMLError(
            .encoding,
            message: "the document is not \(name.prefix(40)) as it says, from about byte "
                + "\(taken - Int(xmlBufferLength(raw))) on")
    }
}
