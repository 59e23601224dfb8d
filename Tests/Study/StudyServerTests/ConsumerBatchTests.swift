import Foundation
import StudyTesting
import StudyWarehouse
import Synchronization
import Testing

@testable import StudyServer
@testable import StudyWarehouse

/// Many messages in one transaction: what one of them does to the others.
@Suite struct ConsumerBatchTests {
    /// A warehouse behind a queue in memory.
    private struct BackEnd {
        let queue: SQLiteMessageQueue
        let warehouse: Warehouse
        let consumer: Consumer

        init(_ store: StoreKind) async throws {
            queue = try SQLiteMessageQueue(nil)
            warehouse = try await store.warehouse()
            consumer = Consumer(
                queue: queue,
                warehouse: warehouse,
                keys: KeyRing([StudyKeys.id: StudyKeys.key])
            )
        }

        func deliver(_ messages: [StudyMessage]) async throws -> Consumer.Report {
            for message in messages { try await queue.send(message) }
            return try await consumer.drain()
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

    /// The participants' consents and responses, in turns.
    private func messages(of people: [UUID], responses: Int) throws -> [StudyMessage] {
        try people.map { try Given.message(Given.contract($0)) }
            + (1...responses).flatMap { number in
                try people.map { try Given.message(Given.response($0, number)) }
            }
    }

    @Test("a batch has what each of its messages says", arguments: StoreKind.allCases)
    func everything(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        let people = (0..<7).map { _ in UUID() }
        let report = try await study.deliver(messages(of: people, responses: 6))
        #expect(report.loaded == 7 * 7)
        #expect(try await study.facts == 7 * 6 * 3)
        // One load for each message with facts, in one transaction.
        #expect(try await study.count("SELECT count(*) FROM upload_status") == 7 * 6)
        #expect(
            try await study.count(
                "SELECT count(DISTINCT upload_id) FROM observation_fact o JOIN upload_status USING (upload_id)"
            ) == 7 * 6
        )
        #expect(try await study.count("SELECT sum(loaded_record) FROM upload_status") == 7 * 6 * 3)
        #expect(try await study.count("SELECT count(DISTINCT encounter_num) FROM visit_dimension") == 7 * 6)
        #expect(try await study.count("SELECT count(*) FROM study_resource") == 7 * 6)
    }

