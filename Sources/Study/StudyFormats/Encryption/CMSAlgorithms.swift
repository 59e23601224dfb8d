import Foundation
import SwiftASN1

/// How the content of a CMS message is encrypted.
public enum CMSCipher: String, Sendable, Hashable, CaseIterable {
    /// AES in CBC mode, as ResearchKit's first uploader used it. It is not authenticated: changes are not
    /// detected.
    case aes128CBC = "aes-128-cbc"
    /// The same with a longer key.
    case aes192CBC = "aes-192-cbc"
    /// The same with the longest key.
    case aes256CBC = "aes-256-cbc"
    /// AES in Galois counter mode (RFC 5084), which detects changes. For new studies. It encrypts content
    /// of up to ``maximumAuthenticatedLength`` bytes, and ``withoutAuthentication`` what is larger.
    case aes128GCM = "aes-128-gcm"
    /// The same with a longer key.
    case aes192GCM = "aes-192-gcm"
    /// The same with the longest key.
    case aes256GCM = "aes-256-gcm"

    /// Whether changes of the message are detected.
    public var isAuthenticated: Bool { self == .aes128GCM || self == .aes192GCM || self == .aes256GCM }

    /// The largest content in bytes, 64 MiB, that is encrypted or decrypted by a cipher with authentication:
    /// such a content is in memory as a whole, about three times for a moment.
    public static let maximumAuthenticatedLength = 64 << 20

    /// The cipher in CBC mode with keys of the same length. It encrypts content of any size in constant
    /// memory; changes are not detected.
    public var withoutAuthentication: CMSCipher {
        switch self {
        case .aes128CBC, .aes128GCM: .aes128CBC
        case .aes192CBC, .aes192GCM: .aes192CBC
        case .aes256CBC, .aes256GCM: .aes256CBC
        }
    }

    /// The length in bytes of the nonce and of the tag that are written with authentication (RFC 5084, 3.2).
    static let nonceLength = 12
    static let tagLength = 16

    /// The length of its keys in bytes.
    var keyLength: Int {
        switch self {
        case .aes128CBC, .aes128GCM: 16
        case .aes192CBC, .aes192GCM: 24
        case .aes256CBC, .aes256GCM: 32
        }
    }

    var identifier: ASN1ObjectIdentifier {
        let last: UInt =
            switch self {
            case .aes128CBC: 2
            case .aes192CBC: 22
            case .aes256CBC: 42
            case .aes128GCM: 6
            case .aes192GCM: 26
            case .aes256GCM: 46
            }
        return [2, 16, 840, 1, 101, 3, 4, 1, last]
    }

    /// Its AlgorithmIdentifier.
    func algorithm(iv: Data) -> Data {
        isAuthenticated
            ? DERBytes.sequence(
                DERBytes.identifier(identifier),
                DERBytes.sequence(
                    DERBytes.octets(iv),
                    DERBytes.integer(UInt8(Self.tagLength))
                )
            )
            : DERBytes.sequence(DERBytes.identifier(identifier), DERBytes.octets(iv))
    }

    /// Reads an AlgorithmIdentifier.
    static func read(_ node: ASN1Node) throws -> (cipher: CMSCipher, iv: Data, tagLength: Int) {
        try DER.sequence(node, identifier: .sequence) { nodes in
            let identifier = try ASN1ObjectIdentifier(derEncoded: &nodes)
            guard let cipher = allCases.first(where: { $0.identifier == identifier }) else {
                throw StudyError.unsupported(
                    format: "CMS message",
                    reason: "its content is encrypted by \(identifier.name)"
                )
            }
            guard cipher.isAuthenticated else {
                let iv = try ASN1OctetString(derEncoded: &nodes)
                guard iv.bytes.count == 16 else {
                    throw StudyError.malformed(
                        format: "CMS message",
                        reason: "an initial vector of \(iv.bytes.count) bytes"
                    )
                }
                return (cipher, Data(iv.bytes), 0)
            }
            guard let parameters = nodes.next() else {
                throw StudyError.malformed(
                    format: "CMS message",
                    reason: "a cipher without parameters"
                )
            }
            return try DER.sequence(parameters, identifier: .sequence) { nodes in
                let nonce = try ASN1OctetString(derEncoded: &nodes)
                let length: Int = try nodes.next().map { try Int(derEncoded: $0) } ?? 12
                guard nonce.bytes.count == Self.nonceLength else {
                    throw StudyError.unsupported(
                        format: "CMS message",
                        reason: "its nonce has \(nonce.bytes.count) bytes in place of 12"
                    )
                }
                guard (12...16).contains(length) else {
                    throw StudyError.malformed(
                        format: "CMS message",
                        reason: "an authentication tag of \(length) bytes"
                    )
                }
                return (cipher, Data(nonce.bytes), length)
            }
        }
    }
}

