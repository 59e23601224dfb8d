import Crypto
import CryptoExtras
import FHIRClient
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import OrderedJSON
import Synchronization
import Testing

/// A FHIR server with an authorization server that a test plays, in memory: good, but for what the test
/// changes.
final class PlayedAuthorizationServer: HTTPTransport {
    struct Received: Sendable {
        var url: String
        var form: FormParameters
        var authorization: String?
    }

    /// What it does to a request, by path; the number says how many came before.
    typealias Reply = @Sendable (Received, Int) throws -> HTTPAnswer

    static let base = "https://fhir.example.org/r4"
    let key = P256.Signing.PrivateKey()
    private let state = Mutex((received: [Received](), replies: [String: Reply](), nonce: ""))

    init(_ replies: [String: Reply] = [:]) { state.withLock { $0.replies = replies } }

    var received: [Received] { state.withLock { $0.received } }
    func count(_ path: String) -> Int { received.count { $0.url.hasSuffix(path) } }
    func play(_ path: String, _ reply: @escaping Reply) { state.withLock { $0.replies[path] = reply } }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        let path = request.path ?? ""
        let received = Received(
            url: "\(request.scheme ?? "")://\(request.authority ?? "")\(path)",
            form: FormParameters(decoding: body ?? Data()),
            authorization: request.headerFields[.authorization]
        )
        let (before, reply) = state.withLock { state in
            state.received.append(received)
            return (state.received.count { $0.url == received.url } - 1, state.replies[path])
        }
        if let reply { return try reply(received, before) }
        switch path {
        case "/r4/.well-known/smart-configuration": return .json(Self.configuration)
        case "/token": return .json(tokens())
        case "/jwks": return .json(keys)
        case "/r4/Patient/7": return .json(["resourceType": "Patient", "id": "7"])
        default: return .json([:], status: 404)
        }
    }

    static let configuration: JSONValue = [
        "issuer": "https://auth.example.org", "authorization_endpoint": "https://auth.example.org/authorize",
        "token_endpoint": "https://auth.example.org/token", "jwks_uri": "https://auth.example.org/jwks",
        "code_challenge_methods_supported": ["S256"], "capabilities": ["launch-standalone"],
    ]

    func tokens(_ more: JSONValue = [:]) -> JSONValue {
        var json: JSONValue = [
            "access_token": "planted-access", "token_type": "Bearer", "expires_in": 3600, "patient": "7",
            "scope": "launch/patient openid patient/*.rs offline_access", "refresh_token": "planted-refresh",
        ]
        for member in more.members ?? [] { json[member.name] = member.value }
        return json
    }

    // MARK: Identity

    var keys: JSONValue {
        let point = key.publicKey.rawRepresentation
        return [
            "keys": [
                [
                    "kty": "EC", "crv": "P-256", "kid": "k", "alg": "ES256", "use": "sig",
                    "x": JSONValue(Base64URL.encode(point.prefix(32))),
                    "y": JSONValue(Base64URL.encode(point.suffix(32))),
                ]
            ]
        ]
    }

    /// What the app asked the last ID token to hold.
    var nonce: String { state.withLock { $0.nonce } }

    func claims(_ more: JSONValue = [:]) -> JSONValue {
        let now = Int(Date().timeIntervalSince1970)
        var claims: JSONValue = [
            "iss": "https://auth.example.org", "aud": "growth", "sub": "u1", "iat": JSONValue(now),
            "exp": JSONValue(now + 300), "nonce": JSONValue(nonce),
            "fhirUser": "https://fhir.example.org/r4/Practitioner/1",
        ]
        for member in more.members ?? [] { claims[member.name] = member.value }
        return claims
    }

    func idToken(_ claims: JSONValue, header: JSONValue = ["alg": "ES256", "kid": "k"]) throws -> JSONValue {
        var jws = JWS(header: Data(header.utf8()), payload: Data(claims.utf8()))
        jws.signature = try key.signature(for: jws.signingInput).rawRepresentation
        return JSONValue(jws.compact)
    }

    // MARK: The app

    static let redirectURI = "org.example.growth:/callback"

    func server(
        scopes: [SMARTScope] = [.openID, .launchPatient, .offlineAccess, .patient("*", .reading)],
        sessions: any SessionStore<SMARTSession> = MemorySessionStore(),
        timing: CallTiming = .system
    ) throws -> SMARTServer {
        // Both are URLs.
        try SMARTServer(
            base: URL(string: Self.base)!,
            app: SMARTApp(id: "growth", redirectURI: URL(string: Self.redirectURI)!, scopes: scopes),
            transport: self,
            options: SMARTServer.Options(retry: .never, sessions: sessions, timing: timing)
        )
    }

    /// The address of the login page, as the app opens it, to the addresses that the browser comes back with.
    typealias Return = @Sendable (_ asked: FormParameters) -> [String]

    static func good(_ asked: FormParameters) -> [String] {
        ["\(redirectURI)?code=planted-code&state=\(asked["state"] ?? "")"]
    }

    func launch(
        _ server: SMARTServer? = nil,
        back: @escaping Return = PlayedAuthorizationServer.good
    ) async throws -> SMARTLaunch {
        let receiver = URLSchemeReceiver(redirectURI: try #require(URL(string: Self.redirectURI)))
        return try await (server ?? self.server()).launch(callback: receiver) { url in
            let asked = FormParameters(decoding: url.query(percentEncoded: true) ?? "")
            self.state.withLock { $0.nonce = asked["nonce"] ?? "" }
            for address in back(asked) { receiver.receive(try #require(URL(string: address))) }
        }
    }
}

extension HTTPAnswer {
    static func json(_ json: JSONValue, status: Int = 200, _ fields: HTTPFields = [:]) -> HTTPAnswer {
        var response = HTTPResponse(status: .init(code: status), headerFields: fields)
        response.headerFields[.contentType] = "application/json"
        return HTTPAnswer(response: response, body: Data(json.utf8()))
    }
}
