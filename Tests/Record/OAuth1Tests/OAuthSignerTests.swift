import OAuth1
import Testing

@Suite("Signing")
struct OAuthSignerTests {
    private let credentials = OAuthCredentials(
        consumer: OAuthConsumer(key: "app", secret: "app-secret"),
        token: OAuthToken(value: "token", secret: "token-secret")
    )
    private let request = OAuthRequest(
        method: "GET",
        scheme: "http",
        authority: "example.org",
        target: "/a?b=c"
    )

    @Test("every signature has a nonce of its own, of 128 bits")
    func nonces() throws {
        let signer = OAuthSigner(credentials: credentials)
        let nonces = try (0..<200).map { _ in try #require(signer.authorization(for: request).nonce) }
        #expect(Set(nonces).count == nonces.count)
        #expect(nonces.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test("the order and the names of the parameters are those of the RFC's examples")
    func parameterOrder() throws {
        let names = try OAuthSigner(credentials: credentials).authorization(for: request).parameters.map(
            \.name
        )
        #expect(
            names == [
                "oauth_consumer_key", "oauth_token", "oauth_signature_method", "oauth_timestamp",
                "oauth_nonce",
                "oauth_version", "oauth_signature",
            ]
        )
    }

    /// Keys and messages beyond HMAC's block size, empty, and with every escape; signatures from Python's
    /// hmac.
    @Test(
        "long, empty and non-ASCII secrets sign as they should",
        arguments: [
            ("", "", "eGvjpDwaM7kfuvztqLVLgWEfDmU="),
            (String(repeating: "x", count: 3000), "", "yriFhMekgwo/RFYHTfdtY0Tli2c="),
            ("sécret&", "\u{0}%", "Ng8KRzRuuRHxKdeEzdIaraQuNDM="),
            ("c", String(repeating: "☃", count: 500), "CX8Q6n7dn1iK9j0RbAA6nPF8PB4="),
        ]
    )
    func secrets(consumerSecret: String, tokenSecret: String, expected: String) throws {
        let credentials = OAuthCredentials(
            consumer: OAuthConsumer(key: "k", secret: Secret(consumerSecret)),
            token: OAuthToken(value: "t\u{0}t", secret: Secret(tokenSecret))
        )
        let authorization = try OAuthSigner(credentials: credentials, nonce: { "n" }, clock: { 1 })
            .authorization(for: request)
        #expect(authorization.signature == expected)
    }

    @Test("a token of 10,000 characters is signed whole")
    func longToken() throws {
        let token = String(repeating: "t", count: 10_000)
        var credentials = credentials
        credentials.token = OAuthToken(value: token, secret: "s")
        let authorization = try OAuthSigner(credentials: credentials).authorization(for: request)
        let baseString = try SignatureBaseString(request: request, authorization: authorization)
        #expect(baseString.description.contains("oauth_token%3D\(token)%26"))
        #expect(try OAuthAuthorization(parsing: authorization.headerValue).token == token)
    }

    @Test("the body hash is added for bodies that are no form, the empty one too")
    func bodyHash() throws {
        let signer = OAuthSigner(credentials: credentials)
        var request = request
        request.method = "POST"
        request.contentType = "text/plain"
        let options = OAuthSigner.Options(includesBodyHash: true)
        // The extension's own examples.
        request.body = Array("Hello World!".utf8)
        #expect(
            try signer.authorization(for: request, options: options).bodyHash
                == "Lve95gjOVATpfV8EL5X4nxwjKHE="
        )
        request.body = nil
        #expect(
            try signer.authorization(for: request, options: options).bodyHash
                == "2jmj7l5rSw0yVb/vlWAYkK/YBwk="
        )
        request.body = [97, 0, 98, 0, 99]
        #expect(
            try signer.authorization(for: request, options: options).bodyHash
                == "UqpxWISIJpRkWJvYG+YkhhSYyns="
        )
        request.contentType = FormParameters.contentType
        #expect(try signer.authorization(for: request, options: options).bodyHash == nil)
    }

    @Test("additional parameters must be OAuth's and not the signer's own")
    func additionalParameters() throws {
        let signer = OAuthSigner(credentials: credentials)
        let extra = try signer.authorization(
            for: request,
            options: .init(additionalParameters: ["oauth_content_type": "text/plain"])
        )
        #expect(extra["oauth_content_type"] == "text/plain")
        #expect(throws: OAuthSigningError.notAProtocolParameter(name: "x")) {
            try signer.authorization(for: request, options: .init(additionalParameters: ["x": "1"]))
        }
        for name in ["oauth_nonce", "oauth_signature"] {
            #expect(throws: OAuthSigningError.parameterAlreadySet(name: name)) {
                try signer.authorization(for: request, options: .init(additionalParameters: [name: "1"]))
            }
        }
    }

    @Test("a secret shows itself in no description, mirror or dump")
    func secretsStayHidden() {
        var text =
            "\(credentials) \(String(reflecting: credentials)) \(OAuthSigner(credentials: credentials))"
        dump(credentials, to: &text)
        dump(Optional(credentials.consumer.secret), to: &text)
        #expect(!text.contains("app-secret"))
        #expect(!text.contains("token-secret"))
        #expect(text.contains("•••"))
        #expect(credentials.consumer.secret.reveal() == "app-secret")
        #expect(credentials.consumer.secret == "app-secret")
        #expect(credentials.consumer.secret != "app-secreT")
    }
}
