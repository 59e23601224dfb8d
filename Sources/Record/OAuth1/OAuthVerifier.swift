import IndivoBase
import Synchronization

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

    /// A verifier with a clock that gives the time in whole seconds since 1970-01-01T00:00:00Z.
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

    /// Returns who signed a request, after a check that the signature is valid and the nonce unused.
    ///
    /// Only a valid signature uses up a nonce, so that nobody can use up another's.
    /// - Throws: ``OAuthRefusal``, or what the secret source or the nonce store throw.
    public func verify(_ authorization: OAuthAuthorization, of request: OAuthRequest) async throws
        -> OAuthCaller
    {
        let (caller, signature, timestamp, nonce) = try claim(of: authorization)
        let key = caller.consumerKey
        guard let secret = try await secrets.consumerSecret(forKey: key) else {
            throw OAuthRefusal.unknownConsumer
        }
        var credentials = OAuthCredentials(consumer: OAuthConsumer(key: key, secret: secret))
        if let token = caller.token {
            let secret = try await secrets.tokenSecret(forToken: token, consumerKey: key)
            guard let secret else { throw OAuthRefusal.unknownToken }
            credentials.token = OAuthToken(value: token, secret: secret)
        }
        let expected: String
        do {
            expected = try OAuthSigner.signature(
                request: request,
                authorization: authorization,
                credentials: credentials,
                rule: policy.rule
            )
        } catch .noBaseString(let error) { throw OAuthRefusal.noBaseString(error) }
        guard constantTimeEqual(Array(expected.utf8), Array(signature.utf8)) else {
            throw OAuthRefusal.wrongSignature
        }
        try verifyBody(authorization, of: request)
        guard try await nonces.use(nonce, timestamp: timestamp, consumerKey: key, token: caller.token) else {
            throw OAuthRefusal.nonceAlreadyUsed
        }
        return caller
    }

    /// The parameters that must be there, each checked on its own.
    private func claim(
        of authorization: OAuthAuthorization
    ) throws(OAuthRefusal) -> (caller: OAuthCaller, signature: String, timestamp: Int, nonce: String) {
        guard !policy.requiresExactScheme || authorization.scheme == "OAuth" else { throw .schemeNotExact }
        func required(_ name: String) throws(OAuthRefusal) -> String {
            guard let value = authorization[name], !value.isEmpty else { throw .missingParameter(name: name) }
            return value
        }
        let consumerKey = try required("oauth_consumer_key")
        let method = try required("oauth_signature_method")
        guard method == OAuthSigner.signatureMethod else { throw .unsupportedSignatureMethod(method) }
        if let version = authorization.version, version != "1.0" { throw .unsupportedVersion(version) }
        let signature = try required("oauth_signature")
        let timestampText = try required("oauth_timestamp")
        guard timestampText.isASCIIDigits, let timestamp = Int(timestampText) else {
            throw .malformedTimestamp
        }
        let now = clock()
        guard timestamp >= now - policy.maximumAge else { throw .timestampTooOld(seconds: now - timestamp) }
        if let lead = policy.maximumLead, timestamp > now + lead {
            throw .timestampInFuture(seconds: timestamp - now)
        }
        let nonce = try required("oauth_nonce")
        guard nonce.unicodeScalars.count <= policy.maximumNonceLength else { throw .nonceTooLong }
        return (
            OAuthCaller(consumerKey: consumerKey, token: authorization.token), signature, timestamp, nonce
        )
    }

    /// Checks the parameters about the body, if they were sent: `oauth_body_hash` (the OAuth Request Body
    /// Hash extension), and `oauth_content_type`, which only Indivo has.
    private func verifyBody(_ authorization: OAuthAuthorization, of request: OAuthRequest) throws {
        if policy.rule == .indivo, let declared = authorization["oauth_content_type"],
            declared != request.contentType ?? ""
        {
            throw OAuthRefusal.wrongContentType
        }
        guard let declared = authorization.bodyHash, !request.isForm(by: policy.rule) else { return }
        let actual = try HMACSHA1.digest(of: request.body ?? [])
        guard constantTimeEqual(Array(actual.utf8), Array(declared.utf8)) else {
            throw OAuthRefusal.wrongBodyHash
        }
    }
}

/// Who signed a request.
public struct OAuthCaller: Sendable, Hashable {
    /// The consumer's key.
    public let consumerKey: String
    /// The token it used, or nil.
    public let token: String?

    /// A consumer, with its token where it used one.
    public init(consumerKey: String, token: String?) {
        self.consumerKey = consumerKey
        self.token = token
    }
}

/// What an ``OAuthVerifier`` accepts.
public struct OAuthVerificationPolicy: Sendable, Hashable {
    /// How the base string is made.
    public var rule: SignatureRule
    /// How many seconds a timestamp may lie in the past.
    public var maximumAge: Int
    /// How many seconds a timestamp may lie in the future; nil for any number.
    public var maximumLead: Int?
    /// How many characters a nonce may have.
    public var maximumNonceLength: Int
    /// Whether the scheme must be spelled `OAuth`, where HTTP allows any letter case.
    public var requiresExactScheme: Bool

    /// What a verifier asks of requests.
    public init(
        rule: SignatureRule,
        maximumAge: Int = 300,
        maximumLead: Int? = 300,
        maximumNonceLength: Int = 255,
        requiresExactScheme: Bool = false
    ) {
        self.rule = rule
        self.maximumAge = maximumAge
        self.maximumLead = maximumLead
        self.maximumNonceLength = maximumNonceLength
        self.requiresExactScheme = requiresExactScheme
    }

