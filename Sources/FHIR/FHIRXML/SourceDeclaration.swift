/// The encoding that a text says it has; FHIR's XML is in UTF-8.
enum SourceDeclaration {
    /// Whether a text says that it is UTF-8, or says nothing: then XML is UTF-8 (XML section 4.3.3).
    static func isUTF8(_ source: [UInt8]) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = source.dropFirst(source.starts(with: mark) ? mark.count : 0)
        // UTF-16 and UTF-32 have zeros in what an XML document begins with.
        guard !text.prefix(2).contains(0) else { return false }
        // No declaration is longer; another encoding has other bytes here.
        guard text.starts(with: "<?xml".utf8), let end = text.prefix(256).firstIndex(of: UInt8(ascii: ">"))
        else {
            return text.first.map { $0 == UInt8(ascii: "<") || $0.isXMLSpace } ?? true
        }
        let declaration = String(decoding: text[..<end], as: UTF8.self).lowercased()
        guard let name = declaration.firstRange(of: "encoding") else { return true }
        let value = declaration[name.upperBound...].drop { $0.isWhitespace || $0 == "=" }.dropFirst()
        return value.hasPrefix("utf-8") || value.hasPrefix("us-ascii")
    }
}
