import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import X509

/// A signed CMS message with its content (RFC 5652, 5: SignedData), in DER or BER: what PKCS#7 is called
/// today.
struct CMSSignedMessage {
    /// The content, whose signatures are not yet checked.
    let content: Data
    /// The certificates that came with it, in its order.
    let certificates: [Certificate]

    private let contentType: ASN1ObjectIdentifier
    private let signers: [Signer]

    private static let maximumLength = 1 << 20
    private static let maximumCertificates = 20
    private static let maximumSigners = 4

    fileprivate struct Signer {
        /// Issuer and serial number, or the key's identifier.
        enum Identifier {
            case issuer(DistinguishedName, serial: Certificate.SerialNumber)
            case key(Data)
        }

        let identifier: Identifier
        let digest: SignatureDigest
        /// The signed attributes as they are signed: as a SET.
        let attributes: ASN1Node?
        let signature: Data
    }

    /// - Throws: ``StudyError`` when it is not such a message, or has no content.
    init(_ data: Data) throws(StudyError) {
        guard data.count <= Self.maximumLength else {
            throw .tooLarge(what: "the signed message has \(data.count) bytes", limit: Self.maximumLength)
        }
        do {
            let info = try ASN1Elements(BER.parse([UInt8](data)), "ContentInfo")
            let type = try info.identifier(0)
            guard type == .signedData else {
                throw StudyError.unsupported(
                    format: "CMS message",
                    reason: "it is \(type.name), not SignedData"
                )
            }
            let signed = try ASN1Elements(info.only(in: 1), "SignedData")
            let encapsulated = try ASN1Elements(signed.node(2), "EncapsulatedContentInfo")
            contentType = try encapsulated.identifier(0)
            guard encapsulated.nodes.count > 1 else {
                throw StudyError.unsupported(format: "CMS message", reason: "its content is not in it")
            }
            content = try Data(ASN1OctetString(berEncoded: encapsulated.only(in: 1)).bytes)
            certificates = try Self.certificates(signed)
            signers = try Self.signers(signed)
        } catch let error as StudyError {
            throw error
        } catch let error as ASN1Error {
            throw .malformed(format: "signed CMS message", reason: "\(error.code)")
        } catch {
            throw .malformed(format: "signed CMS message", reason: "\(error)")
        }
    }

    private static func certificates(_ signed: ASN1Elements) throws -> [Certificate] {
        guard let set = signed.nodes.first(where: { $0.isContext(0) }) else { return [] }
        let nodes = try ASN1Elements(set, "the certificates").nodes
        guard nodes.count <= maximumCertificates else {
            throw StudyError.tooLarge(what: "the certificates of the message", limit: maximumCertificates)
        }
        // Others than X.509's have a tag of their own.
        return try nodes.filter { $0.identifier == .sequence }.map {
            try Certificate(derEncoded: [UInt8]($0.encodedBytes))
        }
    }

    private static func signers(_ signed: ASN1Elements) throws -> [Signer] {
        guard let last = signed.nodes.last, last.identifier == .set else {
            throw StudyError.malformed(format: "signed CMS message", reason: "no signers")
        }
        let nodes = try ASN1Elements(last, "the signers").nodes
        guard !nodes.isEmpty else {
            throw StudyError.notGenuine(what: "the signed message", reason: "nobody has signed it")
        }
        guard nodes.count <= maximumSigners else {
            throw StudyError.tooLarge(what: "the signers of the message", limit: maximumSigners)
        }
        return try nodes.map { try signer(ASN1Elements($0, "SignerInfo")) }
    }

    private static func signer(_ parts: ASN1Elements) throws -> Signer {
        let name = try parts.node(1)
        let identifier: Signer.Identifier
        if name.isContext(0) {
            identifier = .key(
                try Data(ASN1OctetString(derEncoded: name, withIdentifier: name.identifier).bytes)
            )
        } else {
            let issuer = try ASN1Elements(name, "IssuerAndSerialNumber")
            identifier = .issuer(
                try DistinguishedName(derEncoded: issuer.node(0)),
                serial: Certificate.SerialNumber(bytes: try ArraySlice(issuer.integer(1)))
            )
        }
        let digest = try SignatureDigest(ASN1Elements(parts.node(2), "the digest algorithm").identifier(0))
        let hasAttributes = try parts.node(3).isContext(0)
        let algorithm = hasAttributes ? 4 : 3
        // Its digest is the one named before, or is not named (RFC 3370, 3.2).
        _ = try ASN1Elements(parts.node(algorithm), "the signature algorithm").identifier(0)
        return Signer(
            identifier: identifier,
            digest: digest,
            attributes: hasAttributes ? try parts.node(3) : nil,
            signature: try Data(ASN1OctetString(berEncoded: parts.node(algorithm + 1)).bytes)
        )
    }

