import Foundation
import StudyDelivery
import StudyWarehouse
import Synchronization
import Testing

@testable import StudyServer
@testable import StudyWarehouse

/// What is not as it should be: messages that cannot be read, participants who leave, a machine in trouble.
extension ConsumerTests {
    @Test("the phone's id in a text becomes the pseudonym")
    func phoneIDInTexts() async throws {
        let study = try BackEnd()
        let participant = UUID()
        let texts = [
            "I am \(participant.uuidString)", String(repeating: "long ", count: 60) + participant.uuidString,
        ]
        _ = try await study.deliver(
            [Given.contract(participant)]
                + texts.enumerated().map { Given.response(participant, $0.offset, text: $0.element) }
        )
        let pseudonym = try #require(try await study.text("SELECT pseudonym FROM study_participant"))
        let facts = "SELECT count(*) FROM observation_fact WHERE"
        #expect(try await study.count("\(facts) tval_char = 'I am \(pseudonym)'") == 1)
        #expect(try await study.count("\(facts) observation_blob LIKE 'long %\(pseudonym)'") == 1)
    }

    @Test("a withdrawal that is processed again leaves nothing in files")
    func withdrawnAgain() async throws {
        let folder = try Folder()
        let study = try BackEnd(folder)
        let participant = UUID()
        let newer = StudyKeys.known("key-2")
        _ = try await study.deliver([
            Given.contract(participant), Given.response(participant, text: "what only one wrote"),
        ])
        let revoked = Given.contract(participant, status: "revoked")
        let body = try Given.envelope(revoked, key: StudyKeys.other, id: newer, form: .second)
        try await study.queue.send(
            StudyMessage(
                content: .envelope,
                received: "2026-03-02T00:00:00Z",
                client: Given.client,
                body: body
            )
        )
        #expect(try await study.consumer.drain().failed == 1)
        #expect(try folder.contains("what only one wrote"))
        let keys = KeyRing([StudyKeys.id: StudyKeys.key, newer: StudyKeys.other])
        #expect(
            try await Consumer(queue: study.queue, warehouse: study.warehouse, keys: keys).reprocessFailed()
                .refused == 1
        )
        #expect(try !folder.contains("what only one wrote"))
    }

    @Test("a withdrawal forgets what could not be processed")
    func forgottenFailures() async throws {
        let study = try BackEnd()
        let participant = UUID()
        let other = UUID()
        let nameless =
            #"""
            {"resourceType": "Observation", "status": "final", "subject": {"reference": \#
            "Patient/\#(participant.uuidString)"}}
            """#
        #expect(try await study.deliver([nameless]).failed == 1)
        _ = try await study.deliver([Given.contract(other), Given.response(other)])
        // From now on the warehouse refuses facts.
        try await study.warehouse.transaction { warehouse in
            let refusal =
                "CREATE TRIGGER t BEFORE INSERT ON observation_fact BEGIN SELECT raise(ABORT, 'no more'); END"
            _ = try warehouse.db.execute(refusal)
        }
        #expect(
            try await study.deliver([Given.contract(participant), Given.response(participant)]).failed == 1
        )
        #expect(try await study.count("SELECT count(*) FROM study_message WHERE state = 'failed'") == 2)
        _ = try await study.consumer.withdraw(participant)
        #expect(
            try await study.count(
                "SELECT count(*) FROM study_message WHERE state = 'refused' AND body IS NULL"
            ) == 3
        )
        #expect(try await study.warehouse.read { try $0.failedMessages() }.isEmpty)
    }

    @Test("one message in trouble holds up none of the others")
    func oneInTrouble() async throws {
        let study = try BackEnd(keys: [:])
        for number in 1...2 {
            try await study.queue.send(Given.message(Given.response(UUID(), number), id: "m\(number)"))
        }
        #expect(try await study.consumer.drain().failed == 2)
        try await study.warehouse.transaction { warehouse in
            _ = try warehouse.requestReprocessing(nil)
            // No rule is broken: the statement itself fails.
            let trouble =
                """
                CREATE TRIGGER t BEFORE UPDATE ON study_message WHEN NEW.id = 'm1' BEGIN SELECT \
                abs(-9223372036854775808); END
                """
            _ = try warehouse.db.execute(trouble)
        }
        let consumer = Consumer(
            queue: study.queue,
            warehouse: study.warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        await #expect(throws: (any Error).self) { try await consumer.drain() }
        #expect(
            try await study.count("SELECT count(*) FROM study_message WHERE id = 'm2' AND state = 'waiting'")
                == 1
        )
    }

    /// Reports each deletion and each release, which may fail.
    private struct WatchedQueue: MessageQueue {
        let queue: SQLiteMessageQueue
        let deleting: @Sendable (ReceivedMessage) async throws -> Void
        var releasing: @Sendable (ReceivedMessage) async throws -> Void = { _ in }

        func send(_ message: StudyMessage) async throws -> Bool { try await queue.send(message) }
        func receive(limit: Int, visibility: Int) async throws -> [ReceivedMessage] {
            try await queue.receive(limit: limit, visibility: visibility)
        }
        func delete(_ message: ReceivedMessage) async throws -> Bool {
            try await deleting(message)
            return try await queue.delete(message)
        }
        func release(_ message: ReceivedMessage, after seconds: Int, reason: String?) async throws {
            try await releasing(message)
            try await queue.release(message, after: seconds, reason: reason)
        }
        func deadLetters(limit: Int) async throws -> [DeadLetter] {
            try await queue.deadLetters(limit: limit)
        }
        func redeliver(_ id: String) async throws -> Bool { try await queue.redeliver(id) }
        func status() async throws -> MessageQueueStatus { try await queue.status() }
    }

    private struct Refusal: Error {}

    private func consumer(_ study: BackEnd, _ queue: any MessageQueue) -> Consumer {
        Consumer(queue: queue, warehouse: study.warehouse, keys: KeyRing([StudyKeys.id: StudyKeys.key]))
    }

    @Test("a message that cannot be deleted leaves no other one in the queue")
    func notDeleted() async throws {
        let study = try BackEnd()
        for number in 1...3 {
            try await study.queue.send(Given.message(Given.response(UUID(), number), id: "m\(number)"))
        }
        let queue = WatchedQueue(queue: study.queue) { if $0.message.id == "m2" { throw Refusal() } }
        await #expect(throws: Refusal.self) { try await consumer(study, queue).drain() }
        #expect(try await study.count("SELECT count(*) FROM study_message WHERE state = 'waiting'") == 3)
        #expect(try await study.queue.status().depth == 1)
    }

    @Test(
        "a message that comes again is deleted before anything else is processed",
        arguments: [false, true]
    )
    func repeated(fails: Bool) async throws {
        let study = try BackEnd()
        let test = try await TestQueue(.sqlite)
        let sqlite = try #require(test.queue as? SQLiteMessageQueue)
        try await sqlite.send(Given.message(Given.response(UUID(), 1), id: "m1"))
        let silent = WatchedQueue(queue: sqlite) { _ in throw Refusal() }
        await #expect(throws: Refusal.self) { try await consumer(study, silent).drain() }
        try await test.pass(300)
        try await sqlite.send(Given.message(Given.response(UUID(), 2), id: "m2"))
        let warehouse = study.warehouse
        let queue = WatchedQueue(queue: sqlite) { received in
            guard received.message.id == "m1" else { return }
            #expect(try await warehouse.read { try $0.message("m2") } == nil)
            if fails { throw Refusal() }
        }
        if fails {
            await #expect(throws: Refusal.self) { try await consumer(study, queue).drain() }
        } else {
            let report = try await consumer(study, queue).drain()
            #expect(report.repeated == 1 && report.waiting == 1)
        }
        // The one behind it was processed all the same.
        #expect(try await warehouse.read { try $0.message("m2")?.state } == .waiting)
        #expect(try await sqlite.status().depth == (fails ? 1 : 0))
    }

    @Test("a full disk costs no message its attempts")
    func fullDisk() async throws {
        let test = try await TestQueue(.sqlite, receives: 2)
        let warehouse = try Warehouse(nil)
        let consumer = Consumer(
            queue: test.queue,
            warehouse: warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        // Several of one batch: those behind the first have no attempt either.
        for number in 1...3 {
            try await test.queue.send(
                Given.message(Given.response(UUID(), number, text: String(repeating: "x", count: 50_000)))
            )
        }
        try await warehouse.transaction { _ = try $0.db.rows("PRAGMA max_page_count = 1") }
        for _ in 1...4 {
            await #expect(throws: (any Error).self) { try await consumer.drain() }
            try await test.pass(10)
        }
        try await warehouse.transaction { _ = try $0.db.rows("PRAGMA max_page_count = 1000000") }
        #expect(try await consumer.drain().waiting == 3)
        #expect(try await test.queue.status() == MessageQueueStatus(depth: 0, dead: 0, age: 0, bytes: 0))
    }

    @Test("no set of messages that fail or wait fills the warehouse")
    func filling() async throws {
        let test = try await TestQueue(.sqlite)
        let warehouse = try Warehouse(nil)
        let participant = UUID()
        let junk = (1...3).map {
            StudyMessage(id: "junk\($0)", content: .package, received: "x", body: Data("junk\($0)".utf8))
        }
        let consumer = Consumer(
            queue: test.queue,
            warehouse: warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key]),
            keptLimit: 12
        )
        for message in junk { try await test.queue.send(message) }
        try await test.queue.send(Given.message(Given.response(participant), id: "waiting"))
        try await test.queue.send(Given.message(Given.contract(participant)))
        let report = try await consumer.drain()
        // What can be loaded is, whoever has filled the room.
        #expect(report.failed == 2 && report.released == 2 && report.loaded == 1)
        #expect(try await warehouse.read { try $0.keptBytes() } == 10)
        #expect(try await test.queue.status().depth == 2)
        // Left without an attempt, it comes again, and now its consent is there.
        try await test.pass(600)
        #expect(try await consumer.drain().loaded == 1)
        for _ in 1...4 {
            try await test.pass(600)
            #expect(try await consumer.drain().released == 1)
        }
        let roomy = Consumer(
            queue: test.queue,
            warehouse: warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        try await test.pass(600)
        #expect(try await roomy.drain().failed == 1)
        #expect(try await test.queue.status().dead == 0)
    }

    @Test("a message that may end its consumer takes no other one along")
    func crashing() async throws {
        let test = try await TestQueue(.sqlite, receives: 5)
        let warehouse = try Warehouse(nil)
        for number in 1...3 {
            try await test.queue.send(Given.message(Given.response(UUID(), number), id: "m\(number)"))
        }
        // Two consumers end at the first message.
        for _ in 1...2 {
            #expect(try await test.queue.receive(limit: 16, visibility: 60).count == 3)
            try await test.pass(60)
        }
        let sqlite = try #require(test.queue as? SQLiteMessageQueue)
        let released = Mutex<[String]>([])
        let queue = WatchedQueue(queue: sqlite) { received in
            if received.message.id == "m1" { #expect(released.withLock { $0 } == ["m2", "m3"]) }
        } releasing: { received in
            if try await warehouse.read({ try $0.message("m1") }) == nil {
                released.withLock { $0.append(received.message.id) }
            }
        }
        let consumer = Consumer(
            queue: queue,
            warehouse: warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        #expect(try await consumer.drain().waiting == 3)
        #expect(released.withLock { $0 } == ["m2", "m3"])
    }

    @Test("a server's trouble is not taken for a message's fault")
    func serverTrouble() {
        // A standby, a right that was taken away, a table that is gone, a disk; then a value, and a statement
        // that took too long.
        for state in ["25006", "42501", "42P01", "58030", "53100", "57P01"] {
            #expect(MachineFailure.isCause(of: PostgreSQLError.refused(state: state, detail: "")), "\(state)")
        }
        for state in ["22001", "23514", "57014"] {
            #expect(
                !MachineFailure.isCause(of: PostgreSQLError.refused(state: state, detail: "")),
                "\(state)"
            )
        }
    }

    @Test("a request is taken back before its message is processed")
    func takenBack() async throws {
        let study = try BackEnd(keys: [:])
        try await study.queue.send(Given.message(Given.response(UUID()), id: "m"))
        #expect(try await study.consumer.drain().failed == 1)
        try await study.warehouse.transaction { warehouse in
            _ = try warehouse.requestReprocessing("m")
            for sql in [
                "CREATE TABLE changes (number INTEGER PRIMARY KEY, change TEXT)",
                """
                CREATE TRIGGER t AFTER UPDATE ON study_message
                BEGIN INSERT INTO changes (change) VALUES (OLD.state || ' ' || NEW.state); END
                """,
            ] { _ = try warehouse.db.execute(sql) }
        }
        let consumer = Consumer(
            queue: study.queue,
            warehouse: study.warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        #expect(try await consumer.drain().waiting == 1)
        let changes = "SELECT group_concat(change, ', ') FROM (SELECT change FROM changes ORDER BY number)"
        #expect(try await study.text(changes) == "again failed, failed waiting")
        // One that fails on the way is asked for still.
        try await study.warehouse.transaction { warehouse in
            for sql in [
                "UPDATE study_message SET state = 'again'",
                """
                CREATE TRIGGER u BEFORE UPDATE ON study_message WHEN NEW.state = 'waiting'
                BEGIN SELECT abs(-9223372036854775808); END
                """,
            ] { _ = try warehouse.db.execute(sql) }
        }
        await #expect(throws: (any Error).self) { try await consumer.drain() }
        #expect(try await study.warehouse.read { try $0.requestedMessages() } == ["m"])
    }
}
