/// Percent encoding (RFC 3986, section 2.1) of all that is not unreserved, as OAuth signs it (RFC 5849,
/// section 3.6): letters, digits, `-`, `.`, `_` and `~` stay, every other byte becomes `%` and two upper-case
/// hexadecimal digits.
public enum PercentEncoding {
    /// `text`, its UTF-8 percent-encoded.
    public static func encode(_ text: String) -> String {
        String(decoding: encoded(text.utf8), as: UTF8.self)
    }

    /// `text`, its UTF-8 percent-encoded but for some characters of ASCII.
    package static func encode(_ text: String, keeping kept: StaticString) -> String {
        String(decoding: encoded(text.utf8, keeping: Array(kept.description.utf8)), as: UTF8.self)
    }

    /// The text that `encoded` stands for.
    /// - Throws: ``PercentEncodingError`` for a `%` that two hexadecimal digits do not follow, and for bytes
    ///   that are not UTF-8.
    public static func decode(_ encoded: String) throws(PercentEncodingError) -> String {
        try decode(encoded, plusIsSpace: false)
    }

    /// As ``decode(_:)``, with `+` for a space where forms and queries have it.
    package static func decode(_ encoded: String, plusIsSpace: Bool) throws(PercentEncodingError) -> String {
        let (decoded, malformed) = decoded(Array(encoded.utf8), plusIsSpace: plusIsSpace)
        if let malformed { throw .malformedEscape(offset: malformed) }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .notUTF8 }
        return text
    }

    /// Whether a byte is "unreserved" and so stays as it is.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Decodes `%XX` once, as servers do: a `%` that is not an escape is kept.
    /// - Returns: `nil` for bytes that are not UTF-8.
    package static func decodeLeniently(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
        String(validating: decodedBytes(Array(text.utf8), plusIsSpace: plusIsSpace), as: UTF8.self)
    }

    /// `bytes`, percent-encoded.
    package static func encodedBytes(_ bytes: [UInt8]) -> [UInt8] { encoded(bytes) }

    /// Bytes, percent-encoded without a copy of them.
    package static func encodedBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] { encoded(bytes) }

    // Generic code of another module is slow; what other modules call is not.
    private static func encoded(_ bytes: some Sequence<UInt8>, keeping kept: [UInt8] = []) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.underestimatedCount)
        for byte in bytes {
            if isUnreserved(byte) || kept.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [percent, upperHexDigit(byte >> 4), upperHexDigit(byte & 0x0F)]
            }
        }
        return encoded
    }

    /// `bytes` with every escape replaced by its byte. A `%` that is not an escape is kept, as by servers.
    package static func decodedBytes(_ bytes: [UInt8], plusIsSpace: Bool = false) -> [UInt8] {
        decoded(bytes, plusIsSpace: plusIsSpace).bytes
    }

    /// - Returns: Where the first `%` is that is not an escape, too.
    private static func decoded(_ bytes: [UInt8], plusIsSpace: Bool) -> (bytes: [UInt8], malformed: Int?) {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var malformed: Int?
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == percent, position + 2 < bytes.count, let high = hexValue(bytes[position + 1]),
                let low = hexValue(bytes[position + 2])
            {
                decoded.append(high << 4 | low)
                position += 3
                continue
            }
            if byte == percent { malformed = malformed ?? position }
            decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            position += 1
        }
        return (decoded, malformed)
    }

    private static let percent = UInt8(ascii: "%")

    private static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    private static func upperHexDigit(_ value: UInt8) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "A") - 10)
    }
}

/// Why a percent-encoded text cannot be decoded.
public enum PercentEncodingError: Error, Hashable, CustomStringConvertible {
    /// A `%` that two hexadecimal digits do not follow; `offset` counts UTF-8 bytes from the start.
    case malformedEscape(offset: Int)
    /// The escapes stand for bytes that are not UTF-8.
    case notUTF8

    public var description: String {
        switch self {
        case .malformedEscape(let offset):
            """
            the “%” at byte \(offset) is not followed by two hexadecimal digits; \
            write a literal “%” as “%25”
            """
        case .notUTF8:
            "the percent-encoded bytes are not UTF-8; encode the text as UTF-8 before escaping it"
        }
    }
}
