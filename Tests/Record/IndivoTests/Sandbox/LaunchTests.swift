import Foundation
import Indivo
import IndivoBase
import IndivoSandbox
import IndivoTesting
import OAuth1
import Testing

@Suite("Launches from the UI")
struct LaunchTests {
    /// A URL that the sandbox opens the demo app with.
    @MainActor
    private func launchURL(_ sandbox: Sandbox) async throws -> URL {
        let landed = Box<URL>()
        let page = sandbox.uiURL.appending(path: "apps/demo@apps.example.org")
        try await HeadlessBrowser(handOver: { landed.value = $0 }).logIn(
            at: page,
            userName: "demo",
            password: "demo"
        )
        return try #require(landed.value)
    }

    private func start() async throws -> Sandbox {
        var configuration = SandboxConfiguration()
        configuration.logger.logLevel = .error
        var app = SandboxApp.demo
        app.startURL = "indivo-test:///start?record_id={record_id}&carenet_id={carenet_id}"
        app.callbackURL = ""
        configuration.apps = [app]
        return try await Sandbox.start(configuration)
    }

    @Test("a launch opens the record that the person was looking at, without a login")
    func launch() async throws {
        let sandbox = try await start()
        let url = try await launchURL(sandbox)
        let record = try await SandboxServer.server(of: sandbox).record(launchedWith: url)
        #expect(url.query()?.contains(record.id) == true)
        #expect(try await record.information().id == record.id)
        await sandbox.stop()
    }

    @Test("a launch is taken once, and never late, elsewhere or with a wrong secret")
    func refusals() async throws {
        let sandbox = try await start()
        let url = try await launchURL(sandbox)
        func reason(_ server: IndivoServer, _ url: URL) async -> IndivoError.Reason? {
            do {
                _ = try await server.record(launchedWith: url)
                return nil
            } catch {
                return (error as? IndivoError)?.reason
            }
        }
        let server = SandboxServer.server(of: sandbox)
        #expect(await reason(server, url) == nil)
        #expect(await reason(server, url) == .login(.callbackReplayed))

        guard
            case .login(.launchNotGenuine) = await reason(
                SandboxServer.server(of: sandbox, secret: "other"),
                url
            )
        else {
            Issue.record("a wrong secret is not noticed")
            return
        }
        let other = IndivoServer(api: sandbox.uiURL, ui: sandbox.uiURL, app: server.app)
        #expect(await reason(other, url) == .login(.launchForAnotherServer))

        var late = IndivoServer.Options()
        late.timing.now = { Date(timeIntervalSinceNow: 400) }
        let lateServer = IndivoServer(api: sandbox.apiURL, ui: sandbox.uiURL, app: server.app, options: late)
        guard case .login(.launchNotGenuine(let why)) = await reason(lateServer, url) else {
            Issue.record("an old launch is not noticed")
            return
        }
        #expect(why.contains("in the past"))
        let plain = try #require(URL(string: "indivo-test:///start?record_id=r"))
        #expect(await reason(server, plain) == .login(.launchWithoutCredentials))
        await sandbox.stop()
    }

    @Test("a header signed over the URL with its query is taken, and one properly escaped")
    func otherSigners() async throws {
        let app = AppCredentials(id: "demo@apps.example.org", consumerKey: "key", consumerSecret: "hush")
        let api = try #require(URL(string: "https://indivo.example.org:8000"))
        let server = IndivoServer(api: api, ui: api, app: app)
        let smart: FormParameters = [
            "smart_container_api_base": "https://Indivo.example.org:8000/", "smart_oauth_token": "T",
            "smart_oauth_token_secret": "S/+%2", "smart_app_id": app.id, "smart_record_id": "r-1",
        ]
        for signsQuery in [false, true] {
            var parameters: FormParameters = [
                "oauth_consumer_key": "key", "oauth_signature_method": "HMAC-SHA1",
                "oauth_timestamp": String(OAuthSigner.systemTime()), "oauth_nonce": OAuthSigner.randomNonce(),
            ]
            for parameter in smart { parameters.append(name: parameter.name, value: parameter.value) }
            let start = OAuthRequest(
                method: "GET",
                scheme: "https",
                authority: "meds.example.org",
                path: "/start",
                query: signsQuery ? "record_id=r-1&carenet_id=" : nil
            )
            let signature = try OAuthSigner.signature(
                request: start,
                authorization: OAuthAuthorization(parameters: parameters),
                credentials: OAuthCredentials(consumer: OAuthConsumer(key: "key", secret: "hush"))
            )
            parameters.append(name: "oauth_signature", value: signature)
            let header = OAuthAuthorization(parameters: parameters, realm: "").headerValue
            let escaped =
                signsQuery
                ? PercentEncoding.encode(header)
                : header.replacing(" ", with: "%20").replacing("\"", with: "%22")
            let url = try #require(
                URL(
                    string: "https://meds.example.org/start?record_id=r-1&carenet_id=&oauth_header=" + escaped
                )
            )
            let record = try await server.record(launchedWith: url)
            #expect(record.id == "r-1" && record.token.value == "T")
            #expect(record.token.secret == "S/+%2")
        }
    }
}
