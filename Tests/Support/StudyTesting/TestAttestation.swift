import Crypto
import Foundation
import X509

/// A key in a phone's secure enclave, and what Apple attests of it.
public struct TestAttestation: Sendable {
    public var app = "A1B2C3D4E5.org.example.sleep"
    public var authenticator = Data("appattest".utf8) + Data(count: 7)
    public var counter: UInt32 = 0
    public var format = "apple-appattest"
    /// The id in the authenticator's data; `nil` for the key's.
    public var credentialID: Data?
    public var certificateEnd = "2026-12-15T00:00:00Z"
    public var hasNonce = true
    public let key = P256.Signing.PrivateKey()

    public init() {}

    public var publicKey: Data { key.publicKey.x963Representation }
    public var keyID: Data { Data(SHA256.hash(data: publicKey)) }

    private func head(_ flags: UInt8, _ counter: UInt32) -> Data {
        Data(SHA256.hash(data: Data(app.utf8))) + [flags]
            + withUnsafeBytes(of: counter.bigEndian) { Data($0) }
    }

    /// What `attestKey` gives.
    public func object(for challenge: Data, by authority: TestAuthority) throws -> Data {
        let id = credentialID ?? keyID
        let data =
            head(0x40, counter) + authenticator + [UInt8(id.count >> 8), UInt8(id.count & 0xFF)] + id
            + EncodedCBOR.map([])
        let nonce = Data(SHA256.hash(data: data + Data(SHA256.hash(data: challenge))))
        let value = EncodedDER.sequence(EncodedDER.element(0xA1, EncodedDER.octets(nonce)))
        let certificate = try authority.certificate(
            for: Certificate.PublicKey(key.publicKey),
            named: "Test Key",
            extensions: hasNonce
                ? [
                    Certificate.Extension(
                        oid: [1, 2, 840, 113635, 100, 8, 2],
                        critical: false,
                        value: ArraySlice(value)
                    )
                ] : [],
            until: certificateEnd
        )
        let chain = [certificate, authority.intermediate].map { EncodedCBOR.bytes(TestAuthority.der($0)) }
        return EncodedCBOR.map([
            ("fmt", EncodedCBOR.text(format)),
            (
                "attStmt",
                EncodedCBOR.map([
                    ("x5c", EncodedCBOR.array(chain)), ("receipt", EncodedCBOR.bytes(Data("risk".utf8))),
                ])
            ),
            ("authData", EncodedCBOR.bytes(data)),
        ])
    }

    /// What `generateAssertion` gives.
    public func assertion(for clientData: Data, counter: UInt32) throws -> Data {
        let data = head(0, counter)
        let nonce = Data(SHA256.hash(data: data + Data(SHA256.hash(data: clientData))))
        return EncodedCBOR.map([
            ("signature", EncodedCBOR.bytes(try key.signature(for: nonce).derRepresentation)),
            ("authenticatorData", EncodedCBOR.bytes(data)),
        ])
    }
}
