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

        init(_ store: StoreKind, contentDays: Int? = 30, queue: (any MessageQueue)? = nil) async throws {
            self.queue = try queue ?? SQLiteMessageQueue(nil)
            warehouse = try await store.warehouse()
            self.contentDays = contentDays
        }

        func consumer(of queue: any MessageQueue) -> Consumer {
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
            _ = try await consumer(of: queue).drain()
            _ = try await consumer(of: queue).drain()
        }

        func state(_ id: String) async throws -> StoredMessage.State? {
            try await warehouse.read { try $0.message(id)?.state }
        }

        /// Whether the content of a message is there.
        func hasContent(_ id: String) async throws -> Bool {
            let message = try await warehouse.read { try $0.message(id) }
            return try #require(message).body != nil
        }

        var facts: Int {
            get async throws {
                let sql = "SELECT count(*) FROM observation_fact WHERE modifier_cd = '@'"
                return try await warehouse.read { try $0.db.number(sql) }
            }
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
        "of old content answers are removed, and consents, packages and what waits stay",
        arguments: StoreKind.allCases
    )
    func removal(store: StoreKind) async throws {
        let study = try await Study(store)
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
        #expect(try await study.warehouse.read { try $0.db.hasIndex("message_content") })
        for id in ["consent", "new", "waiting", "package"] {
            #expect(try await study.hasContent(id), "\(id)")
        }
        // What waited is loaded all the same, and what was removed is known.
        let again = try SQLiteMessageQueue(nil)
        for message in [answer, try Given.message(Given.contract(other))] { try await again.send(message) }
        let report = try await study.consumer(of: again).drain()
        #expect(report.repeated == 1 && report.loaded == 2)
        #expect(try await study.facts == 12)
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

    @Test("a content with a consent stays, also with one that was known", arguments: StoreKind.allCases)
    func signed(store: StoreKind) async throws {
        let study = try await Study(store)
        let participant = UUID()
        let contract = Given.contract(participant)
        try await study.deliver([
            Given.message(contract),
            Given.message(Given.bundle([contract, Given.response(participant)]), id: "again"),
            Given.message(Given.response(participant, 2), id: "answer"),
        ])
        #expect(try await study.hasContent("again"))
        #expect(try await !study.hasContent("answer"))
    }

    @Test(
        "of a participant whose withdrawal waits for the team everything stays",
        arguments: StoreKind.allCases
    )
    func pendingWithdrawal(store: StoreKind) async throws {
        let study = try await Study(store)
        let participant = UUID()
        let other = UUID()
        try await study.deliver([
            Given.message(Given.contract(participant)), Given.message(Given.contract(other)),
            Given.message(Given.response(participant), id: "answer"),
            Given.message(Given.response(other), id: "other"),
            Given.message(Given.contract(participant, status: "revoked"), client: "another app"),
        ])
        #expect(try await study.warehouse.read { try $0.pendingMessages().count } == 1)
        #expect(try await study.hasContent("answer"))
        #expect(try await !study.hasContent("other"))
    }

    @Test("nothing is removed while the queue has dead letters")
    func deadLetters() async throws {
        let test = try await TestQueue(.sqlite, receives: 1)
        let study = try await Study(.sqlite, queue: test.queue)
        let participant = UUID()
        let loading = study.consumer(of: test.queue)
        try await test.queue.send(Given.message(Given.contract(participant)))
        try await test.queue.send(Given.message(Given.response(participant), id: "answer"))
        _ = try await loading.drain()
        try await test.queue.send(Given.message(Given.response(participant, 2)))
        for _ in 1...2 {
            _ = try await test.queue.receive(limit: 1, visibility: 1)
            try await test.pass(60)
        }
        #expect(try await test.queue.status().dead == 1)
        _ = try await study.consumer(of: test.queue).drain()
        #expect(try await study.hasContent("answer"))
    }

    @Test("a stop that is processed after contents were removed loses nothing", arguments: StoreKind.allCases)
    func lateStop(store: StoreKind) async throws {
        let study = try await Study(store)
        let participant = UUID()
        try await study.deliver([
            Given.message(Given.contract(participant)),
            Given.message(Given.response(participant, 1), id: "before"),
            Given.message(Given.response(participant, 2), id: "after", received: "2026-03-04T00:00:00Z"),
        ])
        #expect(try await !study.hasContent("before"))
        // Another message waits, and is no longer agreed to.
        let late = try Given.message(Given.response(participant, 3), received: "2026-03-05T00:00:00Z")
        let digest = Consumer.digest(of: participant)
        let time = WarehouseTime(try #require(FHIRDateTime(text: "2026-03-03T00:00:00Z")))
        try await study.warehouse.transaction {
            try $0.keep(
                StoredMessage(
                    id: "late",
                    kind: late.content.rawValue,
                    body: late.body,
                    received: late.received,
                    state: .waiting,
                    participant: digest
                )
            )
            try $0.stop(digest, at: time, received: "2026-03-03T00:00:00Z")
        }
        #expect(try await study.warehouse.read { try $0.requestedMessages(limit: 9) } == ["late"])
        _ = try await study.consumer(of: study.queue).drain()
        #expect(try await study.state("late") == .refused)
        #expect(try await study.facts == 6)
        #expect(try await study.warehouse.read { try $0.hasWithdrawn(digest) })
    }
}
