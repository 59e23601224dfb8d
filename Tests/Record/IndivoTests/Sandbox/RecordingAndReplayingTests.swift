import Foundation
import Indivo
import IndivoSandbox
import IndivoTesting
import Testing

/// The code of the page “Recording and replaying”, as it stands there.
@Suite("The page on recording and replaying")
struct RecordingAndReplayingTests {
    private let app = AppCredentials(
        id: "demo@apps.example.org",
        consumerKey: "demo@apps.example.org",
        consumerSecret: "demo-secret"
    )

    @Test("what is recorded as the page says is replayed as it says, and nothing remains")
    func page() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        let callback = try LoopbackListener.onFreePort()
        let sandbox = try await SandboxServer.start(for: callback)
        let count: Int
        do {
            count = try await recorded(api: sandbox.apiURL, ui: sandbox.uiURL, file, callback)
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
        #expect(count == 3)
        try await replayed(api: sandbox.apiURL, ui: sandbox.uiURL, file)
    }

    private func recorded(api: URL, ui: URL, _ file: URL, _ callback: LoopbackListener) async throws -> Int {
        let direct = IndivoServer(api: api, ui: ui, app: app)
        let chosen = try await direct.selectRecord(callback: callback) { url in
            Task { try await HeadlessBrowser().logIn(at: url, userName: "demo", password: "demo") }
        }
        let recorder = try RecordingTransport(.system, to: file)
        let server = IndivoServer(api: api, ui: ui, app: app, transport: recorder)
        let record = server.record(id: chosen.id, token: chosen.token)
        let medications = try await record.reports(of: Medication.self).all()
        return medications.count
    }

    private func replayed(api: URL, ui: URL, _ file: URL) async throws {
        let recording = try Recording(contentsOf: file)
        let transport = ReplayTransport(recording)
        let server = IndivoServer(api: api, ui: ui, app: app, transport: transport)
        let id = try #require(recording.recordIDs.first)
        let record = server.record(id: id, token: OAuthToken(value: "any", secret: "any"))
        #expect(try await record.reports(of: Medication.self).all().count == 3)
        #expect(transport.remaining.isEmpty)
    }
}
