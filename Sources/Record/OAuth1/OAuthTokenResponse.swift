/// A server's response to a request for temporary credentials or for a token: a form in the body (RFC 5849,
/// 2.1, 2.3).
public struct OAuthTokenResponse: Sendable, Hashable {
    /// The token with its secret.
    public let token: OAuthToken
    /// `oauth_callback_confirmed`: whether the server says that it read the callback; nil of servers that
    /// predate the RFC.
    public let isCallbackConfirmed: Bool?
    /// What else the server sent, in its order.
    public let additionalParameters: FormParameters

    /// Reads the body of a response.
    /// - Throws: ``OAuthTokenResponseError`` naming what is missing; the body may hold a secret and is not
    ///   quoted.
    public init(parsing body: some Sequence<UInt8>) throws(OAuthTokenResponseError) {
        var trimmed = Array(body)
        while let last = trimmed.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
            trimmed.removeLast()
        }
        let form = FormParameters(decoding: trimmed)
        func required(_ name: String) throws(OAuthTokenResponseError) -> String {
            let values = form.values(of: name)
            guard values.count <= 1 else { throw .repeatedParameter(name: name) }
            guard let value = values.first, !value.isEmpty else { throw .missingParameter(name: name) }
            return value
        }
        token = OAuthToken(
            value: try required("oauth_token"),
            secret: Secret(try required("oauth_token_secret"))
        )
        isCallbackConfirmed = form["oauth_callback_confirmed"].map { $0.lowercased() == "true" }
        let known: Set = ["oauth_token", "oauth_token_secret", "oauth_callback_confirmed"]
        additionalParameters = FormParameters(form.filter { !known.contains($0.name) })
    }

    /// The value of an additional parameter, such as the record id that an Indivo server adds.
    public subscript(name: String) -> String? { additionalParameters[name] }
}

/// Why a response holds no token.
public enum OAuthTokenResponseError: Error, Hashable, CustomStringConvertible {
    /// A parameter is absent or empty.
    case missingParameter(name: String)
    /// A parameter occurs twice.
    case repeatedParameter(name: String)

    public var description: String {
        switch self {
        case .missingParameter(let name):
            "the server's token answer has no “\(name)”; check that the URL is the server's token endpoint"
        case .repeatedParameter(let name):
            """
            the server's token answer has “\(name)” more than once; check that the URL is the \
            server's token endpoint
            """
        }
    }
}
