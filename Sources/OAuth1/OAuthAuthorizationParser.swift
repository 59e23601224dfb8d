import URLCoding

/// Reads an `Authorization` header value from left to right.
struct OAuthAuthorizationParser {
    private let bytes: [UInt8]
    private var position = 0
    private var parameterCount = 0

    init(_ headerValue: String) {
        bytes = Array(headerValue.utf8)
    }

    /// The authentication scheme, which must be OAuth.
    mutating func scheme() throws(OAuthAuthorizationError) -> String {
        skipBlanks()
        let scheme = text(upTo: { Self.isBlank($0) })
        guard scheme.lowercased() == "oauth" else { throw .notOAuth(scheme: scheme) }
        skipBlanks()
        return scheme
    }

    /// The next parameter, decoded, or nil at the end.
    mutating func nextParameter() throws(OAuthAuthorizationError) -> FormParameters.Element? {
        skipBlanks()
        guard position < bytes.count else { return nil }
        parameterCount += 1
        let encodedName = text(upTo: { $0 == Self.equals || $0 == Self.comma || $0 == Self.quote || Self.isBlank($0) })
        skipBlanks()
        guard !encodedName.isEmpty, take(Self.equals) else { throw malformed }
        skipBlanks()
        let name = try decoded(encodedName)
        let value = name == "realm" ? try realm() : try percentEncodedValue()
        skipBlanks()
        if position < bytes.count {
            guard take(Self.comma) else { throw malformed }
        }
        return FormParameters.Element(name: name, value: value)
    }

    private var malformed: OAuthAuthorizationError { .malformedParameter(position: parameterCount) }

    /// Quoted as the RFC wants it, or bare, which HTTP allows for any parameter of any scheme (RFC 7235, 2.1).
    private mutating func percentEncodedValue() throws(OAuthAuthorizationError) -> String {
        guard take(Self.quote) else { return try decoded(bareValue()) }
        let encoded = text(upTo: { $0 == Self.quote })
        guard take(Self.quote) else { throw malformed }
        return try decoded(encoded)
    }

    private mutating func bareValue() throws(OAuthAuthorizationError) -> String {
        let value = text(upTo: { $0 == Self.comma || $0 == Self.quote || Self.isBlank($0) })
        guard !value.isEmpty else { throw malformed }
        return value
    }

    /// The realm is a quoted-string of HTTP, with backslash escapes, not percent-encoded (RFC 7230, 3.2.6).
    private mutating func realm() throws(OAuthAuthorizationError) -> String {
        guard take(Self.quote) else { return try bareValue() }
        var value: [UInt8] = []
        while position < bytes.count, bytes[position] != Self.quote {
            if bytes[position] == Self.backslash, position + 1 < bytes.count {
                position += 1
            }
            value.append(bytes[position])
            position += 1
        }
        guard take(Self.quote) else { throw malformed }
        return String(decoding: value, as: UTF8.self)
    }

    private func decoded(_ text: String) throws(OAuthAuthorizationError) -> String {
        do {
            return try PercentEncoding.decode(text)
        } catch {
            throw .malformedEncoding(position: parameterCount, error)
        }
    }

    private mutating func text(upTo isEnd: (UInt8) -> Bool) -> String {
        let start = position
        while position < bytes.count, !isEnd(bytes[position]) {
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while position < bytes.count, Self.isBlank(bytes[position]) {
            position += 1
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static let equals = UInt8(ascii: "=")
    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
}
