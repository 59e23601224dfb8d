import FHIR
import Foundation
import StudyWarehouse
import Testing

@testable import StudyServer

/// When a consumer asks the warehouse what waits there and can be loaded.
@Suite struct WaitingMessageTests {
    private static func consumer(_ queue: any MessageQueue, _ warehouse: Warehouse) -> Consumer {
        Consumer(queue: queue, warehouse: warehouse, keys: KeyRing([StudyKeys.id: StudyKeys.key]))
    }

    @Test("a consumer with messages asks later what waits, and at once when it has none")
    func askingLater() async throws {
        let test = try await TestQueue(.sqlite)
        let warehouse = try Warehouse(nil)
        let participant = UUID()
        let consumer = Self.consumer(test.queue, warehouse)
        try await test.queue.send(Given.message(Given.response(participant)))
        #expect(try await consumer.drain().waiting == 1)
        // Another consumer writes the consent, and ends before it loads what waits.
        let digest = Consumer.digest(of: participant)
        let signed = WarehouseTime(try #require(FHIRDateTime(text: "2026-02-01T09:00:00Z")))
        try await warehouse.transaction {
            try $0.keepConsent(of: digest, message: "consent", signed: signed, version: nil, shares: nil)
        }
        consumer.nextKept.time.withLock { $0 = .now + .seconds(3600) }
        try await test.queue.send(Given.message(Given.response(UUID())))
        var report = Consumer.Report()
        #expect(try await consumer.step(&report))
        #expect(report.waiting == 1 && report.loaded == 0)
        #expect(try await consumer.step(&report))
        #expect(report.loaded == 1)
    }

    @Test("after it has asked, a consumer with messages does not ask at once again")
    func notAtOnce() async throws {
        let test = try await TestQueue(.sqlite)
        let consumer = Self.consumer(test.queue, try Warehouse(nil))
        let before = ContinuousClock.now
        _ = try await consumer.drain()
        #expect(consumer.nextKept.time.withLock { $0 } > before)
        consumer.nextKept.time.withLock { $0 = before }
        #expect(consumer.shouldCheckKept(false))
    }
}