/// How the content's key is encrypted for a recipient, with RSA.
public enum CMSKeyTransport: String, Sendable, Hashable, CaseIterable {
    /// PKCS#1 version 1.5, which ResearchKit's servers expect.
    case pkcs1 = "rsa-pkcs1"
    /// OAEP with SHA-1.
    case oaepSHA1 = "rsa-oaep-sha1"
    /// OAEP with SHA-256. For new studies.
    case oaepSHA256 = "rsa-oaep-sha256"

    /// Its AlgorithmIdentifier (RFC 3370, 4.2.1; RFC 4055, 4.1).
    var algorithm: Data {
        switch self {
        case .pkcs1: return DERBytes.sequence(DERBytes.identifier(.rsa), DERBytes.null)
        case .oaepSHA1: return DERBytes.sequence(DERBytes.identifier(.rsaOAEP), DERBytes.sequence())
        case .oaepSHA256:
            let hash = DERBytes.sequence(DERBytes.identifier(.sha256), DERBytes.null)
            let mask = DERBytes.sequence(DERBytes.identifier(.maskGeneration), hash)
            return DERBytes.sequence(
                DERBytes.identifier(.rsaOAEP),
                DERBytes.sequence(DERBytes.element(0xA0, hash), DERBytes.element(0xA1, mask))
            )
        }
    }

    /// Reads an AlgorithmIdentifier.
    static func read(_ node: ASN1Node) throws -> CMSKeyTransport {
        try DER.sequence(node, identifier: .sequence) { nodes in
            let identifier = try ASN1ObjectIdentifier(derEncoded: &nodes)
            let parameters = nodes.next()
            switch identifier {
            case .rsa: return .pkcs1
            case .rsaOAEP: return try parameters.map { try oaep($0) } ?? .oaepSHA1
            default:
                throw StudyError.unsupported(
                    format: "CMS message",
                    reason: "its key is encrypted by \(identifier.name)"
                )
            }
        }
    }

    private static func oaep(_ node: ASN1Node) throws -> CMSKeyTransport {
        func hash(_ node: ASN1Node) throws -> ASN1ObjectIdentifier {
            try DER.sequence(node, identifier: .sequence) { nodes in
                let identifier = try ASN1ObjectIdentifier(derEncoded: &nodes)
                _ = nodes.next()
                return identifier
            }
        }
        return try DER.sequence(node, identifier: .sequence) { nodes in
            var digest = ASN1ObjectIdentifier.sha1
            var mask = ASN1ObjectIdentifier.sha1
            while let node = nodes.next() {
                guard case .constructed(let children) = node.content,
                    let child = children.first(where: { _ in true })
                else {
                    throw StudyError.malformed(
                        format: "CMS message",
                        reason: "its OAEP parameters"
                    )
                }
                switch node.identifier.tagNumber {
                case 0: digest = try hash(child)
                case 1:
                    mask = try DER.sequence(child, identifier: .sequence) { nodes in
                        guard try ASN1ObjectIdentifier(derEncoded: &nodes) == .maskGeneration,
                            let function = nodes.next()
                        else {
                            throw StudyError.unsupported(
                                format: "CMS message",
                                reason: "its OAEP mask is not MGF1"
                            )
                        }
                        return try hash(function)
                    }
                default:
                    throw StudyError.unsupported(
                        format: "CMS message",
                        reason: "its OAEP padding has a label"
                    )
                }
            }
            switch (digest, mask) {
            case (.sha1, .sha1): return .oaepSHA1
            case (.sha256, .sha256): return .oaepSHA256
            default:
                throw StudyError.unsupported(
                    format: "CMS message",
                    reason: "its OAEP padding is of \(digest.name) and MGF1 with \(mask.name)"
                )
            }
        }
    }
}
