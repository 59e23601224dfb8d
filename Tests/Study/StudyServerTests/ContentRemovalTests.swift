import FHIR
import Foundation
import StudyFormats
import StudyServer
import Testing

@testable import StudyWarehouse

/// What a study keeps of the messages that were loaded.
@Suite struct ContentRemovalTests {
    private struct Study {
        let queue: any MessageQueue
        let warehouse: Warehouse
        let contentDays: Int?

        init(_ store: StoreKind, contentDays: Int?) async throws {
            queue = try await TestQueue(.sqlite).queue
            warehouse = try await store.warehouse()
            self.contentDays = contentDays
        }

        var consumer: Consumer {
            Consumer(
                queue: queue,
                warehouse: warehouse,
                keys: KeyRing([StudyKeys.id: StudyKeys.key]),
                contentDays: contentDays
            )
        }

        /// Has one consumer load messages, and another, which begins then, remove contents.
        func deliver(_ messages: [StudyMessage]) async throws {
            for message in messages { try await queue.send(message) }
            _ = try await consumer.drain()
            _ = try await consumer.drain()
        }

        /// Whether the content of a message is there.
        func hasContent(_ id: String) async throws -> Bool {
            let message = try await warehouse.read { try $0.message(id) }
            return try #require(message).body != nil
        }
    }

    private static func package(_ participant: UUID) throws -> StudyMessage {
        var archive = try StudyArchive(ArchiveInfo(study: "org.example.sleep", item: "diary"))
        try archive.add("response.json", Data(Given.response(participant, 3).utf8))
        let folder = try Folder()
        try archive.write(to: folder.file("p.cms"), encryption: CMSEncryption(for: [StudyKeys.certificate()]))
        return StudyMessage(
            id: "package",
            content: .package,
            subject: participant.uuidString,
            received: "2026-03-02T00:00:00Z",
            body: try Data(contentsOf: folder.file("p.cms"))
        )
    }

    @Test(
        "of what was loaded long ago, answers are removed, and consents, packages and what waits stay",
        arguments: StoreKind.allCases
    )
    func removal(store: StoreKind) async throws {
        let study = try await Study(store, contentDays: 30)
        let participant = UUID()
        let other = UUID()
        let answer = try Given.message(Given.response(participant, 1), id: "old")
        try await study.deliver([
            Given.message(Given.contract(participant), id: "consent"), answer,
            Given.message(
                Given.response(participant, 2),
                id: "new",
                received: FHIRDateTime(Date()).description
            ),
            Given.message(Given.response(other), id: "waiting"), Self.package(participant),
        ])
        #expect(try await !study.hasContent("old"))
        for id in ["consent", "new", "waiting", "package"] {
            #expect(try await study.hasContent(id), "\(id)")
        }
        // What waited is loaded all the same, and what was removed is known.
        let again = try SQLiteMessageQueue(nil)
        for message in [answer, try Given.message(Given.contract(other))] { try await again.send(message) }
        let consumer = Consumer(
            queue: again,
            warehouse: study.warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key]),
            contentDays: 30
        )
        let report = try await consumer.drain()
        #expect(report.repeated == 1 && report.loaded == 2)
        let facts = "SELECT count(*) FROM observation_fact WHERE modifier_cd = '@'"
        #expect(try await study.warehouse.read { try $0.db.number(sql: facts) } == 12)
    }

    @Test("without a number of days every content stays", arguments: StoreKind.allCases)
    func keeping(store: StoreKind) async throws {
        let study = try await Study(store, contentDays: nil)
        let participant = UUID()
        try await study.deliver([
            Given.message(Given.contract(participant)), Given.message(Given.response(participant), id: "old"),
        ])
        #expect(try await study.hasContent("old"))
    }

    @Test("contents are removed a part at a time, the oldest first", arguments: StoreKind.allCases)
    func parts(store: StoreKind) async throws {
        let study = try await Study(store, contentDays: nil)
        let participant = UUID()
        try await study.deliver(
            [Given.message(Given.contract(participant))]
                + (1...5).map {
                    try Given.message(
                        Given.response(participant, $0),
                        id: "m\($0)",
                        received: "2026-03-0\($0)T00:00:00Z"
                    )
                }
        )
        let end = try #require(FHIRDateTime(text: "2026-03-05T00:00:00Z"))
        var counts: [Int] = []
        for _ in 0..<3 {
            counts.append(
                try await study.warehouse.transaction {
                    try $0.removeLoadedContents(receivedBefore: WarehouseTime(end), limit: 3)
                }
            )
        }
        #expect(counts == [3, 1, 0])
        #expect(try await study.hasContent("m5"))
    }
}
