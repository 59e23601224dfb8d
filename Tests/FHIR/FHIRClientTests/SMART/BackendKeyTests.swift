import Crypto
import CryptoExtras
import FHIRClient
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON
import Testing

@Suite("Keys for SMART backend services")
struct BackendKeyTests {
    private static let p384 = P384.Signing.PrivateKey()

    private static func decoded(_ part: Substring) throws -> Data {
        var text = String(part).replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return try #require(Data(base64Encoded: text))
    }

    /// The assertions that a client sends which fetches a token twice.
    private func assertions(signedBy key: BackendKey) async throws -> [[Substring]] {
        let endpoint = PlayedServer { _, number in
            .text(
                #"{"access_token":"t\#(number)","token_type":"bearer","expires_in":300}"#,
                type: "application/json"
            )
        }
        let credentials = try ClientCredentials(
            // A URL.
            tokenURL: URL(string: "https://auth.example.org/token")!,
            authentication: .assertion(ClientAssertion(clientID: "uploader", keyID: "k-1", key: key)),
            transport: endpoint,
            timing: StillClock().timing
        )
        for _ in 0..<3 { #expect(try await credentials.token()?.reveal() == "t0") }
        #expect(try await credentials.token(after: "t0")?.reveal() == "t1")
        #expect(endpoint.received.count == 2, "a token that is good is not fetched again")
        return try endpoint.received.map { received in
            let parameter = try #require(
                received.body.split(separator: "&").first { $0.hasPrefix("client_assertion=") }
            )
            return parameter.dropFirst("client_assertion=".count).split(separator: ".")
        }
    }

    private func check(_ jwts: [[Substring]], algorithm: String) throws {
        var identifiers: Set<String> = []
        for parts in jwts {
            try #require(parts.count == 3)
            let header = try JSONValue(parsing: Self.decoded(parts[0])),
                claims = try JSONValue(parsing: Self.decoded(parts[1]))
            #expect(header["alg"]?.string == algorithm && header["kid"] == "k-1")
            #expect(claims["aud"] == "https://auth.example.org/token" && claims["sub"] == "uploader")
            let (issued, end) = try (#require(claims["iat"]?.integer), #require(claims["exp"]?.integer))
            #expect(end > issued && end <= issued + 300)
            identifiers.insert(try #require(claims["jti"]?.string))
        }
        #expect(identifiers.count == jwts.count)
    }

    @Test("ES384: the public key verifies what a key in PEM signed")
    func ecdsa() async throws {
        let key = try BackendKey(pem: Secret(Self.p384.pemRepresentation))
        #expect(key.algorithm == .es384 && key.publicPEM == Self.p384.publicKey.pemRepresentation)
        let jwts = try await assertions(signedBy: key)
        try check(jwts, algorithm: "ES384")
        let jwk = try key.publicJWK(id: "k-1")
        let (x, y) = try (#require(jwk["x"]?.string), #require(jwk["y"]?.string))
        let published = try P384.Signing.PublicKey(
            rawRepresentation: Self.decoded(x[...]) + Self.decoded(y[...])
        )
        for parts in jwts {
            let signature = try P384.Signing.ECDSASignature(rawRepresentation: Self.decoded(parts[2]))
            #expect(published.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
            #expect(!published.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])x".utf8)))
        }
    }

    @Test("RS384: the public key verifies what a key in PEM signed, in either encoding")
    func rsa() async throws {
        let made = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        for pem in [made.pemRepresentation, made.pkcs8PEMRepresentation] {
            let key = try BackendKey(pem: Secret(pem))
            #expect(key.algorithm == .rs384 && key.publicPEM == made.publicKey.pemRepresentation)
            let jwts = try await assertions(signedBy: key)
            try check(jwts, algorithm: "RS384")
            let jwk = try key.publicJWK(id: "k-1")
            let (n, e) = try (#require(jwk["n"]?.string), #require(jwk["e"]?.string))
            let published = try _RSA.Signing.PublicKey(n: Self.decoded(n[...]), e: Self.decoded(e[...]))
            for parts in jwts {
                let signature = _RSA.Signing.RSASignature(rawRepresentation: try Self.decoded(parts[2]))
                let message = Data("\(parts[0]).\(parts[1])".utf8)
                #expect(
                    published.isValidSignature(
                        signature,
                        for: SHA384.hash(data: message),
                        padding: .insecurePKCS1v1_5
                    )
                )
                let other = SHA384.hash(data: message + [0])
                #expect(!published.isValidSignature(signature, for: other, padding: .insecurePKCS1v1_5))
            }
        }
    }

    @Test("what is no key for it gets an error that shows nothing of it")
    func wrongKeys() throws {
        let p256 = P256.Signing.PrivateKey().pemRepresentation
        let short = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024)).pemRepresentation
        let cases: [(String, BackendKeyError)] = [
            ("planted", .notPEM), ("", .notPEM), ("-----BEGIN planted", .notPEM),
            (p256, .unsupported(type: "PRIVATE KEY")),
            (Self.p384.publicKey.pemRepresentation, .unsupported(type: "PUBLIC KEY")),
            (short, .tooShort(bits: 1024)),
            ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----", .encrypted),
            (
                "-----BEGIN PRIVATE KEY-----\nplanted\n-----END PRIVATE KEY-----",
                .unsupported(type: "PRIVATE KEY")
            ),
        ]
        for (pem, expected) in cases {
            let error = #expect(throws: BackendKeyError.self) { try BackendKey(pem: Secret(pem)) }
            #expect(error == expected && error?.description.contains("planted") == false)
        }
    }

    @Test("a key's file must be its owner's alone")
    func file() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(throws: BackendKeyError.unreadable) { try BackendKey(contentsOf: file) }
        try Data(Self.p384.pemRepresentation.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        #expect(throws: BackendKeyError.readableByOthers) { try BackendKey(contentsOf: file) }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        #expect(try BackendKey(contentsOf: file).algorithm == .es384)
    }
}
