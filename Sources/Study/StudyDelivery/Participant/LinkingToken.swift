import Crypto
import CryptoExtras
import FHIR
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON
import StudyFormats

/// A verified JSON Web Token (RFC 7519) with which a study's site links a known person to an anonymous
/// participant.
///
/// ```swift
/// let token = try LinkingToken(
///     verifying: scanned,
///     key: .es256(pem: pem),
///     issuer: "https://site.example.org",
///     audience: "https://link.example.org"
/// )
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

        fileprivate var algorithm: String {
            switch self {
            case .hs256: "HS256"
            case .rs256: "RS256"
            case .es256: "ES256"
            }
        }

        fileprivate func isValid(_ signature: Data, of signed: Data) throws(StudyError) -> Bool {
            do {
                switch self {
                case .hs256(let secret):
                    return try secret.withBytes { bytes in
                        guard bytes.count >= 32 else {
                            throw StudyError.unusableKey(reason: "a secret for HS256 has 32 bytes or more")
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
            } catch let error as StudyError {
                throw error
            } catch {
                throw .unusableKey(
                    reason: "it is not a public key in PEM for \(algorithm), or it is too short"
                )
            }
        }
    }

    /// Verifies signature, issuer, audience and times, in this order.
    ///
    /// - Parameters:
    ///   - token: As it was scanned.
    ///   - key: The issuer's key.
    ///   - issuer: The issuer that is accepted.
    ///   - audience: The audience that has to be among the token's.
    ///   - leeway: By how many seconds clocks may differ: 0 to 300.
    /// - Throws: ``/StudyFormats/StudyError``, which quotes nothing of the token: `unusableKey` for the key,
    ///   `malformed` for what is no token, and `notGenuine` for a token that is refused.
    public init(
        verifying token: String,
        key: Key,
        issuer: String,
        audience: String,
        leeway: Int = 60,
        at date: Date = Date()
    ) throws(StudyError) {
        guard token.utf8.count <= Self.maximumLength else {
            throw .badToken("it is longer than \(Self.maximumLength) bytes")
        }
        guard let jws = JWS(token) else { throw .badToken("it is not three parts in base64url") }
        let head = try Self.object(jws.header, "header")
        guard head["alg"]?.string == key.algorithm else {
            throw .refused("it is not signed with \(key.algorithm), which the issuer uses")
        }
        guard head["crit"] == nil else { throw .badToken("it has critical extensions") }
        guard try key.isValid(jws.signature, of: jws.signingInput) else {
            throw .refused("its signature is not the issuer's")
        }
        let claims = try Self.object(jws.payload, "claims")
        guard claims["iss"]?.string == issuer else { throw .refused("it is not from the expected issuer") }
        let audiences =
            claims["aud"]?.elements.map { $0.compactMap(\.string) }
            ?? [claims["aud"]?.string].compactMap { $0 }
        guard audiences.contains(audience) else { throw .refused("it is not for the expected audience") }
        let leeway = min(max(leeway, 0), 300)
        let now = Int(min(max(date.timeIntervalSince1970.rounded(.down), -1e12), 1e12))
        guard let expiry = try Self.time(claims, "exp") else {
            throw .badToken("it has no exp: it would never end")
        }
        guard now - leeway < expiry else { throw .refused("it has expired; ask for a new one") }
        for name in ["nbf", "iat"] {
            if let start = try Self.time(claims, name), start > now + leeway {
                throw .refused("it is not valid yet; look at the device's clock")
            }
        }
        guard let subject = claims["sub"]?.string, !subject.isEmpty else { throw .badToken("it has no sub") }
        birthDate = claims["birthdate"].flatMap { FHIRDate(tree: $0) }
        guard birthDate != nil || claims["birthdate"] == nil else {
            throw .badToken("birthdate is not a date, such as 1970-03-29")
        }
        self.subject = subject
        self.issuer = issuer
        self.audience = audience
        expiresAt = Date(timeIntervalSince1970: Double(expiry))
        self.token = Secret(token)
    }

    static let maximumLength = 16_384

    /// An object without duplicate members, which two programs may read differently.
    private static func object(_ data: Data, _ part: String) throws(StudyError) -> JSONValue {
        var limits = JSONLimits()
        limits.depth = 16
        guard let json = try? JSONValue(parsing: data, limits: limits), let members = json.members else {
            throw .badToken("the \(part) are not a JSON object")
        }
        guard Set(members.map(\.name)).count == members.count else {
            throw .badToken("the \(part) repeat a member")
        }
        return json
    }

    /// Whole seconds; a fraction is cut off.
    private static func time(_ claims: JSONValue, _ name: String) throws(StudyError) -> Int? {
        guard let claim = claims[name] else { return nil }
        guard let digits = claim.number?.split(separator: ".", maxSplits: 1).first, let seconds = Int(digits),
            (0...253_402_300_799).contains(seconds), claim.number?.lowercased().contains("e") == false
        else { throw .badToken("\(name) is not a time in seconds since 1970") }
        return seconds
    }

    // MARK: Linking

    /// The request to the linking service: `POST {audience}/establish` with the token, and a Patient that has
    /// nothing but the participant's identifier.
    ///
    /// - Parameter dataServer: The address of the server that has the participant's data: the identifier's
    ///   system.
    /// - Throws: ``/StudyFormats/StudyError`` unless the audience is an https address.
    public func request(linking enrolment: Enrolment, dataServer: FHIRURI) throws(StudyError)
        -> LinkRequest
    {
        guard let url = URL(string: audience), url.scheme?.lowercased() == "https", url.host() != nil else {
            throw .refused("its audience is no https address")
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

    /// The meaning of the service's status code.
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

// The texts quote nothing of the token.
extension StudyError {
    fileprivate static func badToken(_ reason: String) -> StudyError {
        .malformed(format: "linking token", reason: reason)
    }

    fileprivate static func refused(_ reason: String) -> StudyError {
        .notGenuine(what: "the linking token", reason: reason)
    }
}
