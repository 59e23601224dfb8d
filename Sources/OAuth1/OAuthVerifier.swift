import SecretText
import URLCoding

/// Verifies signed requests, as a server does (RFC 5849, 3.2).
///
/// ```swift
/// let verifier = OAuthVerifier(secrets: database, nonces: OAuthNonceMemory(), policy: .rfc5849)
/// let caller = try await verifier.verify(try OAuthAuthorization(parsing: header), of: request)
/// caller.consumerKey
/// ```
public struct OAuthVerifier: Sendable {
    private let secrets: any OAuthSecretSource
    private let nonces: any OAuthNonceStore
    private let policy: OAuthVerificationPolicy
    private let clock: @Sendable () -> Int

    /// - Parameters:
    ///   - secrets: Knows the secrets of consumers and tokens.
    ///   - nonces: Remembers the nonces that were used.
    ///   - policy: What is accepted.
    ///   - clock: Gives the time in whole seconds since 1970-01-01T00:00:00Z.
    public init(
        secrets: any OAuthSecretSource,
        nonces: any OAuthNonceStore,
        policy: OAuthVerificationPolicy = .rfc5849,
        clock: @escaping @Sendable () -> Int = OAuthSigner.systemTime
    ) {
        self.secrets = secrets
        self.nonces = nonces
        self.policy = policy
        self.clock = clock
    }

    /// Who signed a request, once its signature was found good and its nonce unused.
    ///
    /// The nonce is spent only on a good signature, so nobody can spend another's.
    ///
    /// - Throws: ``OAuthRefusal``, or what the secret source or the nonce store throw.
    public func verify(_ authorization: OAuthAuthorization, of request: OAuthRequest) async throws -> OAuthCaller {
        let claim = try claim(of: authorization)
        guard let consumerSecret = try await secrets.consumerSecret(forKey: claim.consumerKey) else {
            throw OAuthRefusal.unknownConsumer
        }
        var tokenSecret: Secret?
        if let token = claim.token {
            tokenSecret = try await secrets.tokenSecret(forToken: token, consumerKey: claim.consumerKey)
            guard tokenSecret != nil else { throw OAuthRefusal.unknownToken }
        }
        let expected: String
        do {
            expected = try OAuthSigner.signature(
                request: request, authorization: authorization, rule: policy.rule,
                key: OAuthCredentials.signingKey(consumerSecret: consumerSecret, tokenSecret: tokenSecret))
        } catch .noBaseString(let error) {
            throw OAuthRefusal.noBaseString(error)
        }
        guard constantTimeEqual(Array(expected.utf8), Array(claim.signature.utf8)) else {
            throw OAuthRefusal.wrongSignature
        }
        try verifyBody(authorization, of: request)
        guard
            try await nonces.use(
                claim.nonce, timestamp: claim.timestamp, consumerKey: claim.consumerKey, token: claim.token)
        else { throw OAuthRefusal.nonceAlreadyUsed }
        return OAuthCaller(consumerKey: claim.consumerKey, token: claim.token)
    }

    private struct Claim {
        var consumerKey: String
        var token: String?
        var signature: String
        var timestamp: Int
        var nonce: String
    }

    /// The parameters that must be there, each checked on its own.
    private func claim(of authorization: OAuthAuthorization) throws(OAuthRefusal) -> Claim {
        guard !policy.requiresExactScheme || authorization.scheme == "OAuth" else { throw .schemeNotExact }
        func required(_ name: String) throws(OAuthRefusal) -> String {
            guard let value = authorization[name], !value.isEmpty else { throw .missingParameter(name: name) }
            return value
        }
        let consumerKey = try required("oauth_consumer_key")
        let method = try required("oauth_signature_method")
        guard method == OAuthSigner.signatureMethod else { throw .unsupportedSignatureMethod(method) }
        if let version = authorization.version {
            guard version == "1.0" else { throw .unsupportedVersion(version) }
        }
        let signature = try required("oauth_signature")
        let timestampText = try required("oauth_timestamp")
        guard timestampText.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let timestamp = Int(timestampText)
        else { throw .malformedTimestamp }
        let now = clock()
        guard timestamp >= now - policy.maximumAge else { throw .timestampTooOld(seconds: now - timestamp) }
        if let maximumLead = policy.maximumLead {
            guard timestamp <= now + maximumLead else { throw .timestampInFuture(seconds: timestamp - now) }
        }
        let nonce = try required("oauth_nonce")
        guard nonce.unicodeScalars.count <= policy.maximumNonceLength else { throw .nonceTooLong }
        return Claim(
            consumerKey: consumerKey, token: authorization.token, signature: signature, timestamp: timestamp,
            nonce: nonce)
    }

    /// The parameters that speak of the body, if they were sent: `oauth_body_hash` (the OAuth Request Body Hash
    /// extension), and `oauth_content_type`, which only Indivo knows.
    private func verifyBody(_ authorization: OAuthAuthorization, of request: OAuthRequest) throws {
        if policy.rule == .indivo, let declared = authorization["oauth_content_type"] {
            guard declared == request.contentType ?? "" else { throw OAuthRefusal.wrongContentType }
        }
        let contentType = policy.rule == .indivo ? request.contentType : request.mediaType
        guard let declared = authorization.bodyHash, contentType != FormParameters.contentType else { return }
        let actual = try HMACSHA1.digest(of: request.body ?? [])
        guard constantTimeEqual(Array(actual.utf8), Array(declared.utf8)) else { throw OAuthRefusal.wrongBodyHash }
    }
}

/// Who signed a request.
public struct OAuthCaller: Sendable, Hashable {
    /// The consumer's key.
    public let consumerKey: String
    /// The token it used, or nil.
    public let token: String?

    /// Who signed a request.
    public init(consumerKey: String, token: String?) {
        self.consumerKey = consumerKey
        self.token = token
    }
}
