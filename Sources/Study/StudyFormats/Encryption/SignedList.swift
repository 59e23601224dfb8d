import Crypto
import CryptoExtras
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON

/// A list that a study signs for its phones: a JWS in compact form (RFC 7515) with RS256, whose claims name
/// the study, when it was signed, and until when it may be used (RFC 7519, section 4.1).
struct SignedList {
    /// What a list is of. A phone takes none for another, though one key signs both (RFC 8725, section 3.11).
    enum Kind: String {
        case keys = "study-keys+jwt"
        case contents = "study-contents+jwt"

        var name: String {
            switch self {
            case .keys: "key list"
            case .contents: "list of contents"
            }
        }

        func refusal(_ reason: String) -> StudyError {
            .malformed(format: name, reason: reason)
        }
    }

    let study: String
    let issued: StudyTime
    let expires: StudyTime
    /// The claims with all that the list has of its own.
    let claims: JSONValue

    /// Until when a list may be used that is signed at a time.
    static func expiry(of issued: StudyTime, days: Int) -> StudyTime {
        StudyTime(seconds: issued.seconds + max(0, min(days, 36_525)) * 86_400)
    }

    /// Signs a list.
    ///
    /// - Parameter own: What the list has beside study and times.
    static func sign(
        _ kind: Kind,
        study: String,
        issued: StudyTime,
        expires: StudyTime,
        _ own: [JSONMember],
        by key: StudyPrivateKey
    ) throws -> String {
        let header: JSONValue = ["alg": "RS256", "typ": JSONValue(kind.rawValue)]
        let claims = JSONValue(
            members: [
                JSONMember(name: "iss", value: JSONValue(study)),
                JSONMember(name: "iat", value: JSONValue(issued.seconds)),
                JSONMember(name: "exp", value: JSONValue(expires.seconds)),
            ] + own
        )
        var jws = JWS(header: Data(header.utf8()), payload: Data(claims.utf8()))
        jws.signature = try key.signature(of: jws.signingInput)
        return jws.compact
    }

    /// Reads a list that a trusted key signed.
    ///
    /// - Parameters:
    ///   - length: The most bytes that it may have.
    ///   - allowsExpired: Whether it may be one that was to be used until an earlier time.
    init(
        _ text: String,
        _ kind: Kind,
        study: String,
        signedBy certificate: StudyCertificate,
        length: Int,
        allowsExpired: Bool = false,
        at time: StudyTime
    ) throws {
        let jws = try Self.jws(text, kind, length: length)
        // The algorithm is fixed: a list cannot choose a weaker one.
        let header = try JSONValue(parsing: jws.header)
        guard header["alg"]?.string == "RS256" else { throw kind.refusal("its algorithm is not RS256") }
        // RFC 7515, section 4.1.11: what is said to be critical has to be understood, and nothing is here.
        guard header["crit"] == nil else { throw kind.refusal("its header has “crit”") }
        guard header["typ"]?.string == kind.rawValue else {
            throw kind.refusal("its type is not \(kind.rawValue)")
        }
        let publicKey = try _RSA.Signing.PublicKey(derRepresentation: certificate.publicKey)
        guard
            publicKey.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: jws.signature),
                for: jws.signingInput,
                padding: .insecurePKCS1v1_5
            )
        else { throw kind.refusal("its signature is not of the key that is trusted") }
        try self.init(jws.payload, kind)
        guard self.study == study else {
            throw kind.refusal("it is of the study “\(self.study.prefix(100))”")
        }
        guard allowsExpired || expires > time else { throw kind.refusal("it expired at \(expires)") }
        // Clocks of phones differ.
        guard issued.seconds <= time.seconds + 86_400 else {
            throw kind.refusal("it was signed in the future, at \(issued)")
        }
    }

    /// Reads a list of one's own, whose signature is not looked at.
    init(unverified text: String, _ kind: Kind, length: Int) throws {
        try self.init(Self.jws(text, kind, length: length).payload, kind)
    }

    /// Whether a key signed a list: the signatures of RS256 have nothing random.
    static func isSigned(_ text: String, by key: StudyPrivateKey) -> Bool {
        guard let jws = JWS(text) else { return false }
        return (try? key.signature(of: jws.signingInput)) == jws.signature
    }

    private static func jws(_ text: String, _ kind: Kind, length: Int) throws(StudyError) -> JWS {
        guard text.utf8.count <= length else { throw .tooLarge(what: "a \(kind.name)", limit: length) }
        guard let jws = JWS(text) else { throw kind.refusal("it is not a JWS of three parts in base64url") }
        return jws
    }

    private init(_ payload: Data, _ kind: Kind) throws {
        claims = try JSONValue(parsing: payload)
        guard let issuer = claims["iss"]?.string, let issued = claims["iat"]?.integer,
            let expires = claims["exp"]?.integer
        else { throw kind.refusal("iss, iat or exp is missing") }
        study = issuer
        self.issued = StudyTime(seconds: issued)
        self.expires = StudyTime(seconds: expires)
    }
}
