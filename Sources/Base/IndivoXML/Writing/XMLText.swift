/// What becomes of a text that is written into XML 1.0 and read again.
package enum XMLText {
    /// The first character that XML cannot carry (section 2.2), described by its position and code point
    /// without a word of the text itself; `nil` where XML can carry all of it.
    package static func problem(in text: String) -> String? {
        text.unicodeScalars.enumerated().first { !NameRules.isCharacter($1) }.map { position, scalar in
            let digits = String(scalar.value, radix: 16, uppercase: true)
            let zeros = String(repeating: "0", count: max(0, 4 - digits.count))
            return "character \(position + 1) is U+\(zeros)\(digits), which XML cannot carry"
        }
    }

    /// Whether XML can carry all of a text in UTF-8.
    package static func isAllowed(_ text: UTF8Bytes) -> Bool {
        // All of it and no branch: sixteen bytes at a time. Hardly a text needs the second look.
        var suspects: UInt8 = 0
        for byte in text { suspects |= (byte < 0x20 ? 1 : 0) | (byte == 0xEF ? 1 : 0) }
        if suspects == 0 { return true }
        return text.string.unicodeScalars.allSatisfy(NameRules.isCharacter)
    }

    /// The text as a parser gives it back: a line ends with LF, whether it was written with CR, CRLF or LF
    /// (section 2.11).
    package static func normalizingLineEnds(_ text: String) -> String {
        // "\r\n" is one Character. In one pass: the LF that stood for it would join a CR before it.
        text.utf8.contains(0x0D) ? String(text.map { $0 == "\r\n" || $0 == "\r" ? "\n" : $0 }) : text
    }

    /// Whether a parser gives both back as the same: byte for byte, but for the line ends.
    package static func areSame(_ text: String, _ other: String) -> Bool {
        normalizingLineEnds(text).utf8.elementsEqual(normalizingLineEnds(other).utf8)
    }

    /// The text with U+FFFD for every character that XML cannot carry.
    package static func replacingForbidden(_ text: String) -> String {
        guard problem(in: text) != nil else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { NameRules.isCharacter($0) ? $0 : "\u{FFFD}" })
        )
    }

    /// Appends an attribute's value, with the signs that XML reserves and white space that would be
    /// normalized escaped.
    ///
    /// - Returns: The first character that XML cannot carry, if there is one; nothing is appended then.
    package static func appendAttributeValue(_ text: UTF8Bytes, to result: inout [UInt8]) -> Unicode.Scalar? {
        guard text.contains(where: Escaping.attribute.isSpecial) else {
            result.append(contentsOf: text)
            return nil
        }
        var writer = ByteWriter()
        defer { writer.deallocate() }
        if let character = writer.writeEscaped(text, .attribute) { return character }
        result.append(contentsOf: writer.bytes.buffer)
        return nil
    }
}
