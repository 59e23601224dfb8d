import Foundation
import StudyServer
import StudyTesting
import Testing

@testable import StudyWarehouse

@Suite struct PostgreSQLTests {
    private func url() async throws -> String {
        guard let url = try await TestDatabase.emptySchema() else { try Test.cancel("\(TestDatabase.hint)") }
        return url
    }

    @Test("values come back as they were given")
    func values() async throws {
        let database = PostgreSQLDatabase(try PostgreSQLAddress(try await url()))
        let bytes = Data(0...255)
        let rows = try await database.run(.statement) { session in
            try session.rows(
                """
                SELECT ?::text AS text, ?::bigint AS number, ?::bytea AS bytes, ?::text AS nothing, ''::text \
                AS empty,
                    ?::bytea AS none
                """,
                ["it's; -- ü\u{1F600} $1", Int.min, bytes, nil, Data()]
            )
        }
        let row = try #require(rows.first)
        #expect(row.text("text") == "it's; -- ü\u{1F600} $1" && row.integer("number") == Int.min)
        #expect(row.bytes("bytes") == bytes && row["nothing"] == .null)
        #expect(row.text("empty") == "" && row.bytes("none") == Data())
    }

    @Test("errors name the rule and not the values")
    func errors() async throws {
        let database = PostgreSQLDatabase(try PostgreSQLAddress(try await url()))
        try await database.run(.statement) {
            try $0.command("CREATE TABLE t (a varchar(3) CONSTRAINT small CHECK (a < 'm'))")
        }
        for value in ["zzz", "private"] {
            do {
                try await database.run(.transaction) { _ = try $0.run("INSERT INTO t VALUES (?)", [value]) }
                #expect(Bool(false), "it was taken")
            } catch let error as PostgreSQLError {
                #expect(error.isValueFault)
                #expect(!"\(error)".contains(value), "\(error)")
            }
        }
        await #expect(throws: PostgreSQLError.unstorableText) {
            try await database.run(.statement) { _ = try $0.run("INSERT INTO t VALUES (?)", ["a\0b"]) }
        }
        await #expect(throws: PostgreSQLError.self) {
            try await database.run(.statement) { try $0.command("SELECT wrong") }
        }
        // The connection is as good as before.
        #expect(
            try await database.run(.statement) { try $0.rows("SELECT count(*) FROM t", []) }.first?.integer(0)
                == 0
        )
    }

    @Test(
        "errors of values are told from others",
        arguments: [("54000", true), ("22001", true), ("23514", true), ("42601", false), ("53100", false)]
    )
    func valueErrors(state: String, isValueFault: Bool) {
        #expect(PostgreSQLError.refused(state: state, detail: "").isValueFault == isValueFault)
    }

    @Test("what a body throws undoes the transaction")
    func undone() async throws {
        struct Stop: Error {}
        let database = PostgreSQLDatabase(try PostgreSQLAddress(try await url()))
        try await database.run(.statement) { try $0.command("CREATE TABLE t (a integer)") }
        await #expect(throws: Stop.self) {
            try await database.run(.transaction) { session in
                try session.run("INSERT INTO t VALUES (?)", [1])
                throw Stop()
            }
        }
        // Also in the middle of a result.
        await #expect(throws: Stop.self) {
            try await database.run(.snapshot) { session in
                _ = try session.run("SELECT generate_series(1, 1000000)", []) { _ in throw Stop() }
            }
        }
        #expect(
            try await database.run(.snapshot) { try $0.rows("SELECT count(*) FROM t", []) }.first?.integer(0)
                == 0
        )
    }

    @Test("a transaction left open is not the next user's")
    func leftOpen() async throws {
        let database = PostgreSQLDatabase(try PostgreSQLAddress(try await url()), connections: 1)
        try await database.run(.statement) { try $0.command("BEGIN; CREATE TABLE t (a integer)") }
        let rows = try await database.run(.statement) {
            try $0.rows("SELECT to_regclass('t')::text AS t", [])
        }
        let row = try #require(rows.first)
        #expect(row["t"] == .null)
    }

    @Test("a cancelled task ends its statement on the server")
    func cancelled() async throws {
        let database = PostgreSQLDatabase(try PostgreSQLAddress(try await url()), connections: 1)
        let start = ContinuousClock.now
        let work = Task {
            try await database.run(.transaction) { _ = try $0.rows("SELECT pg_sleep(60)", []) }
        }
        // Tasks begin in any order.
        try await Task.sleep(for: .milliseconds(300))
        let behind = Task { try await database.run(.statement) { _ = try $0.rows("SELECT 1", []) } }
        try await Task.sleep(for: .milliseconds(300))
        behind.cancel()
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
        await #expect(throws: CancellationError.self) { try await behind.value }
        #expect(start.duration(to: .now) < .seconds(30))
        #expect(try await database.run(.statement) { try $0.rows("SELECT 7", []) }.first?.integer(0) == 7)
    }

    @Test("a server whose default is serializable changes nothing")
    func serializable() async throws {
        let strict = try await url().replacing(
            "options=",
            with: "options=-cdefault_transaction_isolation%3Dserializable%20"
        )
        let database = PostgreSQLDatabase(try PostgreSQLAddress(strict))
        for (kind, level) in [
            (PostgreSQLDatabase.Kind.statement, "read committed"), (.transaction, "read committed"),
            (.snapshot, "repeatable read"),
        ] {
            let row = try await database.run(kind) {
                try $0.rows("SELECT current_setting('transaction_isolation')", []).first
            }
            #expect(row?.text(0) == level)
        }
    }

    @Test("two transactions that block each other are both done")
    func blocking() async throws {
        let database = PostgreSQLDatabase(try PostgreSQLAddress(try await url()))
        try await database.run(.statement) {
            try $0.command(
                "CREATE TABLE t (name text PRIMARY KEY, n integer); INSERT INTO t VALUES ('a', 0), ('b', 0)"
            )
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for names in [["a", "b"], ["b", "a"]] {
                group.addTask {
                    try await database.run(.transaction) { session in
                        for name in names {
                            try session.run("UPDATE t SET n = n + 1 WHERE name = ?", [name])
                            _ = try session.rows("SELECT pg_sleep(0.3)", [])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(
            try await database.run(.statement) { try $0.rows("SELECT sum(n) FROM t", []) }.first?.integer(0)
                == 4
        )
    }

    @Test("a broken connection is made again")
    func brokenConnection() async throws {
        let url = try await url()
        let queue = try await PostgreSQLMessageQueue(url)
        let message = StudyMessage(content: .envelope, received: "2026-03-01T00:00:00Z", body: Data("a".utf8))
        #expect(try await queue.send(message))
        let other = PostgreSQLDatabase(
            try PostgreSQLAddress(url.replacing("application_name=", with: "application_name=other_"))
        )
        let name = String(url.split(separator: "=").last ?? "")
        let ended = try await other.run(.statement) { session in
            try session.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?",
                [name]
            )
        }
        #expect(ended > 0)
        #expect(try await queue.receive(limit: 5, visibility: 60).map(\.message) == [message])
        #expect(try await queue.status().depth == 1)
    }

    @Test("a consumer that waits is woken")
    func woken() async throws {
        let url = try await url()
        let sender = try await PostgreSQLMessageQueue(url)
        let waiting = try await PostgreSQLMessageQueue(url)
        let start = ContinuousClock.now
        let wait = Task {
            // Others of the same server may wake it, too.
            while try await waiting.receive(limit: 1, visibility: 60).isEmpty {
                try await waiting.wait(for: .seconds(50))
            }
        }
        try await Task.sleep(for: .milliseconds(500))
        try await sender.send(
            StudyMessage(content: .envelope, received: "2026-03-01T00:00:00Z", body: Data("a".utf8))
        )
        try await wait.value
        #expect(start.duration(to: .now) < .seconds(25))
    }

    @Test("a too large result is refused, and a batch is bounded by its bytes")
    func bounds() async throws {
        let url = try await url()
        let database = PostgreSQLDatabase(try PostgreSQLAddress(url))
        await #expect(throws: PostgreSQLError.self) {
            try await database.run(.statement) { session in
                _ = try session.rows("SELECT repeat('x', 20000000) FROM generate_series(1, ?)", [100])
            }
        }
        let queue = try await PostgreSQLMessageQueue(url)
        for number in 0..<2 {
            try await queue.send(
                StudyMessage(
                    id: "m\(number)",
                    content: .package,
                    received: "2026-03-01T00:00:00Z",
                    body: Data(repeating: UInt8(number), count: 40 << 20)
                )
            )
        }
        #expect(try await queue.receive(limit: 16, visibility: 60).map(\.message.id) == ["m0"])
    }

    @Test(
        "a password in a URL is refused and not shown",
        arguments: [
            "postgresql://user:hidden@host/db", "postgresql://host/db?password=hidden", "mysql://host/db",
            "postgresql://[broken/hidden", "host=x password=hidden", "",
            "postgresql://host/db?sslpassword=hidden",
        ]
    )
    func password(url: String) {
        do {
            _ = try PostgreSQLAddress(url)
            #expect(Bool(false), "it was taken")
        } catch {
            #expect(!"\(error)".contains("hidden"))
        }
    }

    @Test(
        "a server elsewhere is not local",
        arguments: [
            "postgresql://db.example.org/db", "postgresql://localhost/db?hostaddr=192.0.2.1",
            "postgresql://db.example.org/db?hostaddr=", "postgresql:///db?service=far",
            "postgresql://localhost,db.example.org/db",
        ]
    )
    func elsewhere(url: String) throws {
        #expect(try !isLocal(url, [:]))
    }

    @Test(
        "a server elsewhere by the environment is not local",
        arguments: [
            ["PGHOST": "db.example.org"], ["PGHOST": "db.example.org", "PGHOSTADDR": ""],
            ["PGHOSTADDR": "192.0.2.1"],
            ["PGHOST": "localhost", "PGHOSTADDR": "192.0.2.1"], ["PGSERVICE": "far"],
        ]
    )
    func elsewhereByEnvironment(environment: [String: String]) throws {
        #expect(try !isLocal("postgresql:///db", environment))
    }

    @Test(
        "a server here is local",
        arguments: [
            "postgresql:///db", "postgresql://localhost/db", "postgresql://127.0.0.1:1,[::1]/db",
            "postgresql://%2Frun/db",
            "postgresql://db.example.org/db?hostaddr=127.0.0.1",
        ]
    )
    func here(url: String) throws {
        #expect(try isLocal(url, [:]))
    }

    private func isLocal(_ url: String, _ environment: [String: String]) throws -> Bool {
        try PostgreSQLAddress(url, environment: environment).isLocal
    }

    @Test("a server that is not there is reported")
    func notThere() async throws {
        do {
            _ = try await PostgreSQLMessageQueue("postgresql://127.0.0.1:1/none")
            #expect(Bool(false), "it is there")
        } catch let error as PostgreSQLError {
            #expect("\(error)".contains("no connection to PostgreSQL"))
        }
    }
}
