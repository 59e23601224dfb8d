import Foundation
import Indivo
import IndivoSandbox
import IndivoTesting
import Testing

@Suite("Logging in")
struct LoginTests {
    @Test("a person logs in, chooses a record and authorises the app, which can read it")
    func wholeFlow() async throws {
        try await SandboxServer.run { place in
            let information = try await place.record.information()
            #expect(information.id == place.record.id)
            #expect(!information.label.isEmpty)
            #expect(try await place.server.version() == "2.0.0")
        }
    }

    @Test("a token that was kept opens the record without a login")
    func keptToken() async throws {
        try await SandboxServer.run { place in
            let again = SandboxServer.server(of: place.sandbox).record(
                id: place.record.id,
                token: place.record.token
            )
            let information = try await again.information()
            #expect(information.id == place.record.id)
        }
    }

    @Test("the record that is chosen is the record that is opened")
    func choice() async throws {
        let listener = try LoopbackListener.onFreePort()
        let sandbox = try await SandboxServer.start(for: listener)
        for wanted in try await sandbox.records() {
            let record = try await SandboxServer.logIn(
                to: SandboxServer.server(of: sandbox),
                listener: listener,
                choosing: wanted.label
            )
            #expect(record.id == wanted.id)
        }
        await sandbox.stop()
    }

    @Test("an app with a URL scheme is handed its callbacks")
    @MainActor
    func urlScheme() async throws {
        var configuration = SandboxConfiguration()
        configuration.logger.logLevel = .error
        var app = SandboxApp.demo
        app.startURL = "indivo-test:///did_select_record?record_id={record_id}&carenet_id={carenet_id}"
        configuration.apps = [app]
        let sandbox = try await Sandbox.start(configuration)
        let receiver = URLSchemeReceiver(scheme: "indivo-test")
        let browser = HeadlessBrowser(handOver: { receiver.receive($0) })
        let record = try await SandboxServer.server(of: sandbox).selectRecord(callback: receiver) { url in
            Task {
                if url.path.contains("/apps/") {
                    _ = try await browser.logIn(at: url, userName: "demo", password: "demo")
                } else {
                    _ = try await browser.open(url)
                }
            }
        }
        #expect(try await record.information().id == record.id)
        await sandbox.stop()
    }

    @Test("a wrong consumer secret is refused when the token is asked for")
    func wrongSecret() async throws {
        let listener = try LoopbackListener.onFreePort()
        let sandbox = try await SandboxServer.start(for: listener)
        let error = await #expect(throws: IndivoError.self) {
            try await SandboxServer.logIn(
                to: SandboxServer.server(of: sandbox, secret: "wrong"),
                listener: listener
            )
        }
        #expect(error?.status == 403)
        #expect(error?.call == "request_token")
        await sandbox.stop()
    }
}
