import Foundation
import OAuth1
import Testing

/// Requests that Python's oauthlib signed: a sample beside this file, or those that `INDIVO_OAUTH_CASES`
/// names.
///
/// `scripts/interop oauth` compares ten thousand, and has oauthlib verify what is signed here.
@Suite("Agreement with oauthlib")
struct OAuthlibAgreementTests {
    private struct Case: Decodable {
        var method: String
        var scheme: String
        var authority: String
        var target: String
        var contentType: String?
        var body: String?
        var consumerKey: String
        var consumerSecret: String
        var token: String?
        var tokenSecret: String?
        var authorization: String

        var request: OAuthRequest {
            OAuthRequest(
                method: method,
                scheme: scheme,
                authority: authority,
                target: target,
                contentType: contentType,
                body: body.map { Array($0.utf8) }
            )
        }

        var credentials: OAuthCredentials {
            OAuthCredentials(
                consumer: OAuthConsumer(key: consumerKey, secret: Secret(consumerSecret)),
                token: token.map { OAuthToken(value: $0, secret: Secret(tokenSecret ?? "")) }
            )
        }
    }

    private struct Source: OAuthSecretSource {
        let known: Case

        func consumerSecret(forKey key: String) -> Secret? {
            key == known.consumerKey ? Secret(known.consumerSecret) : nil
        }

        func tokenSecret(forToken token: String, consumerKey: String) -> Secret? {
            token == known.token ? Secret(known.tokenSecret ?? "") : nil
        }
    }

    private static func cases() throws -> [Case] {
        let named = ProcessInfo.processInfo.environment["INDIVO_OAUTH_CASES"].map { URL(filePath: $0) }
        let file =
            named
            ?? URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/oauthlib-requests.jsonl")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map {
            try decoder.decode(Case.self, from: $0)
        }
    }

    @Test("oauthlib's signatures verify here, and fail when a byte of signed input differs")
    func verified() async throws {
        let cases = try Self.cases()
        #expect(cases.count >= 40)
        for known in cases {
            let authorization = try OAuthAuthorization(parsing: known.authorization)
            let time = try #require(authorization.timestamp.flatMap { Int($0) })
            func verify(_ request: OAuthRequest, _ source: Source) async throws -> OAuthCaller {
                try await OAuthVerifier(
                    secrets: source,
                    nonces: OAuthNonceMemory(clock: { time }),
                    clock: { time }
                )
                .verify(authorization, of: request)
            }
            let caller = try await verify(known.request, Source(known: known))
            #expect(caller == OAuthCaller(consumerKey: known.consumerKey, token: known.token))

            var other = known
            other.consumerSecret += "x"
            await #expect(throws: OAuthRefusal.wrongSignature) {
                try await verify(known.request, Source(known: other))
            }
            other = known
            other.target += other.target.contains("?") ? "&added=1" : "?added=1"
            await #expect(throws: OAuthRefusal.wrongSignature) {
                try await verify(other.request, Source(known: known))
            }
        }
    }

    @Test("requests are signed here as oauthlib signs them, and oauthlib verifies them")
    func signed() throws {
        let cases = try Self.cases()
        #expect(!cases.isEmpty)
        var lines = Data()
        for known in cases {
            let theirs = try OAuthAuthorization(parsing: known.authorization)
            let options = OAuthSigner.Options(
                callback: theirs.callback,
                verifier: theirs.verifier,
                includesBodyHash: theirs.bodyHash != nil
            )
            let nonce = try #require(theirs.nonce)
            let time = try #require(theirs.timestamp.flatMap { Int($0) })
            let alike = OAuthSigner(credentials: known.credentials, nonce: { nonce }, clock: { time })
            let ours = try alike.authorization(for: known.request, options: options)
            #expect(ours.signature == theirs.signature, "\(known.method) \(known.target)")

            let fresh = OAuthSigner(credentials: known.credentials)
            let header = try fresh.authorization(for: known.request, options: options).headerValue
            lines += try JSONEncoder().encode(["authorization": header]) + [UInt8(ascii: "\n")]
        }
        if let file = ProcessInfo.processInfo.environment["INDIVO_OAUTH_SIGNED"] {
            try lines.write(to: URL(filePath: file))
        }
    }
}
