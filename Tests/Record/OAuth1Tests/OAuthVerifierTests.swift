import OAuth1
import Testing

@Suite("Verifying")
struct OAuthVerifierTests {
    /// Secrets for one app with one token.
    private struct Secrets: OAuthSecretSource {
        func consumerSecret(forKey key: String) -> Secret? { key == "app" ? "app-secret" : nil }
        func tokenSecret(forToken token: String, consumerKey: String) -> Secret? {
            token == "token" && consumerKey == "app" ? "token-secret" : nil
        }
    }

    private let now = 1_800_000_000

    private func verifier(policy: OAuthVerificationPolicy = .rfc5849) -> OAuthVerifier {
        let now = now
        return OAuthVerifier(
            secrets: Secrets(),
            nonces: OAuthNonceMemory(clock: { now }),
            policy: policy,
            clock: { now }
        )
    }

    private func signer(
        key: String = "app",
        secret: Secret = "app-secret",
        token: OAuthToken? = OAuthToken(value: "token", secret: "token-secret"),
        timestamp: Int? = nil,
        nonce: String? = nil,
        rule: SignatureRule = .rfc5849
    ) -> OAuthSigner {
        let timestamp = timestamp ?? now
        return OAuthSigner(
            credentials: OAuthCredentials(consumer: OAuthConsumer(key: key, secret: secret), token: token),
            rule: rule,
            nonce: { nonce ?? OAuthSigner.randomNonce() },
            clock: { timestamp }
        )
    }

    private let request = OAuthRequest(
        method: "POST",
        scheme: "http",
        authority: "example.org",
        target: "/a?b=c",
        contentType: FormParameters.contentType,
        body: Array("d=e&f=g".utf8)
    )

    @Test("a request is verified as it was signed, with a token and without")
    func good() async throws {
        let verifier = verifier()
        let threeLegged = try signer().authorization(for: request)
        let parsed = try OAuthAuthorization(parsing: threeLegged.headerValue)
        let caller = try await verifier.verify(parsed, of: request)
        #expect(caller.consumerKey == "app")
        #expect(caller.token == "token")
        let twoLegged = try signer(token: nil).authorization(for: request)
        #expect(try await verifier.verify(twoLegged, of: request).token == nil)
    }

