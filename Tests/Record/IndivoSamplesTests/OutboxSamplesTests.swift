import Foundation
import HealthSamples
import Indivo
import IndivoOutbox
import IndivoSamples
import IndivoSandbox
import OAuth1
import Testing

@Suite("Samples through an outbox")
struct OutboxSamplesTests {
    private func sample(_ type: String, _ value: Int, _ unit: String) throws -> Sample {
        Sample(
            type: type,
            start: "2026-03-01T08:00:00+01:00",
            end: "2026-03-01T08:00:00+01:00",
            value: unit.isEmpty
                ? .category(value) : .quantity(SampleQuantity(value: .init(value), unit: .healthKit(unit)))
        )
    }

    private func samples() throws -> [Sample] {
        [
            try sample("HKQuantityTypeIdentifierHeartRate", 60, "count/min"),
            try sample("HKQuantityTypeIdentifierStepCount", 7, "count"),
            try sample("HKCategoryTypeIdentifierSleepAnalysis", 1, ""),
            try sample("HKQuantityTypeIdentifierHeartRate", 60, "count/min"),
        ]
    }

    private func names(_ results: [SampleQueueing]) -> [String] {
        results.map { String("\($0)".prefix { $0 != "(" }) }
    }

    /// A record of a sandbox, and a folder for outboxes.
    private func withRecord(_ body: (IndivoRecord, URL) async throws -> Void) async throws {
        var configuration = SandboxConfiguration()
        configuration.logger.logLevel = .error
        let sandbox = try await Sandbox.start(configuration)
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "indivo-samples-\(UUID().uuidString)"
        )
        do {
            let id = try #require(try await sandbox.records().first).id
            let token = try await sandbox.issueAccessToken(
                app: SandboxApp.demo.id,
                record: id,
                account: Sandbox.demoAccount
            )
            let app = AppCredentials(
                id: SandboxApp.demo.id,
                consumerKey: SandboxApp.demo.consumerKey,
                consumerSecret: Secret(SandboxApp.demo.consumerSecret)
            )
            let server = IndivoServer(api: sandbox.apiURL, ui: sandbox.uiURL, app: app)
            try await body(
                server.record(id: id, token: OAuthToken(value: token.token, secret: Secret(token.secret))),
                folder
            )
        } catch {
            await sandbox.stop()
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
        await sandbox.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("each sample is one document of the record, also when given again or elsewhere")
    func once() async throws {
        try await withRecord { record, folder in
            func outbox(_ name: String) throws -> Outbox {
                try record.outbox(
                    in: folder.appending(path: name),
                    keys: FileKeyStore(folder.appending(path: "\(name).key"))
                )
            }
            let before = try await record.reports(of: MeasuredValue.self).all().count
            let first = try outbox("a")
            #expect(names(try await first.add(samples())) == ["queued", "queued", "refused", "known"])
            #expect(names(try await first.add(samples())) == ["known", "known", "refused", "known"])
            #expect(try await first.flush().delivered.count == 2)
            #expect(names(try await first.add(samples())) == ["known", "known", "refused", "known"])
            // Another device knows nothing of the first one's deliveries; the server does.
            let second = try outbox("b")
            #expect(names(try await second.add(samples())) == ["queued", "queued", "refused", "known"])
            let report = try await second.flush()
            #expect(report.delivered.count == 2 && report.setAside.isEmpty, "\(report)")
            #expect(try await record.reports(of: MeasuredValue.self).all().count == before + 1)
        }
    }

    @Test("members of a correlation without a document are queued, also beside a bad one")
    func members() async throws {
        try await withRecord { record, folder in
            let outbox = try record.outbox(in: folder, keys: FileKeyStore(folder.appending(path: "k")))
            var food = try sample("HKCorrelationTypeIdentifierFood", 0, "")
            food.value = .correlation([try sample("HKQuantityTypeIdentifierDietaryProtein", 5, "g")])
            var mixed = food
            mixed.value = .correlation([
                try sample("HKQuantityTypeIdentifierDietaryFiber", 5, "g"),
                try sample("HKCategoryTypeIdentifierSleepAnalysis", 1, ""),
            ])
            #expect(names(try await outbox.add([food, mixed, food])) == ["queued", "refused", "known"])
            #expect(try await outbox.items().count == 2)
        }
    }

    @Test("an external id that is no UUID in lower case is not queued")
    func badID() async throws {
        try await withRecord { record, folder in
            let outbox = try record.outbox(in: folder, keys: FileKeyStore(folder.appending(path: "k")))
            for id in ["", "a/b", UUID().uuidString] {
                await #expect(throws: OutboxError.self) {
                    try await outbox.add(FileContent(text: "x"), externalID: id)
                }
            }
            #expect(try await outbox.items().isEmpty)
        }
    }
}
