/// The escapes in values of search parameters: `\,`, `\|`, `\$` and `\\` (FHIR R4, search, “escaping”).
enum SearchEscapes {
    /// The parts between separators that are not escaped; escapes stay.
    static func split(_ text: String, at separator: UInt8) -> [String] {
        var parts: [[UInt8]] = [[]]
        var isEscaped = false
        for byte in text.utf8 {
            if !isEscaped, byte == separator {
                parts.append([])
            } else {
                parts[parts.count - 1].append(byte)
            }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        }
        // Cut only at ASCII characters: every part is UTF-8 still.
        return parts.map { String(decoding: $0, as: UTF8.self) }
    }

    static func removed(from text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in text.utf8 {
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                bytes.append(byte)
                isEscaped = false
            }
        }
        if isEscaped { bytes.append(UInt8(ascii: "\\")) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
