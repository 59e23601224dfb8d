import Crypto
import CryptoExtras
import FHIR
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import OrderedJSON
import Testing

@testable import FHIRClient

@Suite("Hostile authorization servers")
struct HostileServerTests {
    private static let tokenPath = "/token"
    private static let discoveryPath = "/r4/.well-known/smart-configuration"

    private func configuration(_ change: (inout JSONValue) -> Void) -> PlayedAuthorizationServer {
        var json = PlayedAuthorizationServer.configuration
        change(&json)
        let changed = json
        return PlayedAuthorizationServer([Self.discoveryPath: { _, _ in .json(changed) }])
    }

    @Test("the app asks with new PKCE, state and nonce, with aud and its exact redirect URI")
    func request() async throws {
        let server = PlayedAuthorizationServer()
        nonisolated(unsafe) var all: [FormParameters] = []  // Written before it is read, by one task.
        for _ in 0..<2 {
            _ = try await server.launch { asked in
                all.append(asked)
                return PlayedAuthorizationServer.good(asked)
            }
        }
        let asked = all[0]
        #expect(asked["response_type"] == "code" && asked["client_id"] == "growth")
        #expect(asked["aud"] == PlayedAuthorizationServer.base && asked["code_challenge_method"] == "S256")
        #expect(asked["redirect_uri"] == PlayedAuthorizationServer.redirectURI)
        #expect(asked["scope"] == "openid launch/patient offline_access patient/*.rs")
        for name in ["state", "nonce", "code_challenge"] {
            #expect(asked[name]?.isEmpty == false && asked[name] != all[1][name])
        }
        let form = try #require(server.received.first { $0.url.hasSuffix(Self.tokenPath) }).form
        let verifier = try #require(form["code_verifier"])
        #expect(Base64URL.encode(Data(SHA256.hash(data: Data(verifier.utf8)))) == asked["code_challenge"])
        #expect(
            form["redirect_uri"] == PlayedAuthorizationServer.redirectURI && form["client_id"] == "growth"
        )
    }

    @Test("visits that are not this login's are turned away, and the login goes on")
    func foreignVisits() async throws {
        let launch = try await PlayedAuthorizationServer().launch { asked in
            let state = asked["state"] ?? ""
            let uri = PlayedAuthorizationServer.redirectURI
            return [
                "\(uri)?code=stolen&state=other", "\(uri)?code=stolen", "\(uri)?error=access_denied",
                "\(uri)?code=a&code=b&state=\(state)", "\(uri)?code=a&state=\(state)&state=other",
                "org.example.growth:/elsewhere?code=stolen&state=\(state)",
            ] + PlayedAuthorizationServer.good(asked)
        }
        #expect(launch.context.patient == "7")
    }

    @Test("no code is sent when the browser returns from another issuer or names none")
    func issuer() async throws {
        let mixed = PlayedAuthorizationServer()
        let error = await failure(as: SMARTError.self) {
            try await mixed.launch { asked in
                [PlayedAuthorizationServer.good(asked)[0] + "&iss=https%3A%2F%2Fevil.example.org"]
            }
        }
        #expect(error?.reason == .wrongIssuer && mixed.count(Self.tokenPath) == 0)
        let silent = configuration { $0["authorization_response_iss_parameter_supported"] = true }
        #expect(await failure(as: SMARTError.self) { try await silent.launch() }?.reason == .wrongIssuer)
        #expect(silent.count(Self.tokenPath) == 0)
        let named = configuration { $0["authorization_response_iss_parameter_supported"] = true }
        _ = try await named.launch { asked in
            [PlayedAuthorizationServer.good(asked)[0] + "&iss=https%3A%2F%2Fauth.example.org"]
        }
    }

    @Test("a server without S256, or without TLS, opens no page")
    func downgraded() async throws {
        let plain = configuration { $0["code_challenge_methods_supported"] = ["plain"] }
        let open = configuration { $0["token_endpoint"] = "http://auth.example.org/token" }
        for server in [plain, open] {
            let error = await failure(as: SMARTError.self) {
                try await server.launch { _ in
                    Issue.record("a page was opened")
                    return []
                }
            }
            #expect(error?.step == .discovery)
        }
    }

    @Test("redirections are not followed, by whatever endpoint", arguments: [301, 302, 303, 307, 308])
    func redirections(status: Int) async throws {
        for path in [Self.discoveryPath, Self.tokenPath, "/jwks"] {
            let server = PlayedAuthorizationServer()
            server.play(path) { _, _ in
                .json([:], status: status, [.location: "https://evil.example.org/\(path)"])
            }
            if path == "/jwks" {
                let token = try server.idToken(server.claims())
                server.play(Self.tokenPath) { _, _ in .json(server.tokens(["id_token": token])) }
            }
            let error = await failure(as: SMARTError.self) { try await server.launch() }
            #expect(error?.reason == .unexpectedStatus(status))
            #expect(server.received.allSatisfy { !$0.url.contains("evil") })
        }
    }

    @Test("documents without end are not read", arguments: ["/r4/.well-known/smart-configuration", "/jwks"])
    func endless(path: String) async throws {
        let server = PlayedAuthorizationServer()
        server.play(Self.tokenPath) { [unowned server] _, _ in
            .json(server.tokens(["id_token": try server.idToken(server.claims())]))
        }
        // A million keys.
        let body = Data((#"{"keys":["# + String(repeating: "{},", count: 1_000_000) + "{}]}").utf8)
        server.play(path) { _, _ in HTTPAnswer(response: HTTPResponse(status: .ok), body: body) }
        #expect(await failure(as: SMARTError.self) { try await server.launch() }?.reason == .responseTooLarge)
    }

    @Test("a key set of many keys is refused before one is tried")
    func manyKeys() async throws {
        let server = PlayedAuthorizationServer()
        server.play(Self.tokenPath) { [unowned server] _, _ in
            .json(server.tokens(["id_token": try server.idToken(server.claims())]))
        }
        let key = try #require(server.keys["keys"]?[0])
        server.play("/jwks") { _, _ in .json(["keys": JSONValue(Array(repeating: key, count: 101))]) }
        guard case .badIDToken? = await failure(as: SMARTError.self, { try await server.launch() })?.reason
        else {
            Issue.record("many keys are taken")
            return
        }
    }

    @Test("an ID token by ES256 or RS256 says who it is", arguments: ["ES256", "RS256"])
    func identity(algorithm: String) async throws {
        let server = PlayedAuthorizationServer()
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let numbers = try rsa.publicKey.getKeyPrimitives()
        server.play(Self.tokenPath) { [unowned server] _, _ in
            let claims = server.claims()
            guard algorithm == "RS256" else {
                return .json(server.tokens(["id_token": try server.idToken(claims)]))
            }
            var jws = JWS(header: Data(#"{"alg":"RS256","kid":"r"}"#.utf8), payload: Data(claims.utf8()))
            jws.signature = try rsa.signature(
                for: SHA256.hash(data: jws.signingInput),
                padding: .insecurePKCS1v1_5
            ).rawRepresentation
            return .json(server.tokens(["id_token": JSONValue(jws.compact)]))
        }
        if algorithm == "RS256" {
            server.play("/jwks") { _, _ in
                .json([
                    "keys": [
                        [
                            "kty": "RSA", "kid": "r", "n": JSONValue(Base64URL.encode(numbers.modulus)),
                            "e": JSONValue(Base64URL.encode(numbers.publicExponent)),
                        ]
                    ]
                ])
            }
        }
        let user = try await server.launch().user
        #expect(user?.subject == "u1" && user?.fhirUser == "https://fhir.example.org/r4/Practitioner/1")
    }

    @Test(
        "an ID token of another issuer, app, login or time is not taken",
        arguments: [
            ["iss": "https://evil.example.org"], ["aud": "other"], ["aud": ["growth", "other"]],
            ["azp": "other"], ["exp": 1], ["iat": 99_999_999_999], ["nonce": "other"], ["nonce": .null],
            ["sub": ""], ["exp": "never"],
        ] as [JSONValue]
    )
    func wrongClaims(change: JSONValue) async throws {
        let server = PlayedAuthorizationServer()
        server.play(Self.tokenPath) { [unowned server] _, _ in
            .json(server.tokens(["id_token": try server.idToken(server.claims(change))]))
        }
        guard case .badIDToken? = await failure(as: SMARTError.self, { try await server.launch() })?.reason
        else {
            Issue.record("the ID token is taken")
            return
        }
    }

    @Test(
        "an ID token that is not signed by the server's key is not taken",
        arguments: ["none", "HS256", "crit", "other key", "other kid", "garbage"]
    )
    func wrongSignature(kind: String) async throws {
        let server = PlayedAuthorizationServer()
        server.play(Self.tokenPath) { [unowned server] _, _ in
            let claims = server.claims()
            let token: JSONValue
            switch kind {
            case "none":
                let jws = JWS(header: Data(#"{"alg":"none"}"#.utf8), payload: Data(claims.utf8()))
                token = JSONValue(jws.compact)
            case "HS256":
                var jws = JWS(header: Data(#"{"alg":"HS256","kid":"k"}"#.utf8), payload: Data(claims.utf8()))
                let secret = SymmetricKey(data: server.key.publicKey.rawRepresentation)
                jws.signature = Data(HMAC<SHA256>.authenticationCode(for: jws.signingInput, using: secret))
                token = JSONValue(jws.compact)
            case "crit":
                token = try server.idToken(claims, header: ["alg": "ES256", "kid": "k", "crit": ["x"]])
            case "other key": token = try PlayedAuthorizationServer().idToken(claims)
            case "other kid": token = try server.idToken(claims, header: ["alg": "ES256", "kid": "other"])
            default: token = "a.b.c"
            }
            return .json(server.tokens(["id_token": token]))
        }
        guard case .badIDToken? = await failure(as: SMARTError.self, { try await server.launch() })?.reason
        else {
            Issue.record("the ID token is taken")
            return
        }
    }

    @Test(
        "a token response that is none ends the login",
        arguments: [
            ["access_token": .null], ["access_token": "a b"], ["access_token": "a\r\nX: y"],
            ["token_type": "mac"], ["patient": "../Patient/8"], ["patient": 7],
        ] as [JSONValue]
    )
    func malformedTokens(change: JSONValue) async throws {
        let server = PlayedAuthorizationServer()
        server.play(Self.tokenPath) { [unowned server] _, _ in .json(server.tokens(change)) }
        guard
            case .malformedResponse? = await failure(as: SMARTError.self, { try await server.launch() })?
                .reason
        else {
            Issue.record("the response is taken")
            return
        }
    }

    @Test("no code, token or word of a server is in an error")
    func hidden() async throws {
        let server = PlayedAuthorizationServer()
        let words: JSONValue = ["error": "planted words!", "error_description": "planted"]
        server.play(Self.tokenPath) { _, _ in .json(words, status: 400) }
        let errors = [
            await failure(as: SMARTError.self) { try await server.launch() },
            await failure(as: SMARTError.self) {
                try await server.launch { asked in
                    [
                        "\(PlayedAuthorizationServer.redirectURI)?error=planted%20x&state=\(asked["state"] ?? "")"
                    ]
                }
            },
        ]
        for error in errors {
            let error = try #require(error)
            #expect(!error.description.contains("planted") && !"\(error)".contains("planted"))
        }
        let launch = try await PlayedAuthorizationServer().launch()
        var dumped = ""
        dump(await launch.authorization.session, to: &dumped)
        #expect(!dumped.contains("planted"))
    }

    @Test("a server of version 1 needs its CapabilityStatement to be found as SMART")
    func version1() async throws {
        let server = PlayedAuthorizationServer([Self.discoveryPath: { _, _ in .json([:], status: 404) }])
        #expect(
            await failure(as: SMARTError.self) { try await server.launch() }?.reason == .unexpectedStatus(404)
        )
        server.play("/r4/metadata") { _, _ in .json(["resourceType": "CapabilityStatement"]) }
        #expect(await failure(as: SMARTError.self) { try await server.launch() }?.reason == .notSMART)
        server.play("/r4/metadata") { _, _ in
            .json([
                "resourceType": "CapabilityStatement",
                "rest": [
                    [
                        "security": [
                            "extension": [
                                [
                                    "url":
                                        "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris",
                                    "extension": [
                                        [
                                            "url": "authorize",
                                            "valueUri": "https://auth.example.org/authorize",
                                        ],
                                        ["url": "token", "valueUri": "https://auth.example.org/token"],
                                    ],
                                ]
                            ]
                        ]
                    ]
                ],
            ])
        }
        #expect(try await server.launch().context.patient == "7")
    }
}
