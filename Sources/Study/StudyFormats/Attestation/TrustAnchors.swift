import Foundation
import SwiftASN1
// To check chains at another time than now.
@_spi(FixedExpiryValidationTime) import X509

/// The certificates of authorities that are trusted, such as Apple's roots.
///
/// Apple publishes its own at `https://www.apple.com/certificateauthority/`: receipts end at “Apple Root CA”,
/// App Attest at “Apple App Attestation Root CA”. They are not part of this package.
public struct TrustAnchors: Sendable {
    private let certificates: [Certificate]

    private static let maximumFileSize = 1 << 20

    /// Reads the certificates of a file: one in DER, or any number in PEM.
    ///
    /// - Throws: ``StudyError`` for a file without certificates.
    public init(_ file: Data) throws(StudyError) {
        guard file.count <= Self.maximumFileSize else {
            throw .tooLarge(what: "a file of certificates", limit: Self.maximumFileSize)
        }
        do {
            if file.first == 0x30 {
                certificates = [try Certificate(derEncoded: [UInt8](file))]
            } else {
                let text = String(decoding: file, as: UTF8.self)
                certificates = try PEMDocument.parseMultiple(pemString: text)
                    .filter { $0.discriminator == "CERTIFICATE" }
                    .map { try Certificate(derEncoded: $0.derBytes) }
            }
        } catch {
            throw .malformed(format: "certificate", reason: "\(error)")
        }
        guard !certificates.isEmpty else {
            throw .malformed(format: "certificate", reason: "the file has no block CERTIFICATE")
        }
    }

    init(_ certificates: [Certificate]) { self.certificates = certificates }

    /// Subjects of the certificates.
    public var subjects: [String] { certificates.map { "\($0.subject)" } }

    /// The chain that leads from a certificate to one of these (RFC 5280, 6), these included.
    ///
    /// - Parameters:
    ///   - what: What is being checked, for errors.
    ///   - allowsSHA1: Whether certificates below the root may be signed over SHA-1.
    /// - Throws: ``StudyError/notGenuine(what:reason:)``.
    func chain(
        from leaf: Certificate,
        through intermediates: [Certificate],
        at time: StudyTime,
        of what: String,
        allowsSHA1: Bool = false
    ) async throws(StudyError) -> [Certificate] {
        var verifier = Verifier(rootCertificates: CertificateStore(certificates)) {
            RFC5280Policy(fixedExpiryValidationTime: time.date)
        }
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(intermediates))
        switch result {
        case .validCertificate(let chain):
            guard
                allowsSHA1 || chain.dropLast().allSatisfy({ $0.signatureAlgorithm != .sha1WithRSAEncryption })
            else {
                throw .notGenuine(what: what, reason: "a certificate of its chain is signed over SHA-1")
            }
            return Array(chain)
        case .couldNotValidate(let failures):
            throw .notGenuine(
                what: what,
                reason: "no chain that is valid at \(time) leads from “\(leaf.subject)” to a trusted root"
                    + failures.prefix(3).map { "; \($0.policyFailureReason)" }.joined()
            )
        }
    }
}
