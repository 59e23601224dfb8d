import Foundation
import Indivo
import IndivoBase
import IndivoOutbox
import IndivoSandbox
import IndivoTesting
import OAuth1
import Testing

/// A sandbox, a record on it, and folders for outboxes; all of a test's own.
struct Place {
    let sandbox: Sandbox
    let recordID: String
    let token: OAuthToken
    let folder: URL

    static func use(_ body: (Place) async throws -> Void) async throws {
        var configuration = SandboxConfiguration()
        configuration.logger.logLevel = .error
        let sandbox = try await Sandbox.start(configuration)
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "indivo-outbox-\(UUID().uuidString)"
        )
        do {
            let record = try #require(try await sandbox.records().first)
            let issued = try await sandbox.issueAccessToken(
                app: SandboxApp.demo.id,
                record: record.id,
                account: Sandbox.demoAccount
            )
            try await body(
                Place(
                    sandbox: sandbox,
                    recordID: record.id,
                    token: OAuthToken(value: issued.token, secret: Secret(issued.secret)),
                    folder: folder
                )
            )
        } catch {
            await sandbox.stop()
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
        await sandbox.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The record, reached through a transport.
    func record(
        _ transport: any HTTPTransport = .system,
        token: OAuthToken? = nil,
        api: URL? = nil,
        id: String? = nil
    ) -> IndivoRecord {
        IndivoServer(
            api: api ?? sandbox.apiURL,
            ui: sandbox.uiURL,
            app: AppCredentials(
                id: SandboxApp.demo.id,
                consumerKey: SandboxApp.demo.consumerKey,
                consumerSecret: Secret(SandboxApp.demo.consumerSecret)
            ),
            transport: transport
        ).record(id: id ?? recordID, token: token ?? self.token)
    }

    var keys: FileKeyStore { FileKeyStore(folder.appending(path: "keys/outbox.key")) }

    /// An outbox whose waits take no time.
    func outbox(
        _ transport: any HTTPTransport = .system,
        token: OAuthToken? = nil,
        record: IndivoRecord? = nil,
        attempts: Int = 3,
        serverFailures: Int = 10,
        networkFailures: Int = 30,
        receipts: Int = 100,
        diskFault: @escaping @Sendable (DiskStep) -> Int32 = { _ in 0 }
    ) throws -> Outbox {
        var policy = DeliveryPolicy(
            attempts: attempts,
            serverFailures: serverFailures,
            networkFailures: networkFailures,
            receipts: receipts
        )
        policy.sleep = { _ in await Task.yield() }
        policy.diskFault = diskFault
        return try Outbox(
            of: record ?? self.record(transport, token: token),
            in: folder.appending(path: "data"),
            keys: keys,
            policy: policy
        )
    }

    /// The names of the medications on the server, in the order in which they came.
    func medications(status: DocumentStatus = .active) async throws -> [String] {
        try await record().reports(of: Medication.self, matching: ReportQuery(status: status)).all()
            .reversed()
            .compactMap { $0.drugName?.title }.filter { $0.hasPrefix("Test") }
    }
}

func medication(_ name: String) -> Medication {
    let medication = Medication()
    medication.drugName = CodedValue(title: "Test \(name)", system: .rxNorm, identifier: "316153")
    medication.startDate = "2026-11-21"
    return medication
}

/// A document that the server refuses: its instructions are too long.
func refused(_ name: String) -> Medication {
    let document = medication(name)
    document.instructions = String(repeating: "x", count: 300)
    return document
}

extension OutboxItem.State {
    var isSetAside: Bool {
        if case .setAside = self { true } else { false }
    }

    var reason: String? {
        if case .setAside(let reason) = self { reason } else { nil }
    }

    var document: String? {
        if case .delivered(let document) = self { document } else { nil }
    }
}
