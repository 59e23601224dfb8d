import Crypto
import CryptoExtras
import Foundation
import IndivoBase
import SwiftASN1
// To check chains at another time than now.
@_spi(FixedExpiryValidationTime) import X509

/// A certificate (X.509) of a study: whoever holds its private key can read what is encrypted for it.
public struct StudyCertificate: Sendable, Hashable {
    /// As it is in its file.
    public let der: Data
    let certificate: Certificate
    /// Issuer and serial number, byte for byte.
    let issuerAndSerial: Data
    let publicKey: Data

    /// Keys shorter than this are not used.
    public static let minimumKeyBits = 2048
    private static let maximumFileSize = 1 << 20

    /// Reads one certificate, DER or PEM; of several in a file the first.
    public init(_ file: Data) throws(StudyError) {
        guard let first = try Self.all(in: file).first else {
            throw .malformed(format: "certificate", reason: "the file has no block CERTIFICATE")
        }
        self = first
    }

    /// Reads the certificates of a file: one in DER, or a chain in PEM.
    public static func all(in file: Data) throws(StudyError) -> [StudyCertificate] {
        guard file.count <= maximumFileSize else {
            throw .tooLarge(what: "a file of certificates", limit: maximumFileSize)
        }
        if file.first == 0x30 { return [try StudyCertificate(der: file)] }
        let documents: [PEMDocument]
        do {
            documents = try PEMDocument.parseMultiple(pemString: String(decoding: file, as: UTF8.self))
        } catch {
            throw .malformed(format: "certificate", reason: "it is neither PEM nor DER")
        }
        var all: [StudyCertificate] = []
        for document in documents where document.discriminator == "CERTIFICATE" {
            all.append(try StudyCertificate(der: Data(document.derBytes)))
        }
        return all
    }

    /// Reads one certificate in DER.
    public init(der: Data) throws(StudyError) {
        do {
            certificate = try Certificate(derEncoded: [UInt8](der))
            issuerAndSerial = try Self.issuerAndSerial(DER.parse([UInt8](der)))
        } catch let error as StudyError {
            throw error
        } catch CryptoKitError.incorrectParameterSize {
            // The libraries refuse to read it.
            throw .unusableCertificate(
                subject: Self.subject(der),
                reason: "its key has fewer than \(Self.minimumKeyBits) bits"
            )
        } catch {
            throw .malformed(format: "certificate", reason: "\(error)")
        }
        guard let key = _RSA.Signing.PublicKey(certificate.publicKey) else {
            throw .unusableCertificate(subject: "\(certificate.subject)", reason: "its key is not one of RSA")
        }
        publicKey = key.derRepresentation
        self.der = der
    }

    /// The subject of a certificate that the libraries do not read.
    private static func subject(_ der: Data) -> String {
        guard let node = try? DER.parse([UInt8](der)), case .constructed(let parts) = node.content,
            let body = parts.first(where: { _ in true }), case .constructed(let fields) = body.content
        else { return "?" }
        // A certificate of version 3 has version, serial number, algorithm, issuer and validity before the
        // subject.
        let subject = fields.dropFirst(5).first { _ in true }
        return subject.flatMap { try? DistinguishedName(derEncoded: $0) }.map { "\($0)".shown() } ?? "?"
    }

    private static func issuerAndSerial(_ node: ASN1Node) throws -> Data {
        guard case .constructed(let parts) = node.content, let body = parts.first(where: { _ in true }),
            case .constructed(let fields) = body.content
        else { throw StudyError.malformed(format: "certificate", reason: "no TBSCertificate") }
        var iterator = fields.makeIterator()
        var serial = iterator.next()
        if serial?.identifier.tagClass == .contextSpecific { serial = iterator.next() }
        _ = iterator.next()
        guard let serial, let issuer = iterator.next() else {
            throw StudyError.malformed(format: "certificate", reason: "no issuer")
        }
        return DERBytes.sequence(Data(issuer.encodedBytes), Data(serial.encodedBytes))
    }

    // MARK: What it says

