import Crypto
import Foundation

/// A request that an app signed with a key of App Attest (`DCAppAttestService.generateAssertion`).
public struct AppAssertion: Sendable, Hashable {
    /// How often the key was used, this time included: to be stored, since the next one has to be larger.
    public let counter: UInt32

    private static let format = "App Attest assertion"
    private static let what = "the assertion"
    private static let maximumLength = 4_096

    /// Reads and verifies an assertion.
    ///
    /// - Parameters:
    ///   - assertion: The assertion (CBOR).
    ///   - clientData: The bytes of which the app took SHA-256 as `clientDataHash`, with a challenge of the
    ///     server's among them, which is the caller's to compare.
    ///   - publicKey: ``AppAttestation/publicKey``.
    ///   - app: ``AppAttestation/app``.
    ///   - last: The counter of the assertion before; 0 at first.
    /// - Throws: ``StudyError/notGenuine(what:reason:)``, or another `StudyError` when it is none.
    public init(
        _ assertion: Data,
        clientData: Data,
        publicKey: Data,
        app: String,
        after last: UInt32
    ) throws(StudyError) {
        guard assertion.count <= Self.maximumLength else {
            throw .tooLarge(what: "the assertion has \(assertion.count) bytes", limit: Self.maximumLength)
        }
        let value = try CBORValue(assertion, of: Self.format)
        guard let signature = value["signature"]?.data, let data = value["authenticatorData"]?.data else {
            throw .malformed(
                format: Self.format,
                reason: "signature or authenticatorData is missing"
            )
        }
        let key: P256.Signing.PublicKey
        do {
            key = try P256.Signing.PublicKey(x963Representation: publicKey)
        } catch {
            throw .unusableKey(reason: "it is no point of P-256 (X9.63)")
        }
        // What is signed is the digest of the nonce, which is a digest itself.
        let nonce = Data(SHA256.hash(data: data + Data(SHA256.hash(data: clientData))))
        guard let read = try? P256.Signing.ECDSASignature(derRepresentation: signature),
            key.isValidSignature(read, for: nonce)
        else {
            throw .notGenuine(what: Self.what, reason: "its signature is not the key’s over this request")
        }
        let authenticator = try AuthenticatorData(data, of: Self.format)
        guard authenticator.relyingParty == Data(SHA256.hash(data: Data(app.utf8))) else {
            throw .notGenuine(what: Self.what, reason: "it is of another app than \(app)")
        }
        guard authenticator.counter > last else {
            throw .notGenuine(
                what: Self.what,
                reason: "its counter, \(authenticator.counter), is not above \(last): it was shown before"
            )
        }
        counter = authenticator.counter
    }
}
