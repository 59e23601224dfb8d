import Foundation
import Indivo
import IndivoSandbox

/// A sandbox of a test's own and a record in it, with a token that was issued without a login.
struct TestRecord {
    let sandbox: Sandbox
    let server: IndivoServer
    let record: IndivoRecord
    let transport: WatchingTransport

    static let account = Sandbox.demoAccount

    /// - Parameters:
    ///   - inner: What carries the requests; the system's own unless a test puts something before it.
    ///   - retry: How calls are retried.
    static func run(
        through inner: any HTTPTransport = .system,
        retry: RetryPolicy = RetryPolicy(),
        _ body: (TestRecord) async throws -> Void
    ) async throws {
        var configuration = SandboxConfiguration()
        configuration.logger.logLevel = .error
        configuration.machineApps = [
            SandboxMachineApp(
                id: "ui@apps.example.org",
                name: "UI",
                consumerKey: "ui",
                consumerSecret: "ui-secret",
                isChrome: true
            )
        ]
        configuration.apps = [
            SandboxApp(
                id: "robot@apps.example.org",
                name: "Robot",
                consumerSecret: "robot-secret",
                startURL: "",
                callbackURL: "",
                isAutonomous: true
            )
        ]
        let sandbox = try await Sandbox.start(configuration)
        do {
            let transport = WatchingTransport(inner)
            let server = server(
                of: sandbox,
                app: SandboxApp.demo.id,
                secret: "demo-secret",
                transport,
                IndivoServer.Options(retry: retry, sessions: MemorySessionStore())
            )
            let id = try await sandbox.records()[0].id
            let token = try await sandbox.issueAccessToken(
                app: SandboxApp.demo.id,
                record: id,
                account: account
            )
            let record = server.record(
                id: id,
                token: OAuthToken(value: token.token, secret: Secret(token.secret))
            )
            try await body(TestRecord(sandbox: sandbox, server: server, record: record, transport: transport))
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    static func server(
        of sandbox: Sandbox,
        app: String,
        key: String? = nil,
        secret: Secret,
        _ transport: any HTTPTransport = .system,
        _ options: IndivoServer.Options = IndivoServer.Options()
    ) -> IndivoServer {
        IndivoServer(
            api: sandbox.apiURL,
            ui: sandbox.uiURL,
            app: AppCredentials(id: app, consumerKey: key ?? app, consumerSecret: secret),
            transport: transport,
            options: options
        )
    }

    // MARK: What a person does in the pages of a UI server

    /// The record as its owner sees it who is logged in at the UI server.
    func asOwner() async throws -> IndivoRecord {
        let ui = Self.server(of: sandbox, app: "ui@apps.example.org", key: "ui", secret: "ui-secret")
        let form = FileContent(
            text: FormParameters([
                .init(name: "username", value: "demo"), .init(name: "password", value: "demo"),
            ]).encoded,
            contentType: FormParameters.contentType
        )
        let session = try await ui.call(.post, "/oauth/internal/session_create", body: form)
        return ui.record(id: record.id, token: try token(in: session))
    }

    /// The first carenet of the record, with a document shared in it.
    func sharing(_ document: some RecordDocument) async throws -> IndivoCarenet {
        let owner = try await asOwner()
        let list = try await owner.call(.get, "/records/\(record.id)/carenets/")
        let carenets = try Carenets.read(from: list.xml(), root: "Carenets").carenets
        guard let carenet = carenets.first, let id = document.documentPlace.id else {
            throw CancellationError()
        }
        try await owner.call(.put, "/records/\(record.id)/documents/\(id)/carenets/\(carenet.id)")
        try await owner.call(.put, "/carenets/\(carenet.id)/apps/\(SandboxApp.demo.id)")
        return record.carenet(carenet.id)
    }

    /// A carenet with a token for it alone.
    func tokenBound(_ carenet: IndivoCarenet) async throws -> IndivoCarenet {
        let owner = try await asOwner()
        func form(_ parameters: FormParameters) -> FileContent {
            FileContent(text: parameters.encoded, contentType: FormParameters.contentType)
        }
        // A token for a carenet is good for a member of it.
        try await owner.call(
            .post,
            "/carenets/\(carenet.id)/accounts/",
            body: form(["account_id": Self.account, "write": "false"])
        )
        let request = try token(
            in: await server.call(
                .post,
                "/oauth/request_token",
                body: form(["indivo_carenet_id": carenet.id, "oauth_callback": "oob"])
            )
        )
        try await owner.call(.post, "/oauth/internal/request_tokens/\(request.value)/claim")
        let approved = try await owner.call(
            .post,
            "/oauth/internal/request_tokens/\(request.value)/approve",
            body: form(["carenet_id": carenet.id])
        )
        let location = FormParameters(decoding: approved.text)["location"] ?? ""
        let verifier =
            FormParameters(decoding: String(location.split(separator: "?").last ?? ""))["oauth_verifier"]
            ?? ""
        let access = try await server.record(id: "none", token: request)
            .call(.post, "/oauth/access_token", body: form(["oauth_verifier": verifier]))
        return server.carenet(id: carenet.id, token: try token(in: access))
    }

    private func token(in answer: FileContent) throws -> OAuthToken {
        let form = FormParameters(decoding: answer.text)
        return OAuthToken(value: form["oauth_token"] ?? "", secret: Secret(form["oauth_token_secret"] ?? ""))
    }
}
