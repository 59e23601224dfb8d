/// The value of an `Authorization: OAuth …` header: the parameters of a signed request (RFC 5849, 3.5.1).
///
/// ```swift
/// let authorization = try OAuthAuthorization(parsing: headerValue)
/// authorization.consumerKey    // "dpf43f3p2l4k3l03"
/// authorization["oauth_nonce"] // "wIjqoS"
/// ```
public struct OAuthAuthorization: Sendable, Hashable {
    /// The authentication scheme as it was written; `OAuth`, in any letter case.
    public let scheme: String
    /// The realm, decoded. It has no part in the signature.
    public let realm: String?
    /// All parameters but the realm, decoded, in their order; no name occurs twice.
    public let parameters: FormParameters

    /// A header with these parameters.
    public init(parameters: FormParameters, realm: String? = nil) {
        scheme = "OAuth"
        self.realm = realm
        self.parameters = parameters
    }

    /// Reads a header value.
    /// - Throws: ``OAuthAuthorizationError``, which names the parameter at fault by its position.
    public init(parsing headerValue: String) throws(OAuthAuthorizationError) {
        var parser = OAuthAuthorizationParser(rest: Array(headerValue.utf8)[...])
        scheme = try parser.scheme()
        var parameters = FormParameters()
        var names: Set<String> = []
        while let parameter = try parser.nextParameter() {
            guard names.insert(parameter.name).inserted else {
                throw .repeatedParameter(name: parameter.name)
            }
            parameters.append(name: parameter.name, value: parameter.value)
        }
        guard !names.isEmpty else { throw .noParameters }
        realm = parameters["realm"]
        self.parameters = FormParameters(parameters.filter { $0.name != "realm" })
    }

    /// The header value: `OAuth realm="…", oauth_consumer_key="…", …`.
    public var headerValue: String {
        var pieces = parameters.map {
            "\(PercentEncoding.encode($0.name))=\"\(PercentEncoding.encode($0.value))\""
        }
        if let realm {
            // By scalars: to Swift a quotation mark with an accent on it is another character.
            let quoted = realm.unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }
                .joined()
            pieces.insert("realm=\"\(quoted)\"", at: 0)
        }
        return "OAuth " + pieces.joined(separator: ", ")
    }

    /// The value of a parameter, decoded.
    public subscript(name: String) -> String? { parameters[name] }

    /// `oauth_consumer_key`.
    public var consumerKey: String? { self["oauth_consumer_key"] }
    /// `oauth_token`; nil when it is absent or empty, which mean the same (RFC 5849, 3.1).
    public var token: String? { self["oauth_token"].flatMap { $0.isEmpty ? nil : $0 } }
    /// `oauth_signature_method`.
    public var signatureMethod: String? { self["oauth_signature_method"] }
    /// `oauth_signature`: base64, decoded from its percent encoding only.
    public var signature: String? { self["oauth_signature"] }
    /// `oauth_timestamp` as it was sent.
    public var timestamp: String? { self["oauth_timestamp"] }
    /// `oauth_nonce`.
    public var nonce: String? { self["oauth_nonce"] }
    /// `oauth_version`.
    public var version: String? { self["oauth_version"] }
    /// `oauth_callback`.
    public var callback: String? { self["oauth_callback"] }
    /// `oauth_verifier`.
    public var verifier: String? { self["oauth_verifier"] }
    /// `oauth_body_hash`.
    public var bodyHash: String? { self["oauth_body_hash"] }
}

/// Why an `Authorization` header cannot be read. Positions count from 1; values are not quoted.
public enum OAuthAuthorizationError: Error, Hashable, CustomStringConvertible {
    /// The scheme is another one, `Bearer` say.
    case notOAuth(scheme: String)
    /// Nothing follows the scheme.
    case noParameters
    /// A parameter is not of the form `name="value"`.
    case malformedParameter(position: Int)
    /// A name or a value is not properly percent-encoded.
    case malformedEncoding(position: Int, PercentEncodingError)
    /// A parameter occurs twice.
    case repeatedParameter(name: String)

    public var description: String {
        switch self {
        case .notOAuth(let scheme):
            "the Authorization header's scheme is “\(scheme)”, not “OAuth”; sign the request with OAuth 1.0a"
        case .noParameters: "the Authorization header names no parameter after “OAuth”"
        case .malformedParameter(let position):
            "parameter \(position) of the Authorization header is not of the form name=\"value\""
        case .malformedEncoding(let position, let error):
            "parameter \(position) of the Authorization header cannot be decoded: \(error)"
        case .repeatedParameter(let name): "the Authorization header has the parameter “\(name)” twice"
        }
    }
}

/// Reads an `Authorization` header value from left to right.
private struct OAuthAuthorizationParser {
    var rest: ArraySlice<UInt8>
    var parameterCount = 0

    /// The authentication scheme, which must be OAuth.
    mutating func scheme() throws(OAuthAuthorizationError) -> String {
        skipBlanks()
        let scheme = text(upTo: " \t")
        guard scheme.lowercased() == "oauth" else { throw .notOAuth(scheme: scheme) }
        return scheme
    }

    /// The next parameter, decoded, or nil at the end.
    mutating func nextParameter() throws(OAuthAuthorizationError) -> FormParameters.Element? {
        skipBlanks()
        guard !rest.isEmpty else { return nil }
        parameterCount += 1
        let encodedName = text(upTo: "=,\" \t")
        skipBlanks()
        guard !encodedName.isEmpty, take("=") else { throw malformed }
        skipBlanks()
        let name = try decoded(encodedName)
        let value = try value(of: name)
        skipBlanks()
        guard rest.isEmpty || take(",") else { throw malformed }
        return FormParameters.Element(name: name, value: value)
    }

    private var malformed: OAuthAuthorizationError { .malformedParameter(position: parameterCount) }

    /// Quoted as the RFC wants it, or bare, which HTTP allows for any parameter of any scheme (RFC 7235,
    /// 2.1).
    private mutating func value(of name: String) throws(OAuthAuthorizationError) -> String {
        let isQuoted = take("\"")
        if isQuoted, name == "realm" { return try quotedString() }
        let value = text(upTo: isQuoted ? "\"" : ",\" \t")
        guard isQuoted ? take("\"") : !value.isEmpty else { throw malformed }
        return name == "realm" ? value : try decoded(value)
    }

    /// The realm is a quoted-string of HTTP, with backslash escapes, not percent-encoded (RFC 7230, 3.2.6).
    private mutating func quotedString() throws(OAuthAuthorizationError) -> String {
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            value.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
        }
        throw malformed
    }

    private func decoded(_ text: String) throws(OAuthAuthorizationError) -> String {
        do { return try PercentEncoding.decode(text) } catch {
            throw .malformedEncoding(position: parameterCount, error)
        }
    }

    private mutating func text(upTo ends: String) -> String {
        let text = rest.prefix { !ends.utf8.contains($0) }
        rest = rest[text.endIndex...]
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipBlanks() {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }
}
