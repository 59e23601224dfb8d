import Crypto
import CryptoExtras
import Foundation
import X509

/// A receipt as the App Store signs them.
public struct TestReceipt: Sendable {
    public var bundle = "org.example.sleep"
    public var created = "2026-11-01T10:00:00Z"
    public var expires: String?
    public var device = UUID()
    /// Whether it is signed over SHA-1, as before August 2023.
    public var usesSHA1 = false
    /// Whether what is signed are attributes, with the content's digest among them.
    public var hasAttributes = false
    /// Whether the certificate may sign receipts.
    public var isMarked = true
    public var certificateEnd = "2026-11-15T00:00:00Z"
    /// The content is changed after it was signed.
    public var isChanged = false

    private static let key: _RSA.Signing.PrivateKey = {
        do { return try _RSA.Signing.PrivateKey(keySize: .bits2048) } catch { fatalError("\(error)") }
    }()
    private static let opaque = Data([1, 2, 3, 4])

    public init() {}

    /// The fields: a SET of type, version and value.
    public var payload: Data {
        let bundleField = EncodedDER.text(bundle)
        let device = withUnsafeBytes(of: device.uuid) { Data($0) }
        let digest = Data(Insecure.SHA1.hash(data: device + Self.opaque + bundleField))
        var fields: [(UInt8, Data)] = [
            (0, EncodedDER.text("Production")), (2, bundleField), (3, EncodedDER.text("7")),
            (4, Self.opaque), (5, digest), (12, EncodedDER.ascii(created)), (17, EncodedDER.set()),
            (19, EncodedDER.text("1")),
        ]
        if let expires { fields.append((21, EncodedDER.ascii(expires))) }
        return EncodedDER.element(
            0x31,
            fields.map { type, value in
                EncodedDER.sequence(EncodedDER.number(type), EncodedDER.number(1), EncodedDER.octets(value))
            }
        )
    }

    /// The receipt.
    public func signed(by authority: TestAuthority) throws -> Data {
        let mark = Certificate.Extension(
            oid: [1, 2, 840, 113635, 100, 6, 11, 1],
            critical: false,
            value: [0x05, 0x00]
        )
        let certificate = try authority.certificate(
            for: Certificate.PublicKey(Self.key.publicKey),
            named: "Test Receipt Signing",
            extensions: isMarked ? [mark] : [],
            until: certificateEnd
        )
        let content = payload
        let digest = usesSHA1 ? "1.3.14.3.2.26" : "2.16.840.1.101.3.4.2.1"
        let algorithm = EncodedDER.sequence(EncodedDER.identifier(digest), EncodedDER.element(0x05))
        let attributes = EncodedDER.set(
            EncodedDER.sequence(
                EncodedDER.identifier("1.2.840.113549.1.9.3"),
                EncodedDER.set(EncodedDER.identifier("1.2.840.113549.1.7.1"))
            ),
            EncodedDER.sequence(
                EncodedDER.identifier("1.2.840.113549.1.9.4"),
                EncodedDER.set(EncodedDER.octets(hash(content)))
            )
        )
        var implicit = attributes
        implicit[0] = 0xA0
        let der = TestAuthority.der(certificate)
        let signer = EncodedDER.sequence(
            EncodedDER.number(1),
            Self.issuerAndSerial(der),
            algorithm,
            hasAttributes ? implicit : Data(),
            EncodedDER.sequence(EncodedDER.identifier("1.2.840.113549.1.1.1"), EncodedDER.element(0x05)),
            EncodedDER.octets(try sign(hasAttributes ? attributes : content))
        )
        var written = content
        if isChanged, let range = written.range(of: Data("org.example".utf8)) {
            written.replaceSubrange(range, with: Data("org.exAmple".utf8))
        }
        let signed = EncodedDER.sequence(
            EncodedDER.number(1),
            EncodedDER.set(algorithm),
            EncodedDER.sequence(
                EncodedDER.identifier("1.2.840.113549.1.7.1"),
                EncodedDER.element(0xA0, EncodedDER.octets(written))
            ),
            EncodedDER.element(
                0xA0,
                der,
                TestAuthority.der(authority.intermediate),
                TestAuthority.der(authority.root)
            ),
            EncodedDER.set(signer)
        )
        return EncodedDER.sequence(
            EncodedDER.identifier("1.2.840.113549.1.7.2"),
            EncodedDER.element(0xA0, signed)
        )
    }

    private func hash(_ data: Data) -> Data {
        usesSHA1 ? Data(Insecure.SHA1.hash(data: data)) : Data(SHA256.hash(data: data))
    }

    private func sign(_ data: Data) throws -> Data {
        let signature =
            usesSHA1
            ? try Self.key.signature(for: Insecure.SHA1.hash(data: data), padding: .insecurePKCS1v1_5)
            : try Self.key.signature(for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5)
        return signature.rawRepresentation
    }

    /// Serial number and issuer of a certificate of version 3: the second and the fourth field of its body.
    private static func issuerAndSerial(_ der: Data) -> Data {
        func content(_ data: Data) -> Data {
            let head = data[data.startIndex + 1] < 0x80 ? 2 : 2 + Int(data[data.startIndex + 1] & 0x7F)
            return Data(data.dropFirst(head))
        }
        func elements(_ data: Data) -> [Data] {
            var rest = data
            var found: [Data] = []
            while rest.count > 1 {
                let first = Int(rest[rest.startIndex + 1])
                var length = first
                var head = 2
                if first >= 0x80 {
                    head += first & 0x7F
                    length = rest.dropFirst(2).prefix(first & 0x7F).reduce(0) { $0 << 8 | Int($1) }
                }
                found.append(Data(rest.prefix(head + length)))
                rest = Data(rest.dropFirst(head + length))
            }
            return found
        }
        let fields = elements(content(elements(content(der))[0]))
        return EncodedDER.sequence(fields[3], fields[1])
    }
}
