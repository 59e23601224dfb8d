import Crypto
import CryptoExtras
import FHIR
import Foundation
import IndivoBase
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// Tokens that link a known person to a participant.
struct LinkingTokenTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func encode(_ data: some Sequence<UInt8>) -> String {
        Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=",
            with: ""
        )
    }

    private static func hmac(_ signed: String) -> Data {
        Data(
            HMAC<SHA256>.authenticationCode(
                for: Data(signed.utf8),
                using: SymmetricKey(data: Data(secret.utf8))
            )
        )
    }

    private static func token(
        header: String = #"{"alg":"HS256","typ":"JWT"}"#,
        claims: String =
            """
        {"iss":"i","aud":["x","https://a.example"],"sub":"Ada","birthdate":"1815-12-10","exp":1800000060}
        """,
        sign: (String) throws -> Data = hmac
    ) rethrows -> String {
        let signed = encode(header.utf8) + "." + encode(claims.utf8)
        return try signed + "." + encode(sign(signed))
    }

    private static func malformed(_ reason: String) -> StudyError {
        .malformed(format: "linking token", reason: reason)
    }

    private static func refused(_ reason: String) -> StudyError {
        .notGenuine(what: "the linking token", reason: reason)
    }

    private static let expired = refused("it has expired; ask for a new one")
    private static let wrongSignature = refused("its signature is not the issuer's")

    private static func wrongAlgorithm(_ expected: String) -> StudyError {
        refused("it is not signed with \(expected), which the issuer uses")
    }

    private func verify(_ token: String, key: LinkingToken.Key = .hs256(Secret(secret)), leeway: Int = 60)
        throws -> LinkingToken
    {
        try LinkingToken(
            verifying: token,
            key: key,
            issuer: "i",
            audience: "https://a.example",
            leeway: leeway,
            at: Self.now
        )
    }

    @Test("a signed token gives name, birth date and the request that links")
    func valid() throws {
        let token = try verify(Self.token())
        #expect(token.subject == "Ada" && token.birthDate == "1815-12-10")
        let enrolment = Enrolment(study: "s", participant: UUID(), enrolledAt: FHIRInstant(Self.now))
        let request = try token.request(linking: enrolment, dataServer: "https://data.example/fhir")
        #expect(request.url.absoluteString == "https://a.example/establish")
        #expect(Set((request.patient.tree.members ?? []).map(\.name)) == ["resourceType", "identifier"])
        #expect(
            LinkRequest.Outcome(status: 409) == .alreadyLinked
                && LinkRequest.Outcome(status: 503) == .retryLater(status: 503)
        )
    }

    @Test("RS256 and ES256 verify with public keys, each key for its own algorithm only")
    func publicKeys() throws {
        let ec = P256.Signing.PrivateKey()
        let claims = #"{"iss":"i","aud":"https://a.example","sub":"Ada","exp":1800000060}"#
        let es = try Self.token(header: #"{"alg":"ES256"}"#, claims: claims) {
            try ec.signature(for: Data($0.utf8)).rawRepresentation
        }
        #expect(try verify(es, key: .es256(pem: ec.publicKey.pemRepresentation)).subject == "Ada")
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let rs = try Self.token(header: #"{"alg":"RS256"}"#, claims: claims) {
            try rsa.signature(for: SHA256.hash(data: Data($0.utf8)), padding: .insecurePKCS1v1_5)
                .rawRepresentation
        }
        #expect(try verify(rs, key: .rs256(pem: rsa.publicKey.pemRepresentation)).subject == "Ada")
        let other = P256.Signing.PrivateKey().publicKey.pemRepresentation
        #expect(throws: Self.wrongSignature) { try verify(es, key: .es256(pem: other)) }
        // The public key as the secret of HS256, which a verifier that believes the header accepts.
        let pem = rsa.publicKey.pemRepresentation
        let forged = Self.token {
            Data(
                HMAC<SHA256>.authenticationCode(for: Data($0.utf8), using: SymmetricKey(data: Data(pem.utf8)))
            )
        }
        #expect(throws: Self.wrongAlgorithm("RS256")) {
            try verify(forged, key: .rs256(pem: pem))
        }
        #expect(throws: StudyError.unusableKey(reason: "a secret for HS256 has 32 bytes or more")) {
            try verify(Self.token(), key: .hs256("short"))
        }
    }

    @Test("unsigned, foreign, expired and early tokens are refused")
    func refused() throws {
        func claims(_ text: String) -> String {
            #"{"iss":"i","aud":"https://a.example","sub":"Ada",\#(text)}"#
        }
        let cases: [(String, StudyError)] = try [
            (Self.token(header: #"{"alg":"none"}"#) { _ in Data() }, Self.wrongAlgorithm("HS256")),
            (Self.token(header: #"{"alg":"hs256"}"#), Self.wrongAlgorithm("HS256")),
            (Self.token { _ in Data(count: 32) }, Self.wrongSignature),
            (Self.token(claims: claims(#""exp":1799999940"#)), Self.expired),
            (
                Self.token(claims: claims(#""exp":1800000060,"nbf":1800000061"#)),
                Self.refused("it is not valid yet; look at the device's clock")
            ),
            (
                Self.token(claims: #"{"iss":"j","aud":"https://a.example","sub":"Ada","exp":1800000060}"#),
                Self.refused("it is not from the expected issuer")
            ),
            (
                Self.token(claims: #"{"iss":"i","aud":"https://b.example","sub":"Ada","exp":1800000060}"#),
                Self.refused("it is not for the expected audience")
            ),
            (Self.token(claims: claims(#""jti":"1""#)), Self.malformed("it has no exp: it would never end")),
            (
                Self.token(claims: claims(#""exp":"1800000060""#)),
                Self.malformed("exp is not a time in seconds since 1970")
            ),
            (
                Self.token(claims: claims(#""exp":1e99"#)),
                Self.malformed("exp is not a time in seconds since 1970")
            ),
            (
                Self.token(claims: claims(#""exp":1,"exp":1800000060"#)),
                Self.malformed("the claims repeat a member")
            ),
            ("a.b", Self.malformed("it is not three parts in base64url")),
            (Self.token() + "=", Self.malformed("it is not three parts in base64url")),
            (String(repeating: "a", count: 20_000), Self.malformed("it is longer than 16384 bytes")),
        ]
        for (token, error) in cases { #expect(throws: error) { try verify(token) } }
        #expect(throws: Never.self) {
            try verify(Self.token(claims: claims(#""exp":1799999941,"nbf":1800000060"#)))
        }
        // The leeway is bounded, whoever sets it.
        #expect(throws: Self.expired) {
            try verify(Self.token(claims: claims(#""exp":1799999000"#)), leeway: 100_000)
        }
    }
}
