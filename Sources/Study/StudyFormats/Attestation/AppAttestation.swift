import Crypto
import Foundation
import IndivoBase
import SwiftASN1
import X509

/// What Apple attests with App Attest (`DCAppAttestService.attestKey`): that a key is held by an unmodified
/// copy of an app, on a device of Apple's. It is verified without a network.
///
/// ```swift
/// let apple = try TrustAnchors(Data(contentsOf: rootFile))          // Apple App Attestation Root CA
/// let attestation = try await AppAttestation(
///     object, keyID: keyID, challenge: challenge, apps: ["A1B2C3D4E5.org.example.sleep"], trusting: apple
/// )
/// // Store attestation.publicKey: later requests are signed with it (AppAssertion).
/// ```
///
/// The steps are those of Apple's “Validating apps that connect to your server”.
public struct AppAttestation: Sendable, Hashable {
    /// SHA-256 of the public key, by which the app names it.
    public let keyID: Data
    /// The key: a point of P-256, uncompressed (X9.63).
    public let publicKey: Data
    /// The app, as in `A1B2C3D4E5.org.example.sleep`.
    public let app: String
    /// Where the app has its keys from.
    public let environment: Environment
    /// A receipt with which Apple can be asked about the risk of fraud.
    public let receipt: Data

    /// Where an app has its keys from.
    public enum Environment: String, Sendable, Hashable, CaseIterable {
        /// An app of the App Store, of TestFlight, or of an enterprise.
        case production
        /// An app that is being developed.
        case development

        /// The kind of authenticator that stands for it.
        var authenticator: Data {
            switch self {
            case .production: Data("appattest".utf8) + Data(count: 7)
            case .development: Data("appattestdevelop".utf8)
            }
        }
    }

    /// The extension of the certificate that has the nonce.
    static let nonce: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 2]

    private static let format = "App Attest object"
    private static let what = "the attestation"
    private static let maximumLength = 1 << 16

    /// Reads and verifies an attestation.
    ///
    /// - Parameters:
    ///   - object: The attestation object (CBOR).
    ///   - keyID: What `generateKey` gave the app, decoded from base64.
    ///   - challenge: The bytes that the server gave out for this attestation, of which the app took SHA-256
    ///     as `clientDataHash`. That they are used once is the caller's to see to.
    ///   - apps: The apps that may be attested: the team's id and the bundle identifier, as in
    ///     `A1B2C3D4E5.org.example.sleep`.
    ///   - environments: Those in which an app may be.
    ///   - roots: Apple's root certificate for App Attest.
    ///   - now: The time at which the certificates have to be valid.
    /// - Throws: ``StudyError/notGenuine(what:reason:)``, or another `StudyError` when it is none.
    public init(
        _ object: Data,
        keyID: Data,
        challenge: Data,
        apps: Set<String>,
        environments: Set<Environment> = [.production],
        trusting roots: TrustAnchors,
        now: StudyTime = .now
    ) async throws(StudyError) {
        guard object.count <= Self.maximumLength else {
            throw .tooLarge(what: "the attestation has \(object.count) bytes", limit: Self.maximumLength)
        }
        let value = try CBORValue(object, of: Self.format)
        guard value["fmt"]?.string == "apple-appattest" else {
            throw .unsupported(format: Self.format, reason: "its format (fmt) is not apple-appattest")
        }
        guard let statement = value["attStmt"], let chain = statement["x5c"]?.elements?.compactMap(\.data),
            let receipt = statement["receipt"]?.data, let data = value["authData"]?.data
        else {
            throw .malformed(format: Self.format, reason: "x5c, receipt or authData is missing")
        }
        // 1: the chain.
        let certificates = try Self.certificates(chain)
        guard let certificate = certificates.first else {
            throw .malformed(format: Self.format, reason: "it has no certificate")
        }
        _ = try await roots.chain(
            from: certificate,
            through: Array(certificates.dropFirst()),
            at: now,
            of: Self.what
        )
        // 2 to 4: the nonce of challenge and data is in the certificate.
        let nonce = Data(SHA256.hash(data: data + Data(SHA256.hash(data: challenge))))
        guard try Self.nonce(of: certificate) == nonce else {
            throw .notGenuine(what: Self.what, reason: "it was not made for this challenge")
        }
        // 5: the key is the one that the app names.
        guard let key = P256.Signing.PublicKey(certificate.publicKey) else {
            throw .notGenuine(what: Self.what, reason: "its key is not one of P-256")
        }
        publicKey = key.x963Representation
        guard Data(SHA256.hash(data: publicKey)) == keyID else {
            throw .notGenuine(what: Self.what, reason: "it attests another key than the one that is named")
        }
        // 6 to 9: app, counter, environment, and the key once more.
        let authenticator = try AuthenticatorData(data, of: Self.format)
        guard
            let app = apps.first(where: {
                Data(SHA256.hash(data: Data($0.utf8))) == authenticator.relyingParty
            })
        else {
            throw .notGenuine(
                what: Self.what,
                reason: "it is of another app than " + apps.sorted().joined(separator: " or ")
            )
        }
        guard authenticator.counter == 0 else {
            throw .notGenuine(what: Self.what, reason: "the key was used before")
        }
        guard let credential = authenticator.credential,
            let environment = Environment.allCases.first(where: {
                $0.authenticator == credential.authenticator
            })
        else {
            throw .notGenuine(what: Self.what, reason: "it is not of App Attest’s kind of authenticator")
        }
        guard environments.contains(environment) else {
            throw .notGenuine(what: Self.what, reason: "the app is one in \(environment.rawValue)")
        }
        guard credential.id == keyID else {
            throw .notGenuine(what: Self.what, reason: "its credential has another id than the key")
        }
        self.keyID = keyID
        self.app = app
        self.environment = environment
        self.receipt = receipt
    }

    private static func certificates(_ chain: [Data]) throws(StudyError) -> [Certificate] {
        guard chain.count <= 5 else { throw .tooLarge(what: "the certificates (x5c)", limit: 5) }
        var certificates: [Certificate] = []
        for der in chain {
            do {
                certificates.append(try Certificate(derEncoded: [UInt8](der)))
            } catch {
                throw .malformed(format: format, reason: "a certificate of x5c: \(error)")
            }
        }
        return certificates
    }

    /// SEQUENCE { [1] EXPLICIT OCTET STRING }
    private static func nonce(of certificate: Certificate) throws(StudyError) -> Data {
        guard let found = certificate.extensions[oid: nonce] else {
            throw .notGenuine(what: what, reason: "its certificate has no nonce")
        }
        do {
            let parts = try ASN1Elements(DER.parse(found.value), "the nonce", of: format)
            return Data(try ASN1OctetString(derEncoded: parts.only(in: 0)).bytes)
        } catch {
            throw .malformed(format: format, reason: "the nonce of its certificate")
        }
    }
}