    /// RFC 5849, with timestamps at most five minutes off either way.
    public static let rfc5849 = OAuthVerificationPolicy(rule: .rfc5849)

    /// The policy of an Indivo X server: timestamps up to five minutes old or any time ahead, nonces of up to
    /// 100 characters, and a scheme spelled exactly.
    public static let indivo = OAuthVerificationPolicy(
        rule: .indivo,
        maximumAge: 300,
        maximumLead: nil,
        maximumNonceLength: 100,
        requiresExactScheme: true
    )
}

/// Provides the secrets that an ``OAuthVerifier`` verifies with.
public protocol OAuthSecretSource: Sendable {
    /// The secret of a consumer, or nil for one that is not known.
    func consumerSecret(forKey key: String) async throws -> Secret?

    /// The secret of a token that belongs to this consumer and is in force, or nil if there is no such token.
    func tokenSecret(forToken token: String, consumerKey: String) async throws -> Secret?
}

/// Remembers which nonces were used, so that a request that was overheard cannot be sent again.
public protocol OAuthNonceStore: Sendable {
    /// Marks a nonce as used.
    /// - Returns: Whether it was unused before. Of two calls at the same time with the same nonce only one
    ///   gives true.
    func use(_ nonce: String, timestamp: Int, consumerKey: String, token: String?) async throws -> Bool
}

/// A nonce store in memory, which forgets what is too old to be accepted anyway.
///
/// Nonces are kept apart by consumer, token and timestamp (RFC 5849, 3.3).
public final class OAuthNonceMemory: OAuthNonceStore {
    /// Nonce, consumer and token of each use, by its timestamp; and at how many timestamps old ones are
    /// forgotten.
    private let state = Mutex<(uses: [Int: Set<[String?]>], limit: Int)>(([:], 1_024))
    private let maximumAge: Int
    private let clock: @Sendable () -> Int

    /// A memory with a clock that gives the time in whole seconds since 1970-01-01T00:00:00Z.
    /// - Parameter maximumAge: For how many seconds after its timestamp a nonce is remembered at least; not
    ///   less than the verifier's.
    public init(maximumAge: Int = 300, clock: @escaping @Sendable () -> Int = OAuthSigner.systemTime) {
        self.maximumAge = maximumAge
        self.clock = clock
    }

    public func use(_ nonce: String, timestamp: Int, consumerKey: String, token: String?) -> Bool {
        state.withLock { state in
            if state.uses.count >= state.limit {
                // Twice the age: after its age was checked, a request may have waited for its secrets.
                let oldest = clock() - 2 * maximumAge
                state.uses = state.uses.filter { $0.key >= oldest }
                state.limit = max(1_024, 2 * state.uses.count)
            }
            return state.uses[timestamp, default: []].insert([nonce, consumerKey, token]).inserted
        }
    }
}

/// Why a signed request is refused. For the server's own log: a client need not know more than that it was
/// refused.
public enum OAuthRefusal: Error, Hashable, CustomStringConvertible {
    /// A parameter that must be there is absent or empty.
    case missingParameter(name: String)
    /// The scheme is not spelled `OAuth`.
    case schemeNotExact
    /// `oauth_version` is not 1.0.
    case unsupportedVersion(String)
    /// `oauth_signature_method` is not HMAC-SHA1.
    case unsupportedSignatureMethod(String)
    /// `oauth_timestamp` is not a whole number.
    case malformedTimestamp
    /// `oauth_timestamp` lies too far in the past.
    case timestampTooOld(seconds: Int)
    /// `oauth_timestamp` lies too far in the future.
    case timestampInFuture(seconds: Int)
    /// `oauth_nonce` has more characters than are accepted.
    case nonceTooLong
    /// The nonce was used before.
    case nonceAlreadyUsed
    /// The consumer is not known.
    case unknownConsumer
    /// The token is not known, not in force, or another consumer's.
    case unknownToken
    /// The request has no base string.
    case noBaseString(SignatureBaseStringError)
    /// The signature is not the one that these secrets give.
    case wrongSignature
    /// `oauth_body_hash` is not the hash of the body.
    case wrongBodyHash
    /// `oauth_content_type` is not the request's content type; only ``SignatureRule/indivo`` checks it.
    case wrongContentType

    public var description: String {
        switch self {
        case .missingParameter(let name): "the parameter “\(name)” is missing"
        case .schemeNotExact: "the Authorization header's scheme is not spelled “OAuth”"
        case .unsupportedVersion(let version): "oauth_version is “\(version)”; only 1.0 is supported"
        case .unsupportedSignatureMethod(let method):
            "oauth_signature_method is “\(method)”; only HMAC-SHA1 is supported"
        case .malformedTimestamp: "oauth_timestamp is not a whole number of seconds"
        case .timestampTooOld(let seconds):
            "oauth_timestamp lies \(seconds) seconds in the past; compare the clocks of client and server"
        case .timestampInFuture(let seconds):
            "oauth_timestamp lies \(seconds) seconds in the future; compare the clocks of client and server"
        case .nonceTooLong: "oauth_nonce is too long"
        case .nonceAlreadyUsed: "oauth_nonce was used before; sign every sending anew"
        case .unknownConsumer: "the consumer key is not known"
        case .unknownToken: "the token is not known, or belongs to another consumer"
        case .noBaseString(let error): "the signature cannot be verified: \(error)"
        case .wrongSignature:
            """
            the signature does not fit the request; compare the secrets, and the base strings \
            of client and server
            """
        case .wrongBodyHash: "oauth_body_hash is not the hash of the body that arrived"
        case .wrongContentType: "oauth_content_type is not the content type that arrived"
        }
    }
}
