import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import X509

/// An authority that stands for Apple's: a root and an intermediate one.
public struct TestAuthority: Sendable {
    let root: Certificate
    let intermediate: Certificate
    private let key: P256.Signing.PrivateKey

    public static let apple = made(isDeveloperAuthority: true)
    /// One that nobody trusts.
    public static let other = made(isDeveloperAuthority: true)

    private static func made(isDeveloperAuthority: Bool) -> TestAuthority {
        do { return try TestAuthority(isDeveloperAuthority: isDeveloperAuthority) } catch {
            fatalError("\(error)")
        }
    }

    static func date(_ text: String) -> Date {
        // Tests name times that can be read.
        do { return try Date(text, strategy: .iso8601) } catch { fatalError("\(error)") }
    }

    /// - Parameter isDeveloperAuthority: Whether the intermediate certificate has Apple's mark.
    public init(isDeveloperAuthority: Bool) throws {
        let rootKey = P256.Signing.PrivateKey()
        key = P256.Signing.PrivateKey()
        let rootName = try DistinguishedName { CommonName("Test Root CA") }
        let name = try DistinguishedName { CommonName("Test Developer Relations") }
        func authority(
            _ subject: DistinguishedName,
            _ publicKey: P256.Signing.PublicKey,
            _ more: [Certificate.Extension]
        ) throws -> Certificate {
            var extensions = try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            }
            for one in more { try extensions.append(one) }
            return try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(publicKey),
                notValidBefore: Self.date("2020-01-01T00:00:00Z"),
                notValidAfter: Self.date("2040-01-01T00:00:00Z"),
                issuer: rootName,
                subject: subject,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: extensions,
                issuerPrivateKey: Certificate.PrivateKey(rootKey)
            )
        }
        root = try authority(rootName, rootKey.publicKey, [])
        let mark = Certificate.Extension(
            oid: [1, 2, 840, 113635, 100, 6, 2, 1],
            critical: false,
            value: [0x05, 0x00]
        )
        intermediate = try authority(name, key.publicKey, isDeveloperAuthority ? [mark] : [])
    }

    /// The root's certificate, in DER.
    public var rootDER: Data { Self.der(root) }

    /// The root's certificate, in PEM.
    public var rootPEM: String {
        PEMDocument(type: "CERTIFICATE", derBytes: [UInt8](rootDER)).pemString
    }

    static func der(_ certificate: Certificate) -> Data {
        var serializer = DER.Serializer()
        // What was made here serializes.
        do { try serializer.serialize(certificate) } catch { fatalError("\(error)") }
        return Data(serializer.serializedBytes)
    }

    /// A certificate below the intermediate authority.
    func certificate(
        for publicKey: Certificate.PublicKey,
        named name: String,
        extensions more: [Certificate.Extension],
        until end: String
    ) throws -> Certificate {
        var extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
        }
        for one in more { try extensions.append(one) }
        return try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: Self.date("2025-01-01T00:00:00Z"),
            notValidAfter: Self.date(end),
            issuer: intermediate.subject,
            subject: try DistinguishedName { CommonName(name) },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
    }
}
