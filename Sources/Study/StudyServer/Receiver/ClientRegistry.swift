import Crypto
import Foundation
import GRDB
import IndivoBase
import OrderedJSON
import StudyFormats
import StudyWarehouse
import Synchronization
import WebServing

/// The store in which a receiver keeps the apps that registered, their tokens, and how many participants each
/// state has.
///
/// Receivers of one study have to share it: an app that registered at one of them is unknown to the others
/// otherwise.
public enum ReceiverClients: Sendable, Hashable {
    /// In the queue's database, where that is PostgreSQL's: all receivers of the queue share it. In memory
    /// otherwise, and then a restart makes all apps register anew.
    case besideQueue
    /// In a SQLite file, for the receivers of one machine. Beside a queue of PostgreSQL the file's apps are
    /// copied into the queue's database when a receiver starts, and are there from then on.
    case file(URL)
    /// In a database of PostgreSQL, as ``PostgreSQLMessageQueue`` takes its URL.
    case postgreSQL(String)
}

/// The apps that registered, their tokens, and how many participants each state has. Secrets and tokens are
/// there as digests alone.
final class ClientRegistry: Sendable {
    private enum Store: Sendable {
        case sqlite(any DatabaseWriter)
        case postgreSQL(PostgreSQLDatabase)
    }

    private let store: Store
    private let now: @Sendable () -> Int
    /// Clients by the digests of their tokens: a phone delivers several times with one.
    private let seen = Mutex<[String: (client: String, until: Int)]>([:])
    private static let maximumSeen = 10_000
    /// Seconds after which the database is asked again.
    private static let trust = 60

    init(_ clients: ReceiverClients, queue: any MessageQueue, now: @escaping @Sendable () -> Int) async throws
    {
        self.now = now
        switch clients {
        case .postgreSQL(let url): store = .postgreSQL(PostgreSQLDatabase(try PostgreSQLAddress(url)))
        case .besideQueue, .file:
            let database = (queue as? PostgreSQLMessageQueue)?.database
            let file: URL? = if case .file(let file) = clients { file } else { nil }
            store = try database.map { .postgreSQL($0) } ?? .sqlite(PrivateSQLite.open(file))
        }
        switch store {
        case .sqlite(let database): try Self.migrate(database)
        case .postgreSQL(let database): try await Self.makeTables(database)
        }
        if case .postgreSQL(let database) = store, case .file(let file) = clients {
            try await Self.copy(file, to: database)
        }
    }

    /// Copies what a file has. What the database knows already stays as it is there, so that this may be done
    /// again.
    private static func copy(_ file: URL, to database: PostgreSQLDatabase) async throws {
        let path = file.filePath
        guard path.fileExists else {
            throw StudyError.storage(
                reason: "\(path) is not there; the queue’s database has the apps, so leave the file out"
            )
        }
        let source = try PrivateSQLite.open(file)
        try migrate(source)
        // Clients first: tokens refer to them.
        for (table, values) in [
            ("queue_client", "entry ->> 0, entry ->> 1, (entry ->> 2)::bigint"),
            ("queue_token", "entry ->> 0, entry ->> 1, (entry ->> 2)::bigint"),
            ("queue_participant", "entry ->> 0, entry ->> 1"),
        ] {
            var last = 0
            while true {
                let after = last
                let rows = try await source.read { db in
                    try SQLiteSession(db: db).rows(
                        "SELECT *, rowid AS number FROM \(table) WHERE rowid > ? ORDER BY rowid LIMIT 1000",
                        [after]
                    )
                }
                guard let end = rows.last?.integer("number") else { break }
                let json = JSONValue(
                    rows.map { row in
                        JSONValue(
                            (0..<3).map { column in
                                row.integer(column).map { JSONValue($0) } ?? JSONValue(row.text(column) ?? "")
                            }
                        )
                    }
                ).text()
                try await database.run(.statement) { session in
                    _ = try session.run(
                        """
                        INSERT INTO \(table)
                        SELECT \(values)
                        FROM json_array_elements(?::json) AS entry
                        ON CONFLICT DO NOTHING
                        """,
                        [json]
                    )
                }
                last = end
            }
        }
    }