    /// The certificate whose key signed the content; all signatures are checked, and the first signer is
    /// returned. Whether the certificate is to be trusted is another question: ``TrustAnchors``.
    ///
    /// - Parameter allowsSHA1: Whether a signature over a digest by SHA-1 counts.
    /// - Throws: ``StudyError/notGenuine(what:reason:)``.
    func verifiedSigner(allowsSHA1: Bool) throws(StudyError) -> Certificate {
        var first: Certificate?
        for signer in signers {
            guard let certificate = certificates.first(where: { signer.identifier.names($0) }) else {
                throw .notGenuine(
                    what: "the signed message",
                    reason: "the certificate of its signer is not in it"
                )
            }
            guard signer.digest != .sha1 || allowsSHA1 else {
                throw .notGenuine(what: "the signed message", reason: "its signature is over SHA-1")
            }
            guard try isSigned(by: signer, certificate) else {
                throw .notGenuine(
                    what: "the signed message",
                    reason: "its signature is not one of “\(certificate.subject)”, or bytes were changed"
                )
            }
            first = first ?? certificate
        }
        guard let first else {
            throw .notGenuine(what: "the signed message", reason: "nobody has signed it")
        }
        return first
    }

    private func isSigned(by signer: Signer, _ certificate: Certificate) throws(StudyError) -> Bool {
        guard let attributes = signer.attributes else {
            return signer.digest.isSignature(signer.signature, of: content, by: certificate.publicKey)
        }
        do {
            var type: ASN1ObjectIdentifier?
            var digest: Data?
            for attribute in try ASN1Elements(attributes, "the signed attributes").nodes {
                let parts = try ASN1Elements(attribute, "an attribute")
                switch try parts.identifier(0) {
                case .contentType where type == nil:
                    type = try ASN1ObjectIdentifier(derEncoded: parts.only(in: 1))
                case .messageDigest where digest == nil:
                    digest = try Data(ASN1OctetString(derEncoded: parts.only(in: 1)).bytes)
                // Each is there once (RFC 5652, 11.1 and 11.2).
                case .contentType, .messageDigest: return false
                default: break
                }
            }
            guard type == contentType, digest == signer.digest.hash(content) else { return false }
        } catch {
            throw .malformed(format: "signed CMS message", reason: "its signed attributes")
        }
        // Signed is the SET, in the message its tag is [0] (RFC 5652, 5.4).
        var signed = Data(attributes.encodedBytes)
        signed[signed.startIndex] = 0x31
        return signer.digest.isSignature(signer.signature, of: signed, by: certificate.publicKey)
    }
}

extension CMSSignedMessage.Signer.Identifier {
    fileprivate func names(_ certificate: Certificate) -> Bool {
        switch self {
        case .issuer(let name, let serial):
            certificate.issuer == name && certificate.serialNumber == serial
        case .key(let identifier):
            (try? certificate.extensions.subjectKeyIdentifier)??.keyIdentifier.elementsEqual(identifier)
                ?? false
        }
    }
}

/// The digest that a signature is made over.
enum SignatureDigest: Sendable {
    case sha1, sha256, sha384, sha512

    init(_ identifier: ASN1ObjectIdentifier) throws(StudyError) {
        switch identifier {
        case .sha1: self = .sha1
        case .sha256: self = .sha256
        case .sha384: self = .sha384
        case .sha512: self = .sha512
        default:
            throw .unsupported(format: "signed CMS message", reason: "its digest is \(identifier.name)")
        }
    }

    func hash(_ data: Data) -> Data {
        switch self {
        case .sha1: Data(Insecure.SHA1.hash(data: data))
        case .sha256: Data(SHA256.hash(data: data))
        case .sha384: Data(SHA384.hash(data: data))
        case .sha512: Data(SHA512.hash(data: data))
        }
    }

    /// Whether it is a signature of a key of RSA (PKCS#1 version 1.5), P-256 or P-384 over the data's digest.
    func isSignature(_ signature: Data, of data: Data, by key: Certificate.PublicKey) -> Bool {
        switch self {
        case .sha1: Self.isSignature(signature, over: Insecure.SHA1.hash(data: data), by: key)
        case .sha256: Self.isSignature(signature, over: SHA256.hash(data: data), by: key)
        case .sha384: Self.isSignature(signature, over: SHA384.hash(data: data), by: key)
        case .sha512: Self.isSignature(signature, over: SHA512.hash(data: data), by: key)
        }
    }

    private static func isSignature(
        _ signature: Data,
        over digest: some Digest,
        by key: Certificate.PublicKey
    ) -> Bool {
        if let key = _RSA.Signing.PublicKey(key) {
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5)
        }
        if let key = P256.Signing.PublicKey(key) {
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else {
                return false
            }
            return key.isValidSignature(signature, for: digest)
        }
        if let key = P384.Signing.PublicKey(key) {
            guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) else {
                return false
            }
            return key.isValidSignature(signature, for: digest)
        }
        return false
    }
}
