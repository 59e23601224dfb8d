import Foundation
import Indivo
import IndivoSandbox
import IndivoTesting

/// A sandbox of a test's own, with a record that the demo app may use, reached through the library alone.
struct SandboxServer {
    let sandbox: Sandbox
    let server: IndivoServer
    let record: IndivoRecord

    /// Runs a test against a fresh sandbox, and stops the sandbox afterwards.
    ///
    /// - Parameter transport: What carries the requests; the system's own unless a test puts something before
    ///   it.
    static func run(
        transport: any HTTPTransport = .system,
        _ body: (SandboxServer) async throws -> Void
    ) async throws {
        let listener = try LoopbackListener.onFreePort()
        let sandbox = try await start(for: listener)
        do {
            let server = server(of: sandbox, transport: transport)
            let record = try await logIn(to: server, listener: listener)
            try await body(SandboxServer(sandbox: sandbox, server: server, record: record))
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    static func start(for listener: LoopbackListener) async throws -> Sandbox {
        var configuration = SandboxConfiguration()
        configuration.logger.logLevel = .error
        var app = SandboxApp.demo
        app.startURL = "\(listener.startURL)?record_id={record_id}&carenet_id={carenet_id}"
        configuration.apps = [app]
        return try await Sandbox.start(configuration)
    }

    static func server(
        of sandbox: Sandbox,
        secret: Secret = "demo-secret",
        transport: any HTTPTransport = .system,
        options: IndivoServer.Options? = nil
    ) -> IndivoServer {
        // Two loaded processors may take longer than the minute that an app waits.
        let options = options ?? IndivoServer.Options(retry: RetryPolicy(deadline: .seconds(600)))
        return IndivoServer(
            api: sandbox.apiURL,
            ui: sandbox.uiURL,
            app: AppCredentials(
                id: "demo@apps.example.org",
                consumerKey: "demo@apps.example.org",
                consumerSecret: secret
            ),
            transport: transport,
            options: options
        )
    }

    /// Logs in as a person would, in a browser beside the library.
    static func logIn(
        to server: IndivoServer,
        listener: some CallbackReceiver,
        choosing label: String? = nil
    ) async throws -> IndivoRecord {
        let (pages, opened) = AsyncStream.makeStream(of: URL.self)
        let login = Task {
            defer { opened.finish() }
            return try await server.selectRecord(callback: listener) { url in opened.yield(url) }
        }
        do {
            for await page in pages {
                try await HeadlessBrowser().logIn(
                    at: page,
                    userName: "demo",
                    password: "demo",
                    choosing: label
                )
            }
        } catch {
            // Without its browser the login would wait for ever. Where it has failed by itself, that is the
            // reason.
            login.cancel()
            if case .failure(let reason as IndivoError) = await login.result,
                reason.reason != .login(.cancelled)
            {
                throw reason
            }
            throw error
        }
        return try await login.value
    }
}