    /// The subject, as in `CN=Study 7,O=Example Hospital`.
    public var subject: String { "\(certificate.subject)" }
    /// Who signed it.
    public var issuer: String { "\(certificate.issuer)" }
    /// Its serial number, in hexadecimal digits.
    public var serialNumber: String { Hexadecimal.encode(certificate.serialNumber.bytes) }
    /// From when on it is valid.
    public var notBefore: StudyTime { StudyTime(certificate.notValidBefore) }
    /// Until when it is valid.
    public var notAfter: StudyTime { StudyTime(certificate.notValidAfter) }
    /// The length of its key.
    public var keyBits: Int {
        (try? _RSA.Encryption.PublicKey(unsafeDERRepresentation: publicKey).keySizeInBits) ?? 0
    }
    /// SHA-256 of its bytes, in hexadecimal digits.
    public var fingerprint: String { Hexadecimal.encode(SHA256.hash(data: der)) }

    public var pem: String { PEMDocument(type: "CERTIFICATE", derBytes: [UInt8](der)).pemString + "\n" }

    /// A reason not to encrypt for a certificate.
    public enum Problem: Sendable, Hashable, CustomStringConvertible {
        /// It is valid from then on only.
        case notYetValid(StudyTime)
        /// It was valid until then only.
        case expired(StudyTime)
        /// Its key is not for encrypting other keys.
        case wrongKeyUse
        /// Its key is shorter than ``StudyCertificate/minimumKeyBits``.
        case shortKey(bits: Int)

        public var description: String {
            switch self {
            case .notYetValid(let time): "it is not valid before \(time)"
            case .expired(let time): "it expired at \(time)"
            case .wrongKeyUse: "its key usage does not include key encipherment"
            case .shortKey(let bits):
                "its key has \(bits) bits, fewer than \(StudyCertificate.minimumKeyBits)"
            }
        }
    }

    /// The reasons not to encrypt for it at a time.
    public func problems(at time: StudyTime = .now) -> [Problem] {
        var problems: [Problem] = []
        if time < notBefore { problems.append(.notYetValid(notBefore)) }
        if time > notAfter { problems.append(.expired(notAfter)) }
        // Without the extension a key is for everything (RFC 5280, 4.2.1.3); one that cannot be read is for
        // nothing.
        let usage = Result { try certificate.extensions.keyUsage }
        switch usage {
        case .success(let usage?) where !usage.keyEncipherment: problems.append(.wrongKeyUse)
        case .failure: problems.append(.wrongKeyUse)
        default: break
        }
        if keyBits < Self.minimumKeyBits { problems.append(.shortKey(bits: keyBits)) }
        return problems
    }

    /// Checks that a chain leads from this certificate to one of those that are trusted.
    ///
    /// - Throws: ``StudyError/unusableCertificate(subject:reason:)``.
    public func verify(
        through intermediates: [StudyCertificate],
        trusting roots: [StudyCertificate],
        at time: StudyTime = .now
    ) async throws(StudyError) {
        // A study's certificate signed by itself is trusted as such; it is not an authority for others.
        if roots.contains(self) {
            let problems = problems(at: time)
            guard problems.isEmpty else {
                throw .unusableCertificate(
                    subject: subject,
                    reason: problems.map(\.description).joined(separator: "; ")
                )
            }
            return
        }
        var verifier = Verifier(rootCertificates: CertificateStore(roots.map(\.certificate))) {
            RFC5280Policy(fixedExpiryValidationTime: time.date)
        }
        let result = await verifier.validate(
            leaf: certificate,
            intermediates: CertificateStore(intermediates.map(\.certificate))
        )
        guard case .couldNotValidate(let failures) = result else { return }
        throw .unusableCertificate(
            subject: subject,
            reason: "no valid chain leads to a trusted certificate"
                + failures.prefix(3).map { "; \($0.policyFailureReason)" }.joined()
        )
    }

    /// Encrypts a content's key.
    func wrap(_ key: Data, by transport: CMSKeyTransport) throws -> Data {
        try Self.wrap(key, for: publicKey, by: transport)
    }

    static func wrap(_ key: Data, for publicKey: Data, by transport: CMSKeyTransport) throws -> Data {
        try _RSA.Encryption.PublicKey(unsafeDERRepresentation: publicKey).encrypt(
            key,
            padding: transport.padding
        )
    }
}

extension CMSKeyTransport {
    var padding: _RSA.Encryption.Padding {
        switch self {
        case .pkcs1: ._WEAK_AND_INSECURE_PKCS_V1_5
        case .oaepSHA1: .PKCS1_OAEP
        case .oaepSHA256: .PKCS1_OAEP_SHA256
        }
    }
}
