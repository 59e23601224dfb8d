import Crypto
import CryptoExtras
import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import StudyFormats

/// A verified JSON Web Token (RFC 7519) with which a study's site links a known person to an anonymous
/// participant.
///
/// ```swift
/// let verifier = LinkingToken.Verifier(
///     key: .es256(pem: pem),
///     issuer: "https://site.example.org",
///     audience: "https://link.example.org"
/// )
/// let token = try verifier.verify(scanned, at: .now)
/// ```
public struct LinkingToken: Sendable, Hashable {
    /// The person's name. (`sub`)
    public let subject: String
    /// The date of birth. (`birthdate`)
    public let birthDate: FHIRDate?
    /// Who issued it. (`iss`)
    public let issuer: String
    /// For whom it is: the linking service's address. (`aud`, the one that was expected)
    public let audience: String
    /// When it ends. (`exp`)
    public let expiresAt: Date
    /// The token itself, for the linking service.
    public let token: Secret

    /// The key that signs, and with it the only algorithm that is accepted: the algorithm that the token
    /// names is not used to choose one.
    public enum Key: Sendable {
        /// HMAC with SHA-256; the secret has 32 bytes or more (RFC 7518, section 3.2).
        case hs256(Secret)
        /// RSA PKCS#1 v1.5 with SHA-256; a public key in PEM, of 2,048 bits or more.
        case rs256(pem: String)
        /// ECDSA on P-256 with SHA-256; a public key in PEM.
        case es256(pem: String)

        var algorithm: String {
            switch self {
            case .hs256: "HS256"
            case .rs256: "RS256"
            case .es256: "ES256"
            }
        }
    }

    /// Verifies tokens.
    public struct Verifier: Sendable {
        /// The issuer's key.
        public let key: Key
        /// The issuer that is accepted.
        public let issuer: String
        /// The audience that has to be among the token's.
        public let audience: String
        /// By how many seconds clocks may differ: 0 to 300.
        public let leeway: Int

        /// A verifier. The leeway is 60 seconds unless given, and never more than 300.
        public init(key: Key, issuer: String, audience: String, leeway: Int = 60) {
            self.key = key
            self.issuer = issuer
            self.audience = audience
            self.leeway = min(max(leeway, 0), 300)
        }

        /// Verifies signature, issuer, audience and times, in this order.
        ///
        /// - Throws: ``LinkingTokenError``.
        public func verify(_ token: String, at date: Date) throws(LinkingTokenError) -> LinkingToken {
            guard token.utf8.count <= LinkingToken.maximumLength else {
                throw .malformed("it is longer than \(LinkingToken.maximumLength) bytes")
            }
            guard let jws = JWS(token) else { throw .malformed("it is not three parts in base64url") }
            let head = try LinkingToken.object(jws.header, "header")
            guard let algorithm = head["alg"]?.string, algorithm == key.algorithm else {
                throw .wrongAlgorithm(expected: key.algorithm)
            }
            guard head["crit"] == nil else { throw .malformed("it has critical extensions") }
            guard try isValid(jws.signature, of: jws.signingInput) else { throw .wrongSignature }
            return try claims(try LinkingToken.object(jws.payload, "claims"), token, at: date)
        }

        private func isValid(_ signature: Data, of signed: Data) throws(LinkingTokenError) -> Bool {
            do {
                switch key {
                case .hs256(let secret):
                    return try secret.withBytes { bytes in
                        guard bytes.count >= 32 else {
                            throw LinkingTokenError.unusableKey("a secret for HS256 has 32 bytes or more")
                        }
                        let key = SymmetricKey(data: UnsafeRawBufferPointer(bytes))
                        return HMAC<SHA256>.isValidAuthenticationCode(
                            signature,
                            authenticating: signed,
                            using: key
                        )
                    }
                case .rs256(let pem):
                    // Also refuses keys of less than 2,048 bits.
                    let key = try _RSA.Signing.PublicKey(pemRepresentation: pem)
                    return key.isValidSignature(
                        .init(rawRepresentation: signature),
                        for: SHA256.hash(data: signed),
                        padding: .insecurePKCS1v1_5
                    )
                case .es256(let pem):
                    let key = try P256.Signing.PublicKey(pemRepresentation: pem)
                    guard signature.count == 64 else { return false }
                    return key.isValidSignature(try .init(rawRepresentation: signature), for: signed)
                }
            } catch let error as LinkingTokenError {
                throw error
            } catch {
                throw .unusableKey("it is not a public key in PEM for \(key.algorithm), or it is too short")
            }
        }

