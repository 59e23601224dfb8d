import FHIR
import FHIRClient
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import Logging
import OrderedJSON
import Synchronization
import Testing

@Suite("FHIR client: authorisation")
struct AuthorizationTests {
    /// Gives numbered tokens.
    private final class Tokens: FHIRAuthorization {
        let renewals = Mutex(0)
        func token() async throws -> Secret? { Secret("planted-token-\(renewals.withLock { $0 })") }
        func token(after refused: Secret?) async throws -> Secret? {
            renewals.withLock { $0 += 1 }
            return try await token()
        }
    }

    @Test("a token goes out as Bearer")
    func bearer() async throws {
        let server = PlayedServer(.patient)
        _ = try await server.client(authorization: .bearer("abc.def")).read(Patient.self, id: "7")
        #expect(server.received.first?.field("Authorization") == "Bearer abc.def")
    }

    @Test("a token is renewed once after 401, also for a create, which was not done")
    func renewed() async throws {
        let server = PlayedServer { _, number in
            number == 0
                ? .status(401, ["WWW-Authenticate": "Bearer"]) : .status(201, ["Location": "Patient/9"])
        }
        let tokens = Tokens()
        #expect(try await server.client(authorization: tokens).create(Patient()).id == "9")
        #expect(
            server.received.map { $0.field("Authorization") } == [
                "Bearer planted-token-0", "Bearer planted-token-1",
            ]
        )
    }

    @Test("a second 401 is the end")
    func refused() async throws {
        let server = PlayedServer(.status(401))
        let tokens = Tokens()
        let error = await failure {
            try await server.client(authorization: tokens).read(Patient.self, id: "7")
        }
        #expect(
            error?.reason == .unauthorized && server.received.count == 2
                && tokens.renewals.withLock { $0 } == 1
        )
        #expect(
            await failure {
                try await server.client(authorization: .bearer("a")).read(Patient.self, id: "7")
            }?.attempts == 1
        )
        #expect(server.received.count == 3)
    }

    @Test("a token that no header can carry is not sent", arguments: ["", "a b", "a\r\nX: y", "ä"])
    func badToken(token: String) async throws {
        let server = PlayedServer(.patient)
        let error = await failure {
            try await server.client(authorization: .bearer(Secret(token))).read(Patient.self, id: "7")
        }
        guard case .authorization? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(server.received.isEmpty && error?.isSafeToRetry == true)
    }

    @Test("no token, id, value or word of the server is in a log or a description")
    func hidden() async throws {
        struct Handler: LogHandler {
            let write: @Sendable (String) -> Void
            var metadata: Logger.Metadata = [:]
            var logLevel = Logger.Level.trace
            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { nil }
                set {}
            }
            func log(event: LogEvent) { write("\(event.message)") }
        }
        let lines = Collector<String>()
        let logger = Logger(label: "test") { _ in Handler(write: { lines.append($0) }) }
        let outcome =
            """
            {"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"value",\
            "diagnostics":"planted"}]}
            """
        let server = PlayedServer { received, _ in
            received.request.method == .get && received.request.path?.contains("?") == false
                ? .fhir(#"{"resourceType":"Patient","id":"planted-id"}"#) : .fhir(outcome, status: 422)
        }
        let client = try server.client(authorization: Tokens(), logger: logger)
        _ = try await client.read(Patient.self, id: "planted-id")
        for error in [
            await failure { try await client.create(Patient(name: HumanName(family: "planted-name"))) },
            await failure {
                for try await _ in client.search(Patient.self, [.parameter("name", .string("planted-name"))])
                {}
            },
        ] {
            let error = try #require(error)
            #expect(!error.description.contains("planted"))
        }
        #expect(lines.all.count >= 3 && lines.all.allSatisfy { !$0.contains("planted") })
        #expect(!"\(BearerAuthorization(token: "planted"))".contains("planted"))
    }

    // MARK: Client credentials

    private static func token(_ value: String, _ more: String = #","expires_in":300"#) -> HTTPAnswer {
        .text(#"{"access_token":"\#(value)","token_type":"bearer"\#(more)}"#, type: "application/json")
    }

    private func credentials(
        _ server: PlayedServer,
        _ clock: StillClock = StillClock(),
        _ authentication: ClientCredentials.Authentication = .basic(id: "a b:c", secret: "s&ä")
    ) throws -> ClientCredentials {
        // A URL.
        try ClientCredentials(
            tokenURL: URL(string: "https://auth.example.org/token?tenant=1")!,
            scope: "system/*.read system/Observation.write",
            authentication: authentication,
            transport: server,
            timing: clock.timing
        )
    }

    @Test("a token is asked for with id and secret, which go nowhere else")
    func clientCredentials() async throws {
        let endpoint = PlayedServer(Self.token("t1"))
        let server = PlayedServer(.patient)
        let client = try server.client(authorization: credentials(endpoint))
        for _ in 0..<3 { _ = try await client.read(Patient.self, id: "7") }
        let request = try #require(endpoint.received.first)
        #expect(
            endpoint.received.count == 1 && request.line == "POST /token?tenant=1"
                && request.request.authority == "auth.example.org"
        )
        #expect(
            request.body
                == "grant_type=client_credentials&scope=system%2F%2A.read%20system%2FObservation.write"
        )
        #expect(
            request.field("Authorization") == "Basic "
                + Data("a%20b%3Ac:s%26%C3%A4".utf8).base64EncodedString()
        )
        #expect(server.received.allSatisfy { $0.field("Authorization") == "Bearer t1" })
        let form = PlayedServer(Self.token("t1"))
        _ = try await credentials(form, StillClock(), .form(id: "me", secret: "s&")).token()
        #expect(
            form.received.first?.body.hasSuffix("&client_id=me&client_secret=s%26") == true
                && form.received.first?.field("Authorization") == nil
        )
    }

    @Test("a token is renewed before it expires and after a refusal, once for all who wait")
    func renewal() async throws {
        let clock = StillClock()
        let endpoint = PlayedServer { _, number in Self.token("t\(number)") }
        let credentials = try credentials(endpoint, clock)
        #expect(try await credentials.token()?.reveal() == "t0")
        clock.pass(.seconds(269))
        #expect(try await credentials.token()?.reveal() == "t0")
        clock.pass(.seconds(2))
        #expect(try await credentials.token()?.reveal() == "t1")
        #expect(try await credentials.token(after: "t1")?.reveal() == "t2")
        #expect(try await credentials.token(after: "t1")?.reveal() == "t2")
        let many = PlayedServer { _, number in Self.token("t\(number)") }
        let shared = try self.credentials(many)
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { _ = try await shared.token() } }
            try await group.waitForAll()
        }
        #expect(many.received.count == 1)
    }

    @Test(
        "a response of the token endpoint without a token is an error without its words",
        arguments: [
            (
                HTTPAnswer.text(
                    #"{"error":"invalid_client","error_description":"planted"}"#,
                    type: "application/json",
                    status: 401
                ), "invalid_client"
            ),
            (
                .text(#"{"error":"planted secret!"}"#, type: "application/json", status: 400),
                "no reason given"
            ),
            (.text("<html>planted</html>", type: "text/html"), "not JSON"),
            (.text("{}", type: nil), "no access token"),
            (.text(#"{"access_token":"planted x","token_type":"bearer"}"#, type: nil), "no access token"),
            (.text(#"{"access_token":"planted","token_type":"mac"}"#, type: nil), "another type"),
            (.text(#"{"access_token":["planted"],"token_type":"bearer"}"#, type: nil), "no access token"),
        ]
    )
    func noToken(answer: HTTPAnswer, words: String) async throws {
        let server = PlayedServer(.patient)
        let client = try server.client(authorization: credentials(PlayedServer(answer)))
        let error = try #require(await failure { try await client.create(Patient()) })
        guard case .authorization(let what) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(
            what.contains(words) && !error.description.contains("planted") && error.isSafeToRetry
                && server.received.isEmpty
        )
    }

    @Test(
        "odd lifetimes are bounded",
        arguments: [
            "", #","expires_in":1e308"#, #","expires_in":-5"#, #","expires_in":"300""#, #","expires_in":0"#,
        ]
    )
    func lifetimes(member: String) async throws {
        #expect(try await credentials(PlayedServer(Self.token("t", member))).token()?.reveal() == "t")
    }

    @Test("an unreachable token endpoint is tried again, also for a create")
    func endpointLost() async throws {
        let endpoint = PlayedServer { _, number in
            guard number > 1 else {
                throw HTTPTransportError(kind: .cannotConnect, server: "auth", mayHaveReachedServer: false)
            }
            return Self.token("t")
        }
        let server = PlayedServer(.status(201, ["Location": "Patient/1"]))
        #expect(try await server.client(authorization: credentials(endpoint)).create(Patient()).id == "1")
    }

    @Test("a token endpoint needs TLS")
    func plainEndpoint() {
        #expect(throws: FHIRAuthorizationError.self) {
            try ClientCredentials(
                tokenURL: URL(string: "http://auth.example.org/token")!,
                authentication: .basic(id: "a", secret: "b")
            )
        }
    }

    @Test("an assertion is a JWT for the endpoint, good for five minutes and one use")
    func assertion() async throws {
        let collected = Collector<Data>()
        let assertion = ClientAssertion(clientID: "uploader", keyID: "k-1", algorithm: .es384) { message in
            collected.append(message)
            return Data([0xFB, 0xEF, 0xFF])
        }
        let endpoint = PlayedServer(Self.token("t", ""))
        let credentials = try credentials(endpoint, StillClock(), .assertion(assertion))
        _ = try await credentials.token()
        _ = try await credentials.token(after: "t")
        func jwt(_ body: String) throws -> [String] {
            let parameter = try #require(
                body.split(separator: "&").first { $0.hasPrefix("client_assertion=") }
            )
            return parameter.dropFirst("client_assertion=".count).split(separator: ".").map(String.init)
        }
        func decoded(_ part: String) throws -> JSONValue {
            var text = part.replacing("-", with: "+").replacing("_", with: "/")
            text += String(repeating: "=", count: (4 - text.count % 4) % 4)
            return try JSONValue(parsing: #require(Data(base64Encoded: text)))
        }
        let first = try jwt(endpoint.received[0].body), second = try jwt(endpoint.received[1].body)
        #expect(first.count == 3 && first[2] == "--__")
        #expect(
            endpoint.received[0].body.contains(
                "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
            )
        )
        #expect(try decoded(first[0]) == ["alg": "ES384", "kid": "k-1", "typ": "JWT"])
        let claims = try decoded(first[1])
        #expect(
            claims["iss"] == "uploader" && claims["sub"] == "uploader"
                && claims["aud"] == "https://auth.example.org/token?tenant=1"
        )
        #expect(claims["exp"]?.integer == 1_795_233_900)
        #expect(try claims["jti"] != decoded(second[1])["jti"])
        #expect(collected.all.first == Data("\(first[0]).\(first[1])".utf8))
    }
}

/// What closures collect.
private final class Collector<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    var all: [Element] { elements.withLock { $0 } }
    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