    @Test("any change to a signed part of the request is refused")
    func tamperedRequest() async throws {
        let authorization = try signer().authorization(for: request)
        let changes: [(inout OAuthRequest) -> Void] = [
            { $0.method = "PUT" }, { $0.scheme = "https" }, { $0.authority = "example.com" },
            { $0.authority += ":8000" }, { $0.path = "/A" }, { $0.path += "/" }, { $0.query = nil },
            { $0.query = "b=d" }, { $0.query? += "&x=y" }, { $0.body = Array("d=e&f=h".utf8) },
            { $0.body = nil },
            { $0.body? += Array("&f=h".utf8) }, { $0.contentType = "text/plain" },
        ]
        for (index, change) in changes.enumerated() {
            var tampered = request
            change(&tampered)
            #expect(tampered != request, "change \(index) changes nothing")
            await #expect(throws: OAuthRefusal.wrongSignature, "change \(index)") {
                try await verifier().verify(authorization, of: tampered)
            }
        }
    }

    @Test("any change to a parameter of the header is refused")
    func tamperedHeader() async throws {
        let authorization = try signer().authorization(for: request, options: .init(verifier: "v"))
        for parameter in authorization.parameters {
            let tampered = OAuthAuthorization(
                parameters: FormParameters(
                    authorization.parameters.map {
                        $0.name == parameter.name
                            ? FormParameters.Element(name: $0.name, value: $0.value + "0") : $0
                    }
                )
            )
            await #expect(throws: OAuthRefusal.self, "\(parameter.name)") {
                try await verifier().verify(tampered, of: request)
            }
        }
        var added = authorization.parameters
        added.append(name: "oauth_extra", value: "1")
        await #expect(throws: OAuthRefusal.wrongSignature) {
            try await verifier().verify(OAuthAuthorization(parameters: added), of: request)
        }
    }

    @Test("the realm may change, it is not signed")
    func realm() async throws {
        let authorization = try signer().authorization(for: request, options: .init(realm: "one"))
        let other = OAuthAuthorization(parameters: authorization.parameters, realm: "two")
        #expect(try await verifier().verify(other, of: request).consumerKey == "app")
    }

    @Test("a nonce used twice is refused, and a bad signature spends none")
    func nonces() async throws {
        let verifier = verifier()
        let forged = try signer(secret: "guess", nonce: "n").authorization(for: request)
        let signed = try signer(nonce: "n").authorization(for: request)
        await #expect(throws: OAuthRefusal.wrongSignature) { try await verifier.verify(forged, of: request) }
        _ = try await verifier.verify(signed, of: request)
        await #expect(throws: OAuthRefusal.nonceAlreadyUsed) {
            try await verifier.verify(signed, of: request)
        }
    }

    @Test("of many senders of the same request at once, one is let in")
    func sameNonceAtOnce() async throws {
        let verifier = verifier()
        let request = request
        let signed = try signer().authorization(for: request)
        let accepted = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { (try? await verifier.verify(signed, of: request)) != nil }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(accepted == 1)
    }

    @Test("the nonce memory forgets what is too old, and keeps what is not")
    func nonceMemory() {
        let memory = OAuthNonceMemory(maximumAge: 300, clock: { 10_000 })
        #expect(memory.use("kept", timestamp: 9_800, consumerKey: "c", token: nil))
        #expect(memory.use("was checked a second ago", timestamp: 9_699, consumerKey: "c", token: nil))
        for age in 1_000..<6_000 {
            #expect(memory.use("old", timestamp: 10_000 - age, consumerKey: "c", token: nil))
        }
        #expect(memory.use("old", timestamp: 9_000, consumerKey: "c", token: nil))
        #expect(!memory.use("kept", timestamp: 9_800, consumerKey: "c", token: nil))
        #expect(!memory.use("was checked a second ago", timestamp: 9_699, consumerKey: "c", token: nil))
        #expect(memory.use("kept", timestamp: 9_800, consumerKey: "d", token: nil))
    }

    @Test("unknown consumers, unknown tokens and wrong secrets are told apart in the log")
    func secrets() async throws {
        let cases: [(OAuthSigner, OAuthRefusal)] = [
            (signer(key: "nobody"), .unknownConsumer),
            (signer(token: OAuthToken(value: "stolen", secret: "token-secret")), .unknownToken),
            (signer(secret: "app-secreT"), .wrongSignature),
            (signer(token: OAuthToken(value: "token", secret: "other")), .wrongSignature),
        ]
        for (signer, refusal) in cases {
            let authorization = try signer.authorization(for: request)
            await #expect(throws: refusal) { try await verifier().verify(authorization, of: request) }
        }
    }

    @Test("timestamps are held to the policy")
    func timestamps() async throws {
        let cases: [(offset: Int, rfc: OAuthRefusal?, indivo: OAuthRefusal?)] = [
            (-300, nil, nil), (300, nil, nil),
            (-301, .timestampTooOld(seconds: 301), .timestampTooOld(seconds: 301)),
            (301, .timestampInFuture(seconds: 301), nil),
        ]
        var request = request
        request.query = nil
        for (offset, rfc, indivo) in cases {
            let authorization = try signer(timestamp: now + offset).authorization(for: request)
            for (policy, expected) in [(OAuthVerificationPolicy.rfc5849, rfc), (.indivo, indivo)] {
                let refusal = await refusal(of: authorization, request: request, policy: policy)
                #expect(refusal == expected)
            }
        }
    }

    private func refusal(
        of authorization: OAuthAuthorization,
        request: OAuthRequest,
        policy: OAuthVerificationPolicy
    ) async -> OAuthRefusal? {
        do {
            _ = try await verifier(policy: policy).verify(authorization, of: request)
            return nil
        } catch {
            return error as? OAuthRefusal
        }
    }

    @Test("parameters that are missing or malformed are refused by name")
    func malformed() async throws {
        let good = try signer().authorization(for: request).parameters
        func with(_ name: String, _ value: String?) -> OAuthAuthorization {
            OAuthAuthorization(
                parameters: FormParameters(
                    good.compactMap {
                        guard $0.name == name else { return $0 }
                        return value.map { FormParameters.Element(name: name, value: $0) }
                    }
                )
            )
        }
        let required = [
            "oauth_consumer_key", "oauth_signature_method", "oauth_timestamp", "oauth_nonce",
            "oauth_signature",
        ]
        for name in required {
            for value in [nil, ""] {
                let refusal = await refusal(of: with(name, value), request: request, policy: .rfc5849)
                #expect(refusal == .missingParameter(name: name))
            }
        }
        let cases: [(String, String, OAuthRefusal)] = [
            ("oauth_signature_method", "PLAINTEXT", .unsupportedSignatureMethod("PLAINTEXT")),
            ("oauth_version", "2.0", .unsupportedVersion("2.0")),
            ("oauth_timestamp", "soon", .malformedTimestamp),
            ("oauth_timestamp", "-1", .malformedTimestamp),
            ("oauth_timestamp", "99999999999999999999", .malformedTimestamp),
            ("oauth_nonce", String(repeating: "n", count: 256), .nonceTooLong),
        ]
        for (name, value, expected) in cases {
            let refusal = await refusal(of: with(name, value), request: request, policy: .rfc5849)
            #expect(refusal == expected)
        }
    }

    @Test("the body hash is held against the body")
    func bodyHash() async throws {
        var request = request
        request.contentType = "application/xml"
        request.body = Array("<a/>".utf8)
        let authorization = try signer().authorization(for: request, options: .init(includesBodyHash: true))
        #expect(try await verifier().verify(authorization, of: request).token == "token")
        request.body = Array("<b/>".utf8)
        await #expect(throws: OAuthRefusal.wrongBodyHash) {
            try await verifier().verify(authorization, of: request)
        }
    }

    @Test("Indivo's policy wants the scheme to the letter and oauth_content_type to be true")
    func indivoPolicy() async throws {
        var request = request
        request.query = nil
        let authorization = try signer().authorization(for: request)
        let lowercased = try OAuthAuthorization(parsing: "oauth" + authorization.headerValue.dropFirst(5))
        #expect(await refusal(of: lowercased, request: request, policy: .indivo) == .schemeNotExact)
        #expect(await refusal(of: lowercased, request: request, policy: .rfc5849) == nil)

        let typed = try signer().authorization(
            for: request,
            options: .init(additionalParameters: ["oauth_content_type": "text/xml"])
        )
        #expect(await refusal(of: typed, request: request, policy: .indivo) == .wrongContentType)
        #expect(await refusal(of: typed, request: request, policy: .rfc5849) == nil)
    }

    @Test("Indivo's policy verifies the decoded path and refuses what it cannot sign")
    func indivoRule() async throws {
        let escaped = OAuthRequest(method: "GET", scheme: "http", authority: "example.org", target: "/a%40b")
        let literal = OAuthRequest(method: "GET", scheme: "http", authority: "example.org", target: "/a@b")
        let byRFC = try signer().authorization(for: escaped)
        #expect(await refusal(of: byRFC, request: escaped, policy: .indivo) == .wrongSignature)
        let byIndivo = try signer(rule: .indivo).authorization(for: escaped)
        #expect(await refusal(of: byIndivo, request: escaped, policy: .indivo) == nil)
        #expect(await refusal(of: byIndivo, request: literal, policy: .rfc5849) == nil)
        let beyondASCII = OAuthRequest(
            method: "GET",
            scheme: "http",
            authority: "example.org",
            target: "/%C3%A9"
        )
        #expect(
            await refusal(of: byRFC, request: beyondASCII, policy: .indivo) == .noBaseString(.pathNotASCII)
        )
    }
}