    @Test("a row that is refused keeps none of its batch's other messages", arguments: StoreKind.allCases)
    func refusedRow(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        let people = (0..<4).map { _ in UUID() }
        let refusal =
            switch store {
            case .sqlite:
                """
                CREATE TRIGGER t BEFORE INSERT ON observation_fact WHEN NEW.tval_char = 'refused'
                BEGIN SELECT raise(ABORT, 'no'); END
                """
            case .postgreSQL:
                "ALTER TABLE observation_fact ADD CONSTRAINT t CHECK (tval_char <> 'refused')"
            }
        try await study.warehouse.transaction { _ = try $0.db.execute(refusal) }
        var messages = try messages(of: people, responses: 5)
        let bad = try Given.message(Given.response(people[1], 9, text: "refused"), id: "bad")
        messages.insert(bad, at: 13)
        let report = try await study.deliver(messages)
        #expect(report.loaded == 4 * 6 && report.failed == 1)
        #expect(try await study.facts == 4 * 5 * 3)
        let state = try await study.warehouse.read { try $0.message("bad") }
        guard case .failed? = state?.state else { return #expect(Bool(false), "it is not kept as failed") }
        #expect(state?.participant == Consumer.digest(of: people[1]) && state?.body != nil)
        #expect(try await study.queue.status().depth == 0)
    }

    @Test("a statement that fails puts one message back, and the others are loaded")
    func brokenStatement() async throws {
        let study = try await BackEnd(.sqlite)
        let people = (0..<3).map { _ in UUID() }
        // No rule is broken: the statement itself fails.
        let trouble = """
            CREATE TRIGGER t BEFORE INSERT ON study_message WHEN NEW.id = 'bad'
            BEGIN SELECT abs(-9223372036854775808); END
            """
        try await study.warehouse.transaction { _ = try $0.db.execute(trouble) }
        var messages = try messages(of: people, responses: 3)
        messages.insert(try Given.message(Given.response(people[0], 9), id: "bad"), at: 6)
        let report = try await study.deliver(messages)
        #expect(report.loaded == 3 * 4 && report.released == 1)
        #expect(try await study.queue.status().depth == 1)
        #expect(try await study.warehouse.read { try $0.message("bad") } == nil)
    }

    @Test("what a batch has of one participant is in its order", arguments: StoreKind.allCases)
    func order(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        let participant = UUID()
        func response(_ number: Int, _ text: String, _ hour: Int) throws -> StudyMessage {
            let authored = "2026-03-01T1\(hour):00:00Z"
            return try Given.message(
                Given.response(participant, number, text: text, authored: authored),
                received: authored
            )
        }
        let leaving = try Given.message(
            Given.contract(participant, status: "revoked"),
            received: "2026-04-01T00:00:00Z"
        )
        let again = try Given.message(
            Given.contract(participant, signed: "2026-05-01T00:00:00Z"),
            received: "2026-05-01T00:00:10Z"
        )
        let after = try Given.message(
            Given.response(participant, 3, text: "anew", authored: "2026-05-02T00:00:00Z"),
            received: "2026-05-02T00:00:00Z"
        )
        let first = try [
            Given.message(Given.contract(participant)), response(1, "first", 0), response(1, "corrected", 2),
            // One that comes late, and is older.
            response(1, "between", 1), response(2, "other", 3),
        ]
        #expect(try await study.deliver(first).loaded == 5)
        let texts = "SELECT count(*) FROM observation_fact WHERE tval_char"
        #expect(try await study.count("\(texts) = 'corrected'") == 1)
        #expect(try await study.count("\(texts) IN ('first', 'between')") == 0)
        #expect(try await study.facts == 6)
        // They leave, agree anew and answer, all in one batch with what another one gives.
        let other = UUID()
        let others = try messages(of: [other], responses: 2)
        let report = try await study.deliver([others[0], leaving, others[1], again, after, others[2]])
        #expect(report.refused == 1 && report.loaded == 5)
        #expect(try await study.facts == 3 + 6)
        #expect(try await study.count("\(texts) = 'anew'") == 1)
        #expect(try await study.count("SELECT count(*) FROM study_earlier_withdrawal") == 1)
        #expect(try await study.count("SELECT count(DISTINCT patient_num) FROM observation_fact") == 2)
    }

    @Test("a message that a queue gives twice in one batch is loaded once", arguments: StoreKind.allCases)
    func twiceInABatch(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        let participant = UUID()
        let messages = try messages(of: [participant], responses: 2).map { MessageToLoad(message: $0) }
        let outcomes = await study.consumer.load(messages + messages)
        let states = try outcomes.map { outcome -> StoredMessage.State? in
            guard case .processed(let state) = try outcome.get() else { return nil }
            return state
        }
        #expect(states == [.loaded, .loaded, .loaded, nil, nil, nil])
        #expect(try await study.facts == 6)
    }

    @Test("consumers with the same participants load all, each once", arguments: StoreKind.allCases)
    func overlappingConsumers(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        let people = (0..<12).map { _ in UUID() }
        let messages = try messages(of: people, responses: 8)
        // As queues that both give all, each in another order.
        var consumers: [Consumer] = []
        for number in 0..<3 {
            let queue = try SQLiteMessageQueue(nil)
            let turned = messages[(number * 31)...] + messages[..<(number * 31)]
            for message in number == 1 ? turned.reversed() : Array(turned) {
                try await queue.send(message)
            }
            consumers.append(
                Consumer(
                    queue: queue,
                    warehouse: study.warehouse,
                    keys: KeyRing([StudyKeys.id: StudyKeys.key])
                )
            )
        }
        for report in try await consumers.drainTogether() {
            #expect(report.released == 0 && report.failed == 0)
        }
        #expect(try await study.facts == 12 * 8 * 3)
        #expect(try await study.count("SELECT count(*) FROM study_message WHERE state = 'loaded'") == 12 * 9)
        #expect(try await study.count("SELECT count(*) FROM study_participant") == 12)
        #expect(try await study.count("SELECT count(*) FROM upload_status WHERE loaded_record > 0") == 12 * 8)
    }

    @Test("a transaction that is undone in the middle leaves nothing, and all comes again")
    func undoneInTheMiddle() async throws {
        guard let url = try await TestDatabase.emptySchema() else { try Test.cancel("\(TestDatabase.hint)") }
        let warehouse = try await Warehouse(postgreSQL: url)
        let test = try await TestQueue(.sqlite, receives: 5)
        let people = (0..<5).map { _ in UUID() }
        for message in try messages(of: people, responses: 6) { try await test.queue.send(message) }
        let consumer = Consumer(
            queue: test.queue,
            warehouse: warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        let name = String(url.split(separator: "=").last ?? "")
        let other = PostgreSQLDatabase(
            try PostgreSQLAddress(url.replacing("application_name=", with: "application_name=other_"))
        )
        // The server takes its connections down while rows are written, some times.
        try await other.run(.statement) { session in
            try session.command(
                """
                CREATE TABLE kills (n integer); INSERT INTO kills VALUES (0);
                CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN PERFORM pg_sleep(0.2); RETURN NULL; END $$;
                CREATE TRIGGER t AFTER INSERT ON observation_fact FOR EACH STATEMENT EXECUTE FUNCTION slow()
                """
            )
        }
        let killer = Task {
            var count = 0
            while !Task.isCancelled, count < 3 {
                count += try await other.run(.statement) { session in
                    try session.run(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE application_name = ? AND query LIKE 'COPY observation_fact%' AND state = 'active'
                        """,
                        [name]
                    )
                }
                // It ends where it is cancelled.
                try? await Task.sleep(for: .milliseconds(20))
            }
            return count
        }
        var loaded = 0
        for _ in 0..<6 where loaded < 5 * 7 {
            loaded += (try? await consumer.drain().loaded) ?? 0
            try await test.pass(400)
        }
        killer.cancel()
        #expect(try await killer.value > 0)
        #expect(
            try await warehouse.read { try $0.db.number("SELECT count(*) FROM study_message") } == 35
        )
        let facts = "SELECT count(*) FROM observation_fact WHERE modifier_cd = '@'"
        #expect(try await warehouse.read { try $0.db.number(facts) } == 5 * 6 * 3)
        #expect(try await test.queue.status().depth == 0)
    }

    @Test("a batch that ended its consumers twice is tried one by one")
    func suspects() async throws {
        let test = try await TestQueue(.sqlite, receives: 5)
        let warehouse = try Warehouse(nil)
        let people = (0..<3).map { _ in UUID() }
        for message in try messages(of: people, responses: 3) { try await test.queue.send(message) }
        for _ in 1...2 {
            #expect(try await test.queue.receive(limit: 256, visibility: 60).count == 12)
            try await test.pass(60)
        }
        let consumer = Consumer(
            queue: test.queue,
            warehouse: warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key])
        )
        let report = try await consumer.drain()
        #expect(report.loaded == 12)
        // Those behind the first go back once, not once for each of them.
        #expect(report.released == 11)
        #expect(try await test.queue.status() == MessageQueueStatus(depth: 0, dead: 0, age: 0, bytes: 0))
    }

    @Test("texts with what COPY escapes come back as they were", arguments: StoreKind.allCases)
    func escapes(store: StoreKind) async throws {
        let study = try await BackEnd(store)
        let participant = UUID()
        // In JSON: a tab, a line's end, a return, a backslash and N, a backslash and a dot.
        let text = #"a\tb\nc\r\\N \\. é"#
        let report = try await study.deliver([
            Given.message(Given.contract(participant)),
            Given.message(Given.response(participant, text: text)),
        ])
        #expect(report.loaded == 2)
        let stored = try await study.warehouse.read { warehouse in
            try warehouse.db.row(
                "SELECT tval_char FROM observation_fact WHERE concept_cd LIKE '%:note'"
            )?.text(0)
        }
        #expect(stored == "a\tb\nc\r\\N \\. é")
    }
}