        private func claims(_ claims: JSONValue, _ token: String, at date: Date) throws(LinkingTokenError)
            -> LinkingToken
        {
            guard claims["iss"]?.string == issuer else { throw .wrongIssuer }
            let audiences =
                claims["aud"]?.elements.map { $0.compactMap(\.string) }
                ?? [claims["aud"]?.string].compactMap { $0 }
            guard audiences.contains(audience) else { throw .wrongAudience }
            let now = Int(min(max(date.timeIntervalSince1970.rounded(.down), -1e12), 1e12))
            guard let expiry = try LinkingToken.time(claims, "exp") else {
                throw .malformed("it has no exp: it would never end")
            }
            guard now - leeway < expiry else { throw .expired }
            for name in ["nbf", "iat"] {
                if let start = try LinkingToken.time(claims, name), start > now + leeway {
                    throw .notYetValid
                }
            }
            guard let subject = claims["sub"]?.string, !subject.isEmpty else {
                throw .malformed("it has no sub")
            }
            var birthDate: FHIRDate?
            if let text = claims["birthdate"] {
                birthDate = FHIRDate(tree: text)
                guard birthDate != nil else {
                    throw .malformed("birthdate is not a date, such as 1970-03-29")
                }
            }
            return LinkingToken(
                subject: subject,
                birthDate: birthDate,
                issuer: issuer,
                audience: audience,
                expiresAt: Date(timeIntervalSince1970: Double(expiry)),
                token: Secret(token)
            )
        }
    }

    static let maximumLength = 16_384

    /// An object without duplicate members, which two programs may read differently.
    private static func object(_ data: Data, _ part: String) throws(LinkingTokenError) -> JSONValue {
        var limits = JSONLimits()
        limits.depth = 16
        guard let json = try? JSONValue(parsing: data, limits: limits), let members = json.members else {
            throw .malformed("the \(part) are not a JSON object")
        }
        guard Set(members.map(\.name)).count == members.count else {
            throw .malformed("the \(part) repeat a member")
        }
        return json
    }

    /// Whole seconds; a fraction is cut off.
    private static func time(_ claims: JSONValue, _ name: String) throws(LinkingTokenError) -> Int? {
        guard let claim = claims[name] else { return nil }
        guard let digits = claim.number?.split(separator: ".", maxSplits: 1).first, let seconds = Int(digits),
            (0...253_402_300_799).contains(seconds), claim.number?.lowercased().contains("e") == false
        else { throw .malformed("\(name) is not a time in seconds since 1970") }
        return seconds
    }

    // MARK: Linking

    /// The request to the linking service: `POST {audience}/establish` with the token, and a Patient that has
    /// nothing but the participant's identifier.
    ///
    /// - Parameter dataServer: The address of the server that has the participant's data: the identifier's
    ///   system.
    /// - Throws: ``LinkingTokenError/wrongAudience`` unless the audience is an https address.
    public func request(linking enrolment: Enrolment, dataServer: FHIRURI) throws(LinkingTokenError)
        -> LinkRequest
    {
        guard let url = URL(string: audience), url.scheme?.lowercased() == "https", url.host() != nil else {
            throw .wrongAudience
        }
        var patient = Patient()
        patient.identifier = [Identifier(system: dataServer, value: enrolment.participant.uuidString)]
        return LinkRequest(url: url.appending(path: "establish"), token: token, patient: patient)
    }
}

/// A request that links a participant to a known person.
public struct LinkRequest: Sendable {
    /// Where it is posted to.
    public let url: URL
    /// For `Authorization: Bearer`.
    public let token: Secret
    /// The body.
    public let patient: Patient

    /// What the service's status code says.
    public enum Outcome: Sendable, Hashable {
        /// The participant is linked.
        case linked
        /// The person was linked before. (409)
        case alreadyLinked
        /// The service did not accept the token. (401, 403)
        case tokenRefused
        /// The service did not accept the request. (other 4xx)
        case requestRefused(status: Int)
        /// It may succeed later.
        case retryLater(status: Int)

        /// The outcome of a status code.
        public init(status: Int) {
            self =
                switch status {
                case 200..<300: .linked
                case 409: .alreadyLinked
                case 401, 403: .tokenRefused
                case 408, 425, 429: .retryLater(status: status)
                case 400..<500: .requestRefused(status: status)
                default: .retryLater(status: status)
                }
        }
    }
}

/// Why a linking token is refused. The texts quote nothing of the token.
public enum LinkingTokenError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It is no token.
    case malformed(String)
    /// It names another algorithm than the key's; `none` is never accepted.
    case wrongAlgorithm(expected: String)
    /// The signature is not the issuer's.
    case wrongSignature
    /// It is from somebody else.
    case wrongIssuer
    /// It is for somebody else, or its audience is no https address.
    case wrongAudience
    /// It has ended.
    case expired
    /// It has not begun.
    case notYetValid
    /// The key cannot be used.
    case unusableKey(String)

    public var description: String {
        switch self {
        case .malformed(let reason): "the token is not valid: \(reason)"
        case .wrongAlgorithm(let expected): "the token is not signed with \(expected), which the issuer uses"
        case .wrongSignature: "the token's signature is not the issuer's"
        case .wrongIssuer: "the token is not from the expected issuer"
        case .wrongAudience: "the token is not for the expected audience"
        case .expired: "the token has expired; ask for a new one"
        case .notYetValid: "the token is not valid yet; look at the device's clock"
        case .unusableKey(let reason): "the issuer's key cannot be used: \(reason)"
        }
    }
}