    private static func migrate(_ database: any DatabaseWriter) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE client (id TEXT PRIMARY KEY, secret TEXT NOT NULL, created INTEGER NOT NULL);
                    CREATE TABLE token (
                        digest TEXT PRIMARY KEY,
                        client TEXT NOT NULL REFERENCES client (id),
                        expires INTEGER NOT NULL
                    );
                    CREATE INDEX tokenByTime ON token (expires);
                    CREATE TABLE participant (digest TEXT PRIMARY KEY, state TEXT NOT NULL);
                    """
            )
        }
        migrator.registerMigration("2") { db in
            for table in ["client", "token", "participant"] {
                try db.execute(sql: "ALTER TABLE \(table) RENAME TO queue_\(table)")
            }
        }
        migrator.registerMigration("3") { db in
            try db.execute(
                sql: "CREATE TABLE queue_map (state TEXT PRIMARY KEY, participants INTEGER NOT NULL)"
            )
        }
        migrator.registerMigration("4") { db in
            try db.execute(
                sql: "CREATE TABLE queue_challenge (digest TEXT PRIMARY KEY, expires INTEGER NOT NULL)"
            )
        }
        try PrivateSQLite.migrate(database, by: migrator)
    }

    private static func makeTables(_ database: PostgreSQLDatabase) async throws {
        try await database.check()
        try await database.run(.transaction) { session in
            // Several processes may start at once.
            try session.run(
                "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))",
                ["study schema of the clients"]
            )
            if try session.rows("SELECT 1 WHERE to_regclass('queue_map') IS NOT NULL", []).isEmpty {
                try session.command(
                    "CREATE TABLE queue_map (state text PRIMARY KEY, participants bigint NOT NULL)"
                )
            }
            if try session.rows("SELECT 1 WHERE to_regclass('queue_challenge') IS NOT NULL", []).isEmpty {
                try session.command(
                    "CREATE TABLE queue_challenge (digest text PRIMARY KEY, expires bigint NOT NULL)"
                )
            }
            guard try session.rows("SELECT 1 WHERE to_regclass('queue_client') IS NOT NULL", []).isEmpty
            else { return }
            try session.command(
                """
                CREATE TABLE queue_client (
                    id text PRIMARY KEY,
                    secret text NOT NULL,
                    created bigint NOT NULL
                );
                CREATE TABLE queue_token (
                    digest text PRIMARY KEY,
                    client text NOT NULL REFERENCES queue_client (id),
                    expires bigint NOT NULL
                );
                CREATE INDEX queue_token_by_time ON queue_token (expires);
                CREATE INDEX queue_token_by_client ON queue_token (client, expires);
                CREATE TABLE queue_participant (digest text PRIMARY KEY, state text NOT NULL)
                """
            )
        }
    }

    /// The rows of a statement that both databases understand, with `?` for each parameter.
    @discardableResult
    private func rows(_ sql: String, _ arguments: [(any SQLConvertible & Sendable)?] = []) async throws
        -> [SQLRow]
    {
        switch store {
        case .sqlite(let database) where sql.hasPrefix("SELECT"):
            try await database.read { try SQLiteSession(db: $0).rows(sql, arguments) }
        case .sqlite(let database):
            try await database.write { try SQLiteSession(db: $0).rows(sql, arguments) }
        case .postgreSQL(let database): try await database.run(.statement) { try $0.rows(sql, arguments) }
        }
    }

    static func digest(_ text: String) -> String {
        Hexadecimal.encode(SHA256.hash(data: Data(text.utf8)))
    }

    /// Random bytes of the system's generator.
    private static func random(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// Seconds for which a challenge can be used.
    static let challengeLifetime = 300
    private static let maximumChallenges = 100_000

    /// A new challenge, 32 bytes in base64; `nil` while too many are out.
    func issueChallenge() async throws -> String? {
        let time = now()
        try await rows("DELETE FROM queue_challenge WHERE expires <= ?", [time])
        let open = try await rows("SELECT count(*) FROM queue_challenge").first?.integer(0) ?? 0
        guard open < Self.maximumChallenges else { return nil }
        let challenge = Self.random(32).base64EncodedString()
        try await rows(
            "INSERT INTO queue_challenge VALUES (?, ?)",
            [Self.digest(challenge), time + Self.challengeLifetime]
        )
        return challenge
    }

    /// Uses a challenge up.
    ///
    /// - Returns: Whether it was given out, in time, and not used before.
    func redeem(challenge: String) async throws -> Bool {
        try await !rows(
            "DELETE FROM queue_challenge WHERE digest = ? AND expires > ? RETURNING digest",
            [Self.digest(challenge), now()]
        ).isEmpty
    }

    /// Registers an app. The secret is known to it alone from now on.
    func register() async throws -> (id: String, secret: String) {
        let id = UUID().uuidString.lowercased()
        let secret = Self.random(64).base64EncodedString()
        try await rows("INSERT INTO queue_client VALUES (?, ?, ?)", [id, Self.digest(secret), now()])
        return (id, secret)
    }

    /// Whether this is a client's secret.
    func isClient(_ id: String, secret: String) async throws -> Bool {
        // Nothing else was ever given out.
        guard UUID(uuidString: id) != nil else { return false }
        let stored = try await rows("SELECT secret FROM queue_client WHERE id = ?", [id]).first?.text(0)
        // Digests are compared: the time that takes shows nothing of the secret.
        return stored == Self.digest(secret)
    }

    /// A new token for a client.
    func issueToken(to client: String, lifetime: Int) async throws -> String {
        let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._")
        let token = String(Self.random(64).map { alphabet[Int($0) % 64] })
        let time = now()
        try await rows("DELETE FROM queue_token WHERE expires <= ?", [time])
        // A client needs one; those of requests that crossed are left, and no more.
        try await rows(
            """
            DELETE FROM queue_token WHERE client = ? AND digest NOT IN
                (SELECT digest FROM queue_token WHERE client = ? ORDER BY expires DESC LIMIT 9)
            """,
            [client, client]
        )
        try await rows(
            "INSERT INTO queue_token VALUES (?, ?, ?)",
            [Self.digest(token), client, time + lifetime]
        )
        return token
    }

    /// The client whom a token was given to; `nil` for another text, or one whose time is over.
    func client(ofToken token: String) async throws -> String? {
        let digest = Self.digest(token)
        let time = now()
        if let seen = seen.withLock({ $0[digest] }), seen.until > time { return seen.client }
        let found = try await rows(
            "SELECT client, expires FROM queue_token WHERE digest = ? AND expires > ?",
            [digest, time]
        )
        guard let client = found.first?.text(0), let expires = found.first?.integer(1) else { return nil }
        seen.withLock { seen in
            if seen.count >= Self.maximumSeen { seen = [:] }
            seen[digest] = (client, min(expires, time + Self.trust))
        }
        return client
    }

    /// Counts a participant for a state; the same one again for the newest.
    func count(participant: String, state: String) async throws {
        try await rows(
            """
            INSERT INTO queue_participant VALUES (?, ?)
            ON CONFLICT (digest) DO UPDATE SET state = excluded.state
            """,
            [Self.digest(participant.lowercased()), state]
        )
    }

    /// How many participants each state has, as everybody may see it: the same until five more take part.
    /// Otherwise the difference of two requests would show the state of who joined between them.
    func states() async throws -> [String: Int] {
        let shown = try await counts("SELECT state, participants FROM queue_map")
        let current = try await counts("SELECT state, count(*) FROM queue_participant GROUP BY state")
        let joined = current.values.reduce(0, +) - shown.values.reduce(0, +)
        guard joined >= ShownCount.smallest else { return shown }
        for (state, count) in current.merging(
            shown.mapValues { _ in 0 },
            uniquingKeysWith: { count, _ in count }
        ) {
            try await rows(
                """
                INSERT INTO queue_map VALUES (?, ?)
                ON CONFLICT (state) DO UPDATE SET participants = excluded.participants
                """,
                [state, count]
            )
        }
        return current
    }

    private func counts(_ sql: String) async throws -> [String: Int] {
        try await rows(sql).reduce(into: [:]) { $0[$1.text(0) ?? ""] = $1.integer(1) }
    }
}
