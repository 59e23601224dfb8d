import Foundation

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
        return body.reduce(body.count + piece) { weight, byte in
            ",[{".utf8.contains(byte) ? weight + piece : weight
        }
    }
}
