import Foundation

/// How much memory an answer takes once it is read: an element of four bytes may become an object of hundreds.
///
/// What a transport lets through is bounded in bytes. So that reading it is bounded too, the pieces are counted first,
/// and an answer of too many is refused before anything is made of it.
enum AnswerWeight {
    /// What an element, or a value in JSON, may weigh when it has become a tree and an object.
    private static let piece = 1_000
    /// What an attribute may weigh.
    private static let attribute = 130
    /// Shorter answers cannot be too heavy: an element has four bytes or more.
    private static let light = 128_000

    /// What XML will weigh, no less.
    static func ofXML(_ body: Data) -> Int {
        guard body.count > light else { return 0 }
        // In another encoding than these "<" may be another byte; no server sends one.
        guard isEncodedPlainly(body.prefix(256)) else { return .max }
        return body.withUnsafeBytes { bytes in
            var elements = 0
            var attributes = 0
            var isTag = false
            for byte in bytes {
                // The byte behind "<" tells an element's beginning from its end, a comment or an instruction.
                if isTag, byte != UInt8(ascii: "/"), byte != UInt8(ascii: "!"), byte != UInt8(ascii: "?") { elements += 1 }
                isTag = byte == UInt8(ascii: "<")
                if byte == UInt8(ascii: "=") { attributes += 1 }
            }
            return bytes.count + elements * piece + attributes * attribute
        }
    }

    /// Whether "<" is the byte that it is in ASCII, by the beginning of a document.
    private static func isEncodedPlainly(_ beginning: Data) -> Bool {
        let text = String(decoding: beginning.filter { $0 != 0 }, as: UTF8.self).lowercased()
        guard text.contains("<") else { return false }
        guard let name = text.firstMatch(of: #/encoding\s*=\s*["']([^"']*)/#)?.1 else { return true }
        return ["utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-", "windows-125"].contains { name.hasPrefix($0) }
    }

    /// What JSON will weigh, no less.
    static func ofJSON(_ body: Data) -> Int {
        guard body.count > light / 4 else { return 0 }
        return body.withUnsafeBytes { bytes in
            var values = 1
            for byte in bytes where byte == UInt8(ascii: ",") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
                values += 1
            }
            return bytes.count + values * piece
        }
    }
}

extension Answer {
    /// The body, if reading it as XML takes no more memory than it may.
    /// - Throws: ``IndivoError`` with the reason ``IndivoError/Reason/answerTooLarge``.
    func bodyOfXML() throws(IndivoError) -> Data {
        try check(AnswerWeight.ofXML(body))
        return body
    }

    /// The body, if reading it as JSON takes no more memory than it may.
    /// - Throws: As ``bodyOfXML()``.
    func bodyOfJSON() throws(IndivoError) -> Data {
        try check(AnswerWeight.ofJSON(body))
        return body
    }

    private func check(_ weight: Int) throws(IndivoError) {
        guard weight > maximumReadingBytes else { return }
        var error = IndivoError(
            .answerTooLarge, call: call,
            details: ["the answer has \(body.count) bytes, and reading it might take \(weight)"])
        error.status = 200
        throw error
    }
}
