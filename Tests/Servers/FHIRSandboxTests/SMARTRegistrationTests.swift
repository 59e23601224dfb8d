import FHIRClient
import Foundation
import IndivoBase
import OrderedJSON
import Testing

@testable import FHIRSandbox

@Suite("Registration and logins of apps")
struct SMARTRegistrationTests {
    private func server() throws -> TestServer { try TestServer { $0.smart = SMARTSandboxConfiguration() } }

    private func register(_ server: TestServer, _ metadata: JSONValue) async -> TestResponse {
        await server.send("POST", "/auth/register", type: "application/json", body: metadata.text())
    }

    private func form(_ server: TestServer, _ path: String, _ form: FormParameters) async -> TestResponse {
        await server.send("POST", path, type: FormParameters.contentType, body: form.encoded)
    }

    @Test("an app registers itself, and gets a secret unless it is public")
    func registered() async throws {
        let server = try server()
        let metadata: JSONValue = ["redirect_uris": ["http://127.0.0.1:9/cb"], "client_name": "App"]
        let confidential = await register(server, metadata)
        #expect(confidential.status == 201 && confidential.json["client_secret"]?.string?.isEmpty == false)
        var open = metadata
        open["token_endpoint_auth_method"] = "none"
        let response = await register(server, open)
        #expect(response.status == 201 && response.json["client_secret"] == nil)
        #expect(response.header("Access-Control-Allow-Origin") == "*")
    }

    @Test(
        "an app that sends codes elsewhere or works without a person is not registered",
        arguments: [
            ["redirect_uris": ["http://evil.example.org/cb"]], ["redirect_uris": ["javascript:alert(1)"]],
            ["redirect_uris": ["https://a.example/#x"]], ["redirect_uris": []], [:], ["redirect_uris": [7]],
            ["redirect_uris": ["app:/cb"], "grant_types": ["client_credentials"]],
            ["redirect_uris": ["app:/cb"], "token_endpoint_auth_method": "private_key_jwt"],
            ["redirect_uris": ["app:/cb"], "launch_url": "javascript:alert(1)"],
        ] as [JSONValue]
    )
    func refused(metadata: JSONValue) async throws {
        #expect(await register(try server(), metadata).status == 400)
    }

    @Test("nobody is sent to an address that the app is not registered with")
    func redirects() async throws {
        let server = try TestServer {
            $0.smart = SMARTSandboxConfiguration()
            $0.smart?.apps = [.init(id: "app", redirectURIs: ["app:/cb"])]
        }
        let good: FormParameters = [
            "response_type": "code", "client_id": "app", "redirect_uri": "app:/cb", "state": "s",
            "scope": "launch/patient patient/*.rs", "aud": "http://127.0.0.1:8080/fhir",
            "code_challenge": Base64URL.encode(Data(repeating: 7, count: 32)),
            "code_challenge_method": "S256",
        ]
        func authorize(_ change: (inout [FormParameters.Element]) -> Void) async -> TestResponse {
            var elements = Array(good)
            change(&elements)
            return await server.get("/auth/authorize?" + FormParameters(elements).encoded)
        }
        func set(_ name: String, _ value: String) -> (inout [FormParameters.Element]) -> Void {
            { elements in
                guard let index = elements.firstIndex(where: { $0.name == name }) else { return }
                elements[index].value = value
            }
        }
        #expect(await authorize { _ in }.header("Location")?.hasPrefix("/auth/decide?login=") == true)
        for wrong in [
            set("redirect_uri", "app:/cb2"), set("redirect_uri", "https://evil.example"),
            set("client_id", "x"),
        ] {
            let response = await authorize(wrong)
            #expect(response.status == 400 && response.header("Location") == nil)
        }
        #expect(await authorize { $0.append(.init(name: "redirect_uri", value: "app:/cb")) }.status == 400)
        for wrong in [
            set("response_type", "token"), set("code_challenge_method", "plain"),
            set("code_challenge", "short"),
            set("aud", "https://evil.example/fhir"), set("state", ""), set("scope", "system/*.rs"),
        ] {
            let location = await authorize(wrong).header("Location")
            #expect(location?.hasPrefix("app:/cb?error=") == true)
        }
    }

    @Test("off this machine tokens are for the configured base alone, whatever name is used")
    func audience() async throws {
        func authorize(_ server: TestServer, host: String, audience: String) async -> String {
            let asked: FormParameters = [
                "response_type": "code", "client_id": "app", "redirect_uri": "app:/cb", "state": "s",
                "scope": "launch/patient patient/*.rs", "aud": audience,
                "code_challenge": Base64URL.encode(Data(repeating: 7, count: 32)),
                "code_challenge_method": "S256",
            ]
            let path = "/auth/authorize?" + asked.encoded
            return await server.send("GET", path, ["Host": host]).header("Location") ?? ""
        }
        func server(_ url: String?) throws -> TestServer {
            try TestServer {
                $0.publicURL = url.flatMap { URL(string: $0) }
                $0.smart = SMARTSandboxConfiguration()
                $0.smart?.apps = [.init(id: "app", redirectURIs: ["app:/cb"])]
            }
        }
        let unknown = try server(nil)
        let address = "10.1.2.3:8080"
        #expect(
            await authorize(unknown, host: address, audience: "http://\(address)/fhir")
                .hasPrefix("app:/cb?error=")
        )
        let local = "http://localhost:8080/fhir"
        #expect(await authorize(unknown, host: "127.0.0.1:8080", audience: local).hasPrefix("/auth/decide"))
        #expect(await authorize(unknown, host: address, audience: local).hasPrefix("app:/cb?error="))

