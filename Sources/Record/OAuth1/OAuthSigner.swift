import Foundation
import IndivoBase

/// Signs HTTP requests with OAuth 1.0a: HMAC-SHA1, parameters in the `Authorization` header (RFC 5849).
///
/// ```swift
/// let signer = OAuthSigner(credentials: OAuthCredentials(
///     consumer: OAuthConsumer(key: "dpf43f3p2l4k3l03", secret: "kd94hf93k423kf44"),
///     token: OAuthToken(value: "nnch734d00sl2jdk", secret: "pfkkdhi9sl3r4s00")))
/// let request = OAuthRequest(
///     method: "GET", scheme: "http", authority: "photos.example.net",
///     target: "/photos?file=vacation.jpg&size=original")
/// let header = try signer.authorization(for: request).headerValue    // OAuth oauth_consumer_key="dpf43…", …
/// ```
/// Sign a request again before each retry: a server accepts each nonce once.
public struct OAuthSigner: Sendable {
    /// Whom to sign for.
    public var credentials: OAuthCredentials
    /// How the base string is made.
    public var rule: SignatureRule

    private let nonce: @Sendable () -> String
    private let clock: @Sendable () -> Int

    /// A signer with fresh random nonces and the system's clock, unless others are given: texts that were
    /// never given before, and the time in whole seconds since 1970-01-01T00:00:00Z.
    public init(
        credentials: OAuthCredentials,
        rule: SignatureRule = .rfc5849,
        nonce: @escaping @Sendable () -> String = OAuthSigner.randomNonce,
        clock: @escaping @Sendable () -> Int = OAuthSigner.systemTime
    ) {
        self.credentials = credentials
        self.rule = rule
        self.nonce = nonce
        self.clock = clock
    }

    /// What to put into a signature beside the parameters that are always there.
    public struct Options: Sendable, Hashable {
        /// `oauth_callback`: where to send the person after the authorisation, or `oob` (RFC 5849, 2.1).
        public var callback: String?
        /// `oauth_verifier`: the code that came with the callback (RFC 5849, 2.3).
        public var verifier: String?
        /// The realm to name in the header; not signed.
        public var realm: String?
        /// Whether to add `oauth_body_hash` for a body that is not a form, so that the signature covers it
        /// too (the OAuth Request Body Hash extension). A form's parameters are signed in any case.
        public var includesBodyHash: Bool
        /// Whether to send `oauth_version="1.0"`, which may be left out.
        public var includesVersion: Bool
        /// Further protocol parameters; each name begins with `oauth_` and is not one that the signer sets.
        public var additionalParameters: FormParameters

        /// What a signature holds beside what every signature does.
        public init(
            callback: String? = nil,
            verifier: String? = nil,
            realm: String? = nil,
            includesBodyHash: Bool = false,
            includesVersion: Bool = true,
            additionalParameters: FormParameters = FormParameters()
        ) {
            self.callback = callback
            self.verifier = verifier
            self.realm = realm
            self.includesBodyHash = includesBodyHash
            self.includesVersion = includesVersion
            self.additionalParameters = additionalParameters
        }
    }

    /// Signs a request.
    /// - Returns: What to send as the `Authorization` header; take its ``OAuthAuthorization/headerValue``.
    /// - Throws: ``OAuthSigningError`` for a parameter that is not allowed, or a request that the rule cannot
    ///   sign.
    public func authorization(
        for request: OAuthRequest,
        options: Options = Options()
    ) throws(OAuthSigningError) -> OAuthAuthorization {
        let hashesBody = options.includesBodyHash && !request.isForm(by: .rfc5849)
        let values: [(name: String, value: String?)] = [
            ("oauth_consumer_key", credentials.consumer.key), ("oauth_token", credentials.token?.value),
            ("oauth_signature_method", Self.signatureMethod), ("oauth_timestamp", String(clock())),
            ("oauth_nonce", nonce()),
            ("oauth_version", options.includesVersion ? "1.0" : nil), ("oauth_callback", options.callback),
            ("oauth_verifier", options.verifier),
            ("oauth_body_hash", hashesBody ? try HMACSHA1.digest(of: request.body ?? []) : nil),
        ]
        var parameters = FormParameters()
        for case (let name, let value?) in values { parameters.append(name: name, value: value) }
        for parameter in options.additionalParameters {
            guard parameter.name.hasPrefix("oauth_") else {
                throw .notAProtocolParameter(name: parameter.name)
            }
            guard parameters[parameter.name] == nil, parameter.name != "oauth_signature" else {
                throw .parameterAlreadySet(name: parameter.name)
            }
            parameters.append(name: parameter.name, value: parameter.value)
        }

        let unsigned = OAuthAuthorization(parameters: parameters)
        let signature = try Self.signature(
            request: request,
            authorization: unsigned,
            credentials: credentials,
            rule: rule
        )
        parameters.append(name: "oauth_signature", value: signature)
        return OAuthAuthorization(parameters: parameters, realm: options.realm)
    }

    /// The HMAC-SHA1 signature, in base64, of a request with the protocol parameters it already has
    /// (RFC 5849, 3.4.2). Their `oauth_signature`, if any, is left out of what is signed.
    public static func signature(
        request: OAuthRequest,
        authorization: OAuthAuthorization,
        credentials: OAuthCredentials,
        rule: SignatureRule = .rfc5849
    ) throws(OAuthSigningError) -> String {
        let baseString: SignatureBaseString
        do {
            baseString = try SignatureBaseString(request: request, authorization: authorization, rule: rule)
        } catch {
            throw .noBaseString(error)
        }
        return try HMACSHA1.signature(of: baseString.bytes, key: credentials.signingKey)
    }

    /// The one signature method this module makes and verifies.
    public static let signatureMethod = "HMAC-SHA1"

    /// 128 bits of the system's random generator as 32 hexadecimal digits.
    @Sendable public static func randomNonce() -> String {
        let digits = String(UInt128.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// The system's time in whole seconds since 1970-01-01T00:00:00Z.
    @Sendable public static func systemTime() -> Int { time(nil) }
}

/// Why a request cannot be signed.
public enum OAuthSigningError: Error, Hashable, CustomStringConvertible {
    /// An additional parameter does not begin with `oauth_`.
    case notAProtocolParameter(name: String)
    /// An additional parameter is one that the signer sets, or occurs twice.
    case parameterAlreadySet(name: String)
    /// The request has no base string under the signer's rule.
    case noBaseString(SignatureBaseStringError)
    /// The cryptographic library gave no digest.
    case noDigest

    public var description: String {
        switch self {
        case .notAProtocolParameter(let name):
            """
            the additional parameter “\(name)” does not begin with “oauth_”; \
            send it in the query or the form instead
            """
        case .parameterAlreadySet(let name):
            "the additional parameter “\(name)” is set by the signer or given twice; leave it out"
        case .noBaseString(let error): "the request cannot be signed: \(error)"
        case .noDigest:
            """
            liboauth computed no digest; most likely memory ran out, or its cryptographic library \
            does not offer SHA-1
            """
        }
    }
}
