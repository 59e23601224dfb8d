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
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: byte.isASCIILetterOrDigit
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

/// Names and values in order, as `application/x-www-form-urlencoded` carries them in a form body or a query.
///
/// ```swift
/// let form: FormParameters = ["status": "archived", "reason": "taken by mistake"]
/// form.encoded                            // "status=archived&reason=taken%20by%20mistake"
/// FormParameters(decoding: "a=1&b=x+y")["b"]  // "x y"
/// ```
///
/// Encoding escapes everything but unreserved characters, so a space is `%20`; decoding takes `+` for a space
/// too. Names may occur more than once, and their order is kept.
public struct FormParameters: Sendable, Hashable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    /// One name with its value.
    public struct Element: Sendable, Hashable {
        /// The name, not escaped.
        public var name: String
        /// The value, not escaped.
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The media type of a body in this encoding. Send it exactly so: a server may take
    /// `application/x-www-form-urlencoded; charset=utf-8` for another type and leave the body out of the
    /// signature.
    public static let contentType = "application/x-www-form-urlencoded"

    private var elements: [Element]

    /// Names with their values, in this order.
    public init(_ elements: some Sequence<Element> = []) { self.elements = Array(elements) }

    /// Reads an encoded form. It never fails: a name without `=` has an empty value, an empty piece between
    /// two `&` is nothing, a stray `%` stands for itself, bytes that are not UTF-8 become U+FFFD.
    public init(decoding text: String) { self.init(decoding: text.utf8) }

    /// Reads an encoded form from its bytes; see ``init(decoding:)-(String)``.
    public init(decoding bytes: some Sequence<UInt8>) {
        elements = Self.decodedPairs(Array(bytes), separators: [UInt8(ascii: "&")]).map { name, value in
            Element(
                name: String(decoding: name, as: UTF8.self),
                value: String(decoding: value, as: UTF8.self)
            )
        }
    }

    /// The form as text: `name=value` pieces joined by `&`, percent-encoded as ``PercentEncoding`` does.
    public var encoded: String {
        elements.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(
            separator: "&"
        )
    }

    /// The first value of a name, or nil if there is none.
    public subscript(name: String) -> String? { elements.first { $0.name == name }?.value }

    /// All values of a name, in order.
    public func values(of name: String) -> [String] { elements.filter { $0.name == name }.map(\.value) }

    /// Adds a name and a value at the end.
    public mutating func append(name: String, value: String) {
        elements.append(Element(name: name, value: value))
    }

    /// The decoded names and values as bytes: what a signature covers, whatever their encoding.
    /// - Parameter keepsNamesAlone: Whether a piece without `=` is a name with an empty value, or nothing.
    package static func decodedPairs(
        _ bytes: [UInt8],
        separators: [UInt8],
        keepsNamesAlone: Bool = true
    ) -> [(name: [UInt8], value: [UInt8])] {
        bytes.split(whereSeparator: separators.contains).compactMap { piece in
            let parts = piece.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard keepsNamesAlone || parts.count == 2 else { return nil }
            return (
                PercentEncoding.decodedBytes(Array(parts[0]), plusIsSpace: true),
                parts.count == 2 ? PercentEncoding.decodedBytes(Array(parts[1]), plusIsSpace: true) : []
            )
        }
    }

    public var startIndex: Int { elements.startIndex }
    public var endIndex: Int { elements.endIndex }
    public subscript(position: Int) -> Element { elements[position] }

    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Element(name: $0, value: $1) })
    }
}