        let base = "https://fhir.example.org/fhir"
        let known = try server(base + "/")
        #expect(await authorize(known, host: "fhir.example.org", audience: base).hasPrefix("/auth/decide"))
        #expect(
            await authorize(known, host: "fhir.example.org", audience: local).hasPrefix("app:/cb?error=")
        )
        #expect(
            await authorize(known, host: address, audience: "http://\(address)/fhir")
                .hasPrefix("app:/cb?error=")
        )
        #expect(await authorize(known, host: "evil.example.org", audience: base).isEmpty)
        let document = await known.send(
            "GET",
            "/fhir/.well-known/smart-configuration",
            ["Host": "fhir.example.org"]
        )
        #expect(document.json["issuer"]?.string == base)
        #expect(document.json["token_endpoint"]?.string == "https://fhir.example.org/auth/token")
    }

    @Test("forms that other sites send log nobody in and allow nothing")
    func forgery() async throws {
        let server = try server()
        let login: FormParameters = ["name": "demo", "password": "demo", "return": "/"]
        let foreign = await server.send(
            "POST",
            "/auth/login",
            ["Sec-Fetch-Site": "cross-site"],
            type: FormParameters.contentType,
            body: login.encoded
        )
        #expect(foreign.status == 403 && foreign.header("Set-Cookie") == nil)
        let own = await form(server, "/auth/login", login)
        let cookie = try #require(own.header("Set-Cookie"))
        #expect(own.status == 303 && cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"))
        // Of a sandbox on another port it is another.
        #expect(cookie.hasPrefix("fhir_session_8080="))
        let session = ["Cookie": String(cookie.prefix { $0 != ";" })]
        for path in ["/auth/launch", "/auth/logout"] {
            let response = await server.send(
                "POST",
                path,
                session,
                type: FormParameters.contentType,
                body: "app=a&patient=b"
            )
            #expect(response.status == 403, "\(path)")
        }
        for target in ["//evil.example", "https://evil.example", "/\\evil.example", "/a\r\nX: y"] {
            let response = await form(
                server,
                "/auth/login",
                ["name": "demo", "password": "demo", "return": target]
            )
            #expect(response.header("Location") == "/")
        }
    }

    @Test("a password is guessed five times a minute at most")
    func guessing() async throws {
        let server = try TestServer {
            $0.smart = SMARTSandboxConfiguration()
            $0.now = { Date(timeIntervalSince1970: 1_800_000_000) }
        }
        for _ in 0..<5 {
            #expect(await form(server, "/auth/login", ["name": "demo", "password": "x"]).status == 200)
        }
        let right = await form(server, "/auth/login", ["name": "demo", "password": "demo"])
        #expect(right.header("Set-Cookie") == nil)
    }

    @Test("tokens are for clients that prove who they are, in forms without doubles")
    func clients() async throws {
        let server = try TestServer {
            $0.smart = SMARTSandboxConfiguration()
            $0.smart?.apps = [.init(id: "app", redirectURIs: ["app:/cb"], secret: "s")]
        }
        for wrong in [
            ["client_id": "app"], ["client_id": "app", "client_secret": "x"], ["client_id": "other"], [:],
        ] as [FormParameters] {
            let fields = [.init(name: "grant_type", value: "client_credentials")] + Array(wrong)
            let response = await form(server, "/auth/token", FormParameters(fields))
            #expect(response.status == 401 && response.json["error"]?.string == "invalid_client")
        }
        let double = await server.send(
            "POST",
            "/auth/token",
            type: FormParameters.contentType,
            body: "grant_type=refresh_token&client_id=app&client_secret=s&client_secret=t"
        )
        #expect(double.json["error"]?.string == "invalid_request")
        let service = await form(
            server,
            "/auth/token",
            [
                "grant_type": "client_credentials", "client_id": "app", "client_secret": "s",
                "scope": "system/*.rs",
            ]
        )
        #expect(service.json["error"]?.string == "unauthorized_client")
    }

    @Test("what the server remembers is bounded")
    func bounded() {
        var map = BoundedMap<Int>(limit: 10)
        for number in 0..<1_000 {
            map["n\(number)"] = number
            if number % 3 == 0 { map["n\(number)"] = nil }
        }
        #expect((0..<1_000).filter { map["n\($0)"] != nil }.count <= 10)
        #expect(map["n998"] == 998 && map["n0"] == nil)
        map["n998"] = 1
        #expect(map["n998"] == 1)
    }
}
