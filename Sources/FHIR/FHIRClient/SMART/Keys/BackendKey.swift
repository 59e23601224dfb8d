#if SMART
import Crypto
import CryptoExtras
import Foundation
import IndivoBase
import OrderedJSON

/// The private key of a client of SMART backend services, for RS384 or ES384 (SMART App Launch 2.1, "Client
/// Authentication: Asymmetric").
///
/// ```swift
/// let key = try BackendKey(contentsOf: URL(filePath: "uploader.pem"))
/// let credentials = try ClientCredentials(
///     tokenURL: tokenURL, scope: "system/Observation.write",
///     authentication: .assertion(ClientAssertion(clientID: "uploader", keyID: "key-1", key: key)))
/// ```
/// The server knows the key by its public part, ``publicJWK(id:)``.
public struct BackendKey: Sendable {
    private enum Key: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
    }

    /// The longest file that is read; a key of 16,384 bits has about 13 kB.
    private static let fileLimit = 64 << 10

    private let key: Key

    /// Reads a private key in PEM: PKCS #8, PKCS #1 (`RSA PRIVATE KEY`) or SEC 1 (`EC PRIVATE KEY`), not
    /// encrypted.
    ///
    /// - Throws: ``BackendKeyError``, without anything of the text.
    public init(pem: Secret) throws(BackendKeyError) {
        let text = pem.reveal()
        guard let type = Self.type(of: text) else { throw .notPEM }
        guard type != "ENCRYPTED PRIVATE KEY", !text.contains("Proc-Type: 4,ENCRYPTED") else {
            throw .encrypted
        }
        if type != "RSA PRIVATE KEY", let key = try? P384.Signing.PrivateKey(pemRepresentation: text) {
            self.key = .p384(key)
        } else if type != "EC PRIVATE KEY",
            let key = try? _RSA.Signing.PrivateKey(unsafePEMRepresentation: text)
        {
            guard key.keySizeInBits >= 2048 else { throw .tooShort(bits: key.keySizeInBits) }
            self.key = .rsa(key)
        } else {
            throw .unsupported(type: type)
        }
    }

    /// Reads a private key from a file in PEM that only its owner can read.
    ///
    /// - Throws: ``BackendKeyError``.
    public init(contentsOf file: URL) throws(BackendKeyError) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
            let mode = attributes[.posixPermissions] as? Int, let size = attributes[.size] as? Int
        else { throw .unreadable }
        guard mode & 0o077 == 0 else { throw .readableByOthers }
        guard size <= Self.fileLimit, let data = try? Data(contentsOf: file),
            let text = String(data: data, encoding: .utf8)
        else { throw .unreadable }
        try self.init(pem: Secret(text))
    }

    /// How the key signs.
    public var algorithm: ClientAssertion.Algorithm {
        switch key {
        case .rsa: .rs384
        case .p384: .es384
        }
    }

    /// The signature of a message as JWTs have it: of RSA the number, of ECDSA R and S, 48 bytes each.
    public func signature(for message: Data) throws -> Data {
        switch key {
        case .rsa(let key):
            // The padding that RFC 7518 prescribes for RS384; its name warns of encryption with it, which
            // this is not.
            try key.signature(for: SHA384.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation
        case .p384(let key): try key.signature(for: message).rawRepresentation
        }
    }

    /// The public key in PEM (SubjectPublicKeyInfo).
    public var publicPEM: String {
        switch key {
        case .rsa(let key): key.publicKey.pemRepresentation
        case .p384(let key): key.publicKey.pemRepresentation
        }
    }

    /// The public key as a JSON Web Key (RFC 7517), as a client registers it.
    ///
    /// - Parameter id: The key's id, which assertions name.
    public func publicJWK(id: String) throws -> JSONValue {
        var jwk: JSONValue = [
            "kid": JSONValue(id), "alg": JSONValue(algorithm.rawValue), "use": "sig", "key_ops": ["verify"],
        ]
        switch key {
        case .rsa(let key):
            let numbers = try key.publicKey.getKeyPrimitives()
            jwk["kty"] = "RSA"
            jwk["n"] = JSONValue(Base64URL.encode(numbers.modulus))
            jwk["e"] = JSONValue(Base64URL.encode(numbers.publicExponent))
        case .p384(let key):
            let point = key.publicKey.rawRepresentation
            jwk["kty"] = "EC"
            jwk["crv"] = "P-384"
            jwk["x"] = JSONValue(Base64URL.encode(point.prefix(48)))
            jwk["y"] = JSONValue(Base64URL.encode(point.suffix(48)))
        }
        return jwk
    }

    /// What the text's first encapsulation boundary names (RFC 7468).
    private static func type(of text: String) -> String? {
        guard let begin = text.range(of: "-----BEGIN "),
            let end = text[begin.upperBound...].range(of: "-----")
        else {
            return nil
        }
        let type = text[begin.upperBound..<end.lowerBound]
        let isType =
            (1...40).contains(type.utf8.count)
            && type.utf8.allSatisfy { $0 == 0x20 || (0x41...0x5A).contains($0) }
        return isType ? String(type) : nil
    }
}
#endif
