import Foundation
import HTTPCalls
import OrderedJSON

/// The keys that a study publishes, signed, so that a phone takes the newest one it trusts.
///
/// On the wire it is a JWK Set (RFC 7517) signed as a JWS in compact form (RFC 7515) with RS256 by a key that
/// the app knows: `{"iss": study, "iat": …, "exp": …, "keys": [{"kid": …, "kty": "RSA", "use": "enc", "x5c":
/// […]}, …]}`.
public struct StudyKeyList: Sendable, Hashable {
    /// A key of the study.
    public struct Key: Sendable, Hashable {
        public let id: KeyID
        public let certificate: StudyCertificate

        public init(id: KeyID, certificate: StudyCertificate) {
            self.id = id
            self.certificate = certificate
        }
    }

    /// The study's identifier.
    public let study: String
    /// When the list was signed; a phone takes no list older than the one it has.
    public let issued: StudyTime
    /// Until when the list may be used.
    public let expires: StudyTime
    public let keys: [Key]

    private static let maximumLength = 4 << 20
    private static let maximumKeys = 1000

    /// A list to be signed.
    ///
    /// - Parameter days: For how long it may be used.
    public init(study: String, keys: [Key], issued: StudyTime = .now, days: Int = 90) {
        self.study = study
        self.keys = keys
        self.issued = issued
        expires = SignedList.expiry(of: issued, days: days)
    }

    /// The key whose validity began last, of those that can be used now.
    ///
    /// - Throws: ``StudyError/unusableCertificate(subject:reason:)`` with the reasons against the newest.
    public func newestKey(at time: StudyTime = .now) throws(StudyError) -> Key {
        let sorted = keys.sorted { $0.certificate.notBefore > $1.certificate.notBefore }
        guard let newest = sorted.first else {
            throw .unusableKey(reason: "the key list of \(study) is empty")
        }
        guard let usable = sorted.first(where: { $0.certificate.problems(at: time).isEmpty }) else {
            throw .unusableCertificate(
                subject: newest.certificate.subject,
                reason: newest.certificate.problems(at: time).map(\.description).joined(separator: "; ")
            )
        }
        return usable
    }

    /// Signs the list.
    public func signed(by key: StudyPrivateKey) throws -> String {
        let keys = JSONValue(
            keys.map { key -> JSONValue in
                [
                    "kid": JSONValue(key.id.description), "kty": "RSA", "use": "enc",
                    "x5c": [JSONValue(key.certificate.der.base64EncodedString())],
                ]
            }
        )
        return try SignedList.sign(
            .keys,
            study: study,
            issued: issued,
            expires: expires,
            [JSONMember(name: "keys", value: keys)],
            by: key
        )
    }

    /// Reads a list that a trusted key signed.
    ///
    /// - Parameters:
    ///   - certificate: The certificate of the key that signs the study's lists; part of the app.
    ///   - newest: When the list was signed that is already known; an older one is refused.
    public init(
        _ text: String,
        study: String,
        signedBy certificate: StudyCertificate,
        notBefore newest: StudyTime? = nil,
        at time: StudyTime = .now
    ) throws {
        let refuse = SignedList.Kind.keys.refusal
        let list = try SignedList(
            text,
            .keys,
            study: study,
            signedBy: certificate,
            length: Self.maximumLength,
            at: time
        )
        self.study = list.study
        issued = list.issued
        expires = list.expires
        if let newest, issued < newest {
            throw refuse("it is older than the list of \(newest) that is known")
        }
        guard let keys = list.claims["keys"]?.elements else { throw refuse("keys is missing") }
        guard keys.count <= Self.maximumKeys else {
            throw StudyError.tooLarge(what: "the keys of a list", limit: Self.maximumKeys)
        }
        self.keys = try keys.map { key in
            guard let id = key["kid"]?.string, let chain = key["x5c"]?.elements,
                let first = chain.first?.string,
                let der = Data(base64Encoded: first)
            else { throw refuse("a key without kid and x5c") }
            return Key(id: try KeyID(id), certificate: try StudyCertificate(der: der))
        }
        guard Set(self.keys.map(\.id)).count == self.keys.count else { throw refuse("two keys have one id") }
    }
}
