#if SMART
import Crypto
import CryptoExtras
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON

/// How a JSON Web Signature is made (RFC 7518, section 3.1): the algorithms of SMART and OpenID Connect.
package enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256, and with SHA-384.
    case rs256 = "RS256"
    case rs384 = "RS384"
    /// ECDSA with P-256 and SHA-256, and with P-384 and SHA-384; the signature is R and S.
    case es256 = "ES256"
    case es384 = "ES384"
}

/// A public key of a JSON Web Key set (RFC 7517; RFC 7518, section 6).
package struct PublicKey: Sendable {
    private enum Key: Sendable {
        case rsa(_RSA.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
    }

    /// What signatures name it by.
    package let id: String?
    /// The only algorithm that it is for; nil for those of its kind.
    package let algorithm: String?
    private let key: Key

    /// The longest modulus that is used: 8192 bits. Verifying with longer ones takes a processor seconds.
    private static let maximumModulus = 1024
    /// The longest exponent, in bytes; nearly all keys have 65537. Long ones make verifying slow.
    private static let maximumExponent = 4

    /// `nil` for a key of another kind or curve, for encryption, of a bad size, and for a damaged one.
    package init?(_ jwk: JSONValue) {
        guard jwk["use"].map({ $0.isString("sig") }) ?? true else { return nil }
        func number(_ name: String) -> Data? { jwk[name]?.string.flatMap { Base64URL.decode($0) } }
        switch (jwk["kty"]?.string, jwk["crv"]?.string) {
        case ("RSA", _):
            guard let n = number("n"), let e = number("e"), (256...Self.maximumModulus).contains(n.count),
                (1...Self.maximumExponent).contains(e.count),
                let key = try? _RSA.Signing.PublicKey(n: n, e: e)
            else { return nil }
            self.key = .rsa(key)
        case ("EC", "P-256"):
            guard let x = number("x"), let y = number("y"), x.count == 32, y.count == 32,
                let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
            else { return nil }
            self.key = .p256(key)
        case ("EC", "P-384"):
            guard let x = number("x"), let y = number("y"), x.count == 48, y.count == 48,
                let key = try? P384.Signing.PublicKey(rawRepresentation: x + y)
            else { return nil }
            self.key = .p384(key)
        default: return nil
        }
        id = jwk["kid"]?.string
        algorithm = jwk["alg"]?.string
    }

    /// Whether it can verify signatures of an algorithm.
    package func isFor(_ algorithm: SignatureAlgorithm) -> Bool {
        guard self.algorithm == nil || self.algorithm == algorithm.rawValue else { return false }
        return switch (key, algorithm) {
        case (.rsa, .rs256), (.rsa, .rs384), (.p256, .es256), (.p384, .es384): true
        default: false
        }
    }

    /// Whether the signature is the key's.
    package func verifies(_ jws: JWS, by algorithm: SignatureAlgorithm) -> Bool {
        guard isFor(algorithm) else { return false }
        let input = jws.signingInput
        switch key {
        case .rsa(let key):
            // The padding of RS256 and RS384; its name warns of encryption with it, which this is not.
            let signature = _RSA.Signing.RSASignature(rawRepresentation: jws.signature)
            return algorithm == .rs256
                ? key.isValidSignature(
                    signature,
                    for: SHA256.hash(data: input),
                    padding: .insecurePKCS1v1_5
                )
                : key.isValidSignature(
                    signature,
                    for: SHA384.hash(data: input),
                    padding: .insecurePKCS1v1_5
                )
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature) else {
                return false
            }
            return key.isValidSignature(signature, for: input)
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: jws.signature) else {
                return false
            }
            return key.isValidSignature(signature, for: input)
        }
    }
}
#endif
