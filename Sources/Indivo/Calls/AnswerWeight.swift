import Foundation

/// How much memory a response takes once it is read: an element of four bytes may become an object of hundreds.
///
/// What a transport lets through is bounded in bytes. So that reading it is bounded too, the pieces are counted first,
/// and a response of too many is refused before anything is made of it.
enum AnswerWeight {
    /// What an element, or a value in JSON, may weigh when it has become a tree and an object.
    private static let piece = 1_000
    /// What an attribute may weigh.
    private static let attribute = 130
    /// What XML will weigh, no less; 0 where it cannot be more than a maximum, since an element has four bytes or more, and
    /// an attribute one at least.
    static func ofXML(_ body: Data, upTo maximum: Int) -> Int {
        guard body.count > maximum / (1 + piece / 4 + attribute) else { return 0 }
        // In another encoding than these "<" may be another byte; no server sends one.
        guard isEncodedPlainly(body.prefix(256)) else { return .max }
        return body.withUnsafeBytes { bytes in
            // The byte behind "<" tells an element's beginning from its end, a comment or an instruction.
            let elements = count(in: bytes) { word, next in
                lanes(word, "<") & ~(lanes(next, "/") | lanes(next, "!") | lanes(next, "?"))
            }
            let attributes = count(in: bytes) { word, _ in lanes(word, "=") }
            return bytes.count + elements * piece + attributes * attribute
        }
    }

    /// How many bytes are as `isCounted` says of eight of them, and of the eight that begin one further. Every response is
    /// counted before it is read, and so eight bytes at a time.
    private static func count(in bytes: UnsafeRawBufferPointer, _ isCounted: (UInt64, UInt64) -> UInt64) -> Int {
        var (total, position) = (0, 0)
        while position + 9 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let next = bytes.loadUnaligned(fromByteOffset: position + 1, as: UInt64.self)
            total += isCounted(word, next).nonzeroBitCount
            position += 8
        }
        for index in position..<bytes.count {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            total += isCounted(UInt64(bytes[index]), UInt64(next)).nonzeroBitCount
        }
        return total
    }

    /// The highest bit of each byte of a word that is this character.
    @inline(__always)
    private static func lanes(_ word: UInt64, _ character: Unicode.Scalar) -> UInt64 {
        let (ones, low) = (0x0101_0101_0101_0101 as UInt64, 0x7F7F_7F7F_7F7F_7F7F as UInt64)
        let difference = word ^ ones &* UInt64(UInt8(ascii: character))
        return ~((difference & low) &+ low | difference) & ~low
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
            let values = 1 + count(in: bytes) { word, _ in
                lanes(word, ",") | lanes(word, "[") | lanes(word, "{")
            }
            return bytes.count + values * piece
        }
    }
}

extension Answer {
    /// The body, if reading it as XML takes no more memory than it may.
    /// - Throws: ``IndivoError`` with the reason ``IndivoError/Reason/responseTooLarge``.
    func bodyOfXML() throws(IndivoError) -> Data {
        try check(AnswerWeight.ofXML(body, upTo: maximumReadingBytes))
        return body
    }

    /// The body, if reading it as JSON takes no more memory than it may.
    /// - Throws: As ``bodyOfXML()``.
    func bodyOfJSON() throws(IndivoError) -> Data {
        try check(AnswerWeight.ofJSON(body, upTo: maximumReadingBytes))
        return body
    }

    private func check(_ weight: Int) throws(IndivoError) {
        guard weight > maximumReadingBytes else { return }
        var error = IndivoError(
            .responseTooLarge, call: call,
            details: ["the answer has \(body.count) bytes, and reading it might take \(weight)"])
        error.status = 200
        throw error
    }
}
