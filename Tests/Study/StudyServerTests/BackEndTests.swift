import Foundation
import StudyDelivery
import StudyServer
import Testing

@testable import StudyWarehouse

/// What holds for every queue with every store.
@Suite struct BackEndTests {
    struct Places: CustomTestStringConvertible, Sendable {
        let queue: QueueKind
        let store: StoreKind
        var testDescription: String { "\(queue), \(store)" }
        static let all = QueueKind.allCases.flatMap { queue in
            StoreKind.allCases.map { Places(queue: queue, store: $0) }
        }
    }

    private struct BackEnd {
        let queue: any MessageQueue
        let warehouse: Warehouse

        init(_ places: Places) async throws {
            // In files: several consumers use them at once.
            let folder = try Folder()
            queue = try await TestQueue(places.queue, receives: 5, file: folder.file("queue.sqlite")).queue
            warehouse = try await places.store.warehouse(folder.file("study.sqlite"))
            self.folder = folder
        }

        private let folder: Folder
        var consumer: Consumer {
            Consumer(queue: queue, warehouse: warehouse, keys: KeyRing([StudyKeys.id: StudyKeys.key]))
        }

        func count(_ sql: String) async throws -> Int {
            try await warehouse.read { try $0.db.number(sql) }
        }
        var facts: Int {
            get async throws {
                try await count("SELECT count(*) FROM observation_fact WHERE modifier_cd = '@'")
            }
        }
    }

    @Test("deliveries become facts once their consent is there", arguments: Places.all)
    func delivery(places: Places) async throws {
        let study = try await BackEnd(places)
        let participant = UUID()
        for number in 1...2 { try await study.queue.send(Given.message(Given.response(participant, number))) }
        #expect(try await study.consumer.drain().waiting == 2)
        #expect(try await study.facts == 0)
        try await study.queue.send(Given.message(Given.contract(participant)))
        #expect(try await study.consumer.drain().loaded == 3)
        #expect(try await study.facts == 6)
        let scores =
            "SELECT count(*) FROM observation_fact WHERE concept_cd LIKE '%:score' AND nval_num IN (1, 2)"
        #expect(try await study.count(scores) == 2)
        #expect(try await study.queue.status().depth == 0)
    }

    @Test("a response that comes again changes nothing", arguments: Places.all)
    func repeated(places: Places) async throws {
        let study = try await BackEnd(places)
        let participant = UUID()
        try await study.queue.send(Given.message(Given.contract(participant)))
        let message = try Given.message(Given.response(participant))
        try await study.queue.send(message)
        #expect(try await study.consumer.drain().loaded == 2)
        let loads = try await study.count("SELECT count(*) FROM upload_status")
        // As from a queue that knows nothing of what was in it.
        let again = try SQLiteMessageQueue(nil)
        try await again.send(message)
        let consumer = Consumer(
            queue: again,
            warehouse: study.warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        #expect(try await consumer.drain().repeated == 1)
        #expect(try await study.facts == 3)
        #expect(try await study.count("SELECT count(*) FROM upload_status") == loads)
        // The same in another envelope is another message of the same visit.
        try await study.queue.send(Given.message(Given.response(participant)))
        #expect(try await study.consumer.drain().loaded == 1)
        #expect(try await study.facts == 3)
        #expect(try await study.count("SELECT count(*) FROM visit_dimension") == 1)
    }

    @Test("who leaves is forgotten while several consumers work", arguments: Places.all)
    func leaving(places: Places) async throws {
        let study = try await BackEnd(places)
        let leaver = UUID()
        let other = UUID()
        var messages = try [
            Given.contract(leaver), Given.contract(other), Given.contract(leaver, status: "revoked"),
        ].map {
            try Given.message($0)
        }
        for number in 1...6 {
            messages += try [leaver, other].map { try Given.message(Given.response($0, number)) }
            // The same visit in another message.
            messages.append(try Given.message(Given.response(other, number)))
        }
        for message in messages.shuffled() { try await study.queue.send(message) }
        for report in try await Array(repeating: study.consumer, count: 4).drainTogether() {
            #expect(report.failed == 0 && report.released == 0)
        }
        // Whoever waited for a consent that another consumer had at hand.
        _ = try await study.consumer.drain()
        #expect(try await study.facts == 18)
        #expect(try await study.count("SELECT count(*) FROM patient_dimension") == 1)
        #expect(try await study.count("SELECT count(*) FROM visit_dimension") == 6)
        #expect(try await study.count("SELECT count(*) FROM study_withdrawal") == 1)
        #expect(
            try await study.count("SELECT count(*) FROM study_message WHERE state IN ('failed', 'waiting')")
                == 0
        )
        #expect(
            try await study.count(
                "SELECT count(*) FROM study_message WHERE state = 'refused' AND body IS NOT NULL"
            ) == 0
        )
    }
}
