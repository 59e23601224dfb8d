/// The text that a signature is computed over: method, URL and parameters of a request (RFC 5849, 3.4.1).
public struct SignatureBaseString: Sendable, Hashable, CustomStringConvertible {
    /// The base string; ASCII.
    public let bytes: [UInt8]

    /// The base string as text. It holds no secret, but all parameters of the request.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The base string of a request with the parameters of `authorization`, but for `realm` and
    /// `oauth_signature`.
    /// - Throws: ``SignatureBaseStringError`` for a request to which ``SignatureRule/indivo`` gives no base
    ///   string.
    public init(
        request: OAuthRequest,
        authorization: OAuthAuthorization,
        rule: SignatureRule = .rfc5849
    ) throws(SignatureBaseStringError) {
        var parameters = authorization.parameters.map {
            (name: Array($0.name.utf8), value: Array($0.value.utf8))
        }
        let uri: [UInt8]
        switch rule {
        case .rfc5849:
            uri = Self.baseStringURI(of: request)
            parameters += Self.requestParameters(of: request, rule)
            parameters.removeAll { $0.name == Self.signatureName }
        case .indivo:
            uri = try Self.indivoURI(of: request)
            parameters.removeAll { $0.name == Self.signatureName }
            parameters += Self.requestParameters(of: request, rule)
            var seen: Set<[UInt8]> = []
            if let repeated = parameters.first(where: { !seen.insert($0.name).inserted }) {
                throw .repeatedParameter(name: String(decoding: repeated.name, as: UTF8.self))
            }
        }

        let parts = [Array(request.method.uppercased().utf8), uri, Self.normalized(parameters, rule: rule)]
        bytes = Array(parts.map { PercentEncoding.encodedBytes($0) }.joined(separator: [Self.ampersand]))
    }

    typealias Parameter = (name: [UInt8], value: [UInt8])

    static let ampersand = UInt8(ascii: "&")
    private static let signatureName = Array("oauth_signature".utf8)

    // MARK: RFC 5849

    /// Scheme, host in lower case, port unless it is the scheme's own, and path as sent (3.4.1.2).
    private static func baseStringURI(of request: OAuthRequest) -> [UInt8] {
        let scheme = request.scheme.lowercased()
        var authority = request.authority.lowercased()
        let defaultPort = scheme == "https" ? ":443" : ":80"
        if let port = [defaultPort, ":"].first(where: authority.hasSuffix) {
            authority.removeLast(port.count)
        }
        return Array("\(scheme)://\(authority)\(request.path.isEmpty ? "/" : request.path)".utf8)
    }

    /// The parameters of the query, and of the body if it is a form (3.4.1.3.1); Indivo takes the query of a
    /// `GET`, else the form.
    private static func requestParameters(of request: OAuthRequest, _ rule: SignatureRule) -> [Parameter] {
        let isRFC = rule == .rfc5849
        let isGET = request.method == "GET"
        let query = isRFC || isGET ? request.query : nil
        let form = request.isForm(by: rule) && (isRFC || !isGET) ? request.body : nil
        let separators = isRFC ? [ampersand] : [ampersand, UInt8(ascii: ";")]
        return [query.map { Array($0.utf8) }, form].flatMap {
            FormParameters.decodedPairs($0 ?? [], separators: separators)
        }
    }

    /// Names and values encoded, sorted by name, then by value, and joined (3.4.1.3.2).
    private static func normalized(_ parameters: [Parameter], rule: SignatureRule) -> [UInt8] {
        let encode = { (parameter: Parameter) -> Parameter in
            (PercentEncoding.encodedBytes(parameter.name), PercentEncoding.encodedBytes(parameter.value))
        }
        let encodesFirst = rule == .rfc5849
        let sorted =
            encodesFirst
            ? parameters.map(encode).sorted(by: precedes) : parameters.sorted(by: precedes).map(encode)
        return Array(sorted.map { $0.name + [UInt8(ascii: "=")] + $0.value }.joined(separator: [ampersand]))
    }

    private static func precedes(_ left: Parameter, _ right: Parameter) -> Bool {
        left.name == right.name
            ? left.value.lexicographicallyPrecedes(right.value)
            : left.name.lexicographicallyPrecedes(right.name)
    }

    // MARK: Indivo

    private static func indivoURI(of request: OAuthRequest) throws(SignatureBaseStringError) -> [UInt8] {
        var path = PercentEncoding.decodedBytes(Array(request.path.utf8))
        guard path.allSatisfy({ $0 < 0x80 }) else { throw .pathNotASCII }
        if let cut = path.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            path.removeSubrange(cut...)
        }
        let lastSegment = path.lastIndex(of: UInt8(ascii: "/")) ?? 0
        if let cut = path[lastSegment...].firstIndex(of: UInt8(ascii: ";")) { path.removeSubrange(cut...) }
        return Array("\(request.scheme)://\(request.authority)".utf8) + path
    }
}

/// Why a request has no base string under ``SignatureRule/indivo``.
public enum SignatureBaseStringError: Error, Hashable, CustomStringConvertible {
    /// A parameter occurs twice in the header, the query or the form; the server's response is then always a
    /// refusal.
    case repeatedParameter(name: String)
    /// The path holds, or its escapes stand for, something other than ASCII; the server fails on it.
    case pathNotASCII

    public var description: String {
        switch self {
        case .repeatedParameter(let name):
            """
            the parameter “\(name)” occurs more than once, which an Indivo server cannot verify; send it once
            """
        case .pathNotASCII:
            """
            the path is not ASCII, which an Indivo server cannot verify; \
            use unreserved characters in the path
            """
        }
    }
}

/// How the base string of a signature is made.
public enum SignatureRule: Sendable, Hashable {
    /// As RFC 5849 (3.4.1) says: host in lower case, default port left out, path as sent, query and form body
    /// signed.
    case rfc5849

    /// As Indivo X servers do, which keep to the RFC where a plain request is concerned and leave it in these
    /// points:
    ///
    /// - the `Host` header is taken verbatim: no lower case, no default port left out;
    /// - the path is percent-decoded, and then cut at the first `?` or `#`, and at the first `;` of its last
    ///   segment; a path that decodes to something other than ASCII cannot be signed at all;
    /// - the query is signed for `GET` only, and `;` separates its parameters as `&` does;
    /// - a form body is signed, for all other methods, when its content type is the form type, to the letter;
    /// - parameters are sorted before they are percent-encoded, and a name may occur only once.
    ///
    /// Where the path needs no escapes, the query goes with `GET` and the host is in lower case, both rules
    /// agree.
    case indivo
}
