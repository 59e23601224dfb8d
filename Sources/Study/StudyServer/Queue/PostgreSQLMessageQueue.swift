import Foundation
import OrderedJSON
import StudyFormats
import StudyWarehouse
import Synchronization

/// A queue in a database of PostgreSQL, for as many receivers and consumers as are wanted, on any machines.
///
/// ```swift
/// let queue = try await PostgreSQLMessageQueue("postgresql://receiver@db.example.org/study")
/// ```
/// Times are those of the database's clock. A consumer that waits is woken when something comes (`LISTEN`),
/// unless a proxy that pools transactions is between; then it finds the message at its next check.
public final class PostgreSQLMessageQueue: MessageQueue {
    let database: PostgreSQLDatabase
    private let maximumReceives: Int
    /// Whether consumers are about to be notified. One notification serves many messages, since each locks
    /// the whole server for a moment.
    private let isNotifying = Mutex(false)

    private static let channel: StaticString = "study_queue"
    /// The bytes of the messages that are received at once; one that is larger comes alone.
    private static let largestBatch = 16 << 20

    /// Opens a queue, and makes its tables if need be.
    ///
    /// - Parameters:
    ///   - url: As in `postgresql://user@host:5432/database`, without a password: that comes from
    ///     `PGPASSWORD` or the file `~/.pgpass`. Its tables, whose names begin with `queue_`, may be beside
    ///     those of a warehouse.
    ///   - maximumReceives: How often a message is received before it is a dead letter.
    /// - Throws: What PostgreSQL says. No error holds a password.
    public init(_ url: String, maximumReceives: Int = 5) async throws {
        database = PostgreSQLDatabase(try PostgreSQLAddress(url))
        self.maximumReceives = max(1, maximumReceives)
        try await database.check()
        try await database.run(.transaction) { session in
            // Several processes may start at once.
            try session.run(
                "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))",
                ["study schema of the queue"]
            )
            if try session.rows("SELECT 1 WHERE to_regclass('queue_message') IS NOT NULL", []).isEmpty {
                try session.command(Self.schema)
            }
            try Self.add(
                "client",
                to: "queue_dead",
                "ALTER TABLE queue_message ADD client text; ALTER TABLE queue_dead ADD client text",
                session
            )
            try Self.add("seen", to: "queue_known", Self.seen, session)
        }
    }

    /// Adds a column that an earlier version did not have.
    private static func add(
        _ column: String,
        to table: String,
        _ statements: String,
        _ session: PostgreSQLSession
    ) throws {
        let columns = """
            SELECT 1
            FROM pg_attribute
            WHERE attrelid = to_regclass(?) AND attname = ? AND NOT attisdropped
            """
        guard try session.rows(columns, [table, column]).isEmpty else { return }
        do { try session.command(statements) } catch {
            guard case .refused(state: "42501", _) = error else { throw error }
            throw StudyError.storage(
                reason:
                    "the role may not add the column \(column) to \(table), which this version needs; "
                    + "start the receiver or the consumer once as the role that owns it"
            )
        }
    }

    // What is encrypted is not compressed once more; and what is deleted as fast as it comes is swept often.
    private static let schema = """
        CREATE TABLE queue_message (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            id text NOT NULL UNIQUE,
            content text NOT NULL CHECK (content IN ('envelope', 'package')),
            subject text,
            received text NOT NULL,
            body bytea NOT NULL,
            sent timestamptz NOT NULL DEFAULT statement_timestamp(),
            visible timestamptz NOT NULL DEFAULT statement_timestamp(),
            receives integer NOT NULL DEFAULT 0,
            lease text,
            reason text
        ) WITH (autovacuum_vacuum_scale_factor = 0.02);
        ALTER TABLE queue_message ALTER body SET STORAGE EXTERNAL;
        CREATE INDEX queue_message_by_time ON queue_message (visible, number);
        CREATE TABLE queue_dead (
            id text PRIMARY KEY,
            content text NOT NULL,
            subject text,
            received text NOT NULL,
            body bytea NOT NULL,
            reason text NOT NULL,
            died timestamptz NOT NULL DEFAULT statement_timestamp()
        );
        ALTER TABLE queue_dead ALTER body SET STORAGE EXTERNAL;
        CREATE TABLE queue_known (key text PRIMARY KEY)
        """

    /// When a name was seen: the day of this for those that are there. Days follow each other in the table,
    /// so that an index of ranges finds them.
    private static let seen = """
        ALTER TABLE queue_known ADD seen date NOT NULL DEFAULT current_date;
        CREATE INDEX queue_known_by_day ON queue_known USING brin (seen)
        """

    // MARK: Sending

    @discardableResult
    public func send(_ message: StudyMessage) async throws -> Bool {
        let digest = StudyMessage.digest(of: message.body)
        let names = Set([digest, message.fingerprint].compactMap { $0 }).subtracting([message.id]).sorted()
        // All in one statement: of two that send the same at once, the second waits here for the first. Where
        // the id is known and has to have the same fingerprint, no other name is remembered.
        let row = try await database.run(.statement) { session in
            try session.rows(
                """
                WITH id AS (
                    INSERT INTO queue_known VALUES (?::text) ON CONFLICT DO NOTHING RETURNING key
                ), names AS (
                    INSERT INTO queue_known SELECT name FROM json_array_elements_text(?::json) AS name
                    WHERE ?::text IS NULL OR EXISTS (SELECT 1 FROM id) ON CONFLICT DO NOTHING RETURNING key
                ), sent AS (
                    INSERT INTO queue_message (id, content, subject, received, client, body)
                    SELECT ?::text, ?::text, ?::text, ?::text, ?::text, ?::bytea
                    WHERE (SELECT count(*) FROM id) = 1 AND (SELECT count(*) FROM names) = ? RETURNING number
                ) SELECT (SELECT count(*) FROM sent), (SELECT count(*) FROM id)
                """,
                [
                    message.id, JSONValue(names.map { JSONValue($0) }).text(), message.fingerprint,
                    message.id,
                    message.content.rawValue, message.subject, message.received, message.client, message.body,
                    names.count,
                ]
            ).first
        }
        guard row?.integer(0) == 1 else {
            if row?.integer(1) == 0, let fingerprint = message.fingerprint, try await !isKnown(fingerprint) {
                throw OtherMessage()
            }
            return false
        }
        notifyConsumers()
        return true
    }

    private func isKnown(_ name: String) async throws -> Bool {
        try await database.run(.statement) {
            try !$0.rows("SELECT 1 FROM queue_known WHERE key = ?", [name]).isEmpty
        }
    }

    public func forgetKnown(after days: Int) async throws {
        // Some at a time, so that no statement takes long.
        while try await database.run(
            .statement,
            { session in
                try session.run(
                    """
                    DELETE FROM queue_known WHERE key IN (
                        SELECT key FROM queue_known WHERE seen < current_date - ?::integer LIMIT 10000)
                    """,
                    [max(1, days)]
                ) > 0
            }
        ) {}
    }

    private func notifyConsumers() {
        let isPending = isNotifying.withLock { isNotifying in
            defer { isNotifying = true }
            return isNotifying
        }
        guard !isPending else { return }
        Task {
            try? await Task.sleep(for: .milliseconds(10))
            isNotifying.withLock { $0 = false }
            // Where that fails, consumers find the messages at their next check.
            try? await database.run(.statement) { try $0.command("NOTIFY \(Self.channel)") }
        }
    }

    public func wait(for maximum: Duration) async throws {
        try await database.wait(on: Self.channel, for: maximum)
    }

    // MARK: Receiving

    public func receive(limit: Int, visibility: Int) async throws -> [ReceivedMessage] {
        let lease = UUID().uuidString
        let maximumReceives = maximumReceives
        let visibility = max(1, min(visibility, Self.maximumPause))
        guard limit > 0 else { return [] }
        while true {
            let (found, isMore) = try await database.run(.statement) { session in
                let rows = try session.rows(
                    Self.receiving,
                    [
                        min(limit, 1000), Self.largestBatch, maximumReceives, visibility, lease,
                        maximumReceives,
                    ],
                    isBinary: true
                )
                return (
                    rows.compactMap { Self.received($0, lease) },
                    (rows.first?.integer("dead_letters") ?? 0) > 0
                )
            }
            guard found.isEmpty else { return found }
            if !isMore, try await setBack() == 0 { return [] }
        }
    }

    /// Frees messages that are kept back for longer than any is: the server's clock was ahead, and was set
    /// back.
    private func setBack() async throws -> Int {
        try await database.run(.statement) { session in
            try session.run(
                """
                UPDATE queue_message
                SET visible = statement_timestamp(), sent = least(sent, statement_timestamp())
                WHERE visible > statement_timestamp() + make_interval(secs => ?)
                    OR lease IS NULL AND sent > statement_timestamp() + interval '1 minute'
                """,
                [Self.maximumPause]
            )
        }
    }

    /// Leases the oldest messages that nobody has, and moves those that were received too often to the dead
    /// letters. It gives at least one row.
    private static let receiving = """
        WITH next AS MATERIALIZED (
            SELECT number, visible, receives, octet_length(body) AS size
            FROM queue_message
            WHERE visible <= statement_timestamp()
            ORDER BY visible, number LIMIT ? FOR UPDATE SKIP LOCKED
        ), fitting AS MATERIALIZED (
            SELECT *
            FROM (SELECT *, sum(size) OVER (ORDER BY visible, number) AS total FROM next) AS sums
            WHERE total <= ? OR total = size
        ), gone AS (
            DELETE FROM queue_message m
            USING fitting f
            WHERE m.number = f.number AND f.receives >= ?
            RETURNING m.*
        ), dead_letters AS (
            INSERT INTO queue_dead (id, content, subject, received, client, body, reason)
            SELECT id, content, subject, received, client, body,
                coalesce(reason, 'it was received ' || receives || ' times without an end')
            FROM gone
            ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, died = excluded.died
            RETURNING id
        ), taken AS (
            UPDATE queue_message m
            SET visible = statement_timestamp() + make_interval(secs => ?), receives = m.receives + 1,
                lease = ?
            FROM fitting f
            WHERE m.number = f.number AND f.receives < ?
            RETURNING m.number, f.visible AS was, m.id, m.content, m.subject, m.received, m.client, m.body,
                m.receives
        )
        SELECT id, content, subject, received, client, body, receives,
            (SELECT count(*) FROM dead_letters) AS dead_letters
        FROM (SELECT 1) AS one
        LEFT JOIN taken ON true
        ORDER BY was, number
        """

    private static func received(_ row: SQLRow, _ lease: String) -> ReceivedMessage? {
        guard let id = row.text("id"), let body = row.bytes("body"),
            let content = row.text("content").flatMap(StudyMessage.Content.init)
        else { return nil }
        let message = StudyMessage(
            id: id,
            content: content,
            subject: row.text("subject"),
            received: row.text("received") ?? "",
            client: row.text("client"),
            body: body
        )
        return ReceivedMessage(message, receiveCount: row.integer("receives") ?? 1, lease: lease)
    }

    @discardableResult
    public func delete(_ message: ReceivedMessage) async throws -> Bool {
        try await database.run(.statement) { session in
            try session.run(
                "DELETE FROM queue_message WHERE id = ? AND lease = ?",
                [message.message.id, message.lease]
            ) > 0
        }
    }

    public func delete(_ messages: [ReceivedMessage]) async throws {
        guard !messages.isEmpty else { return }
        // One statement and one commit, however many they are.
        let names = Self.names(of: messages)
        try await database.run(.statement) { session in
            _ = try session.run(
                """
                DELETE FROM queue_message m USING json_array_elements(?::json) AS pair
                WHERE m.id = pair ->> 0 AND m.lease = pair ->> 1
                """,
                [names]
            )
        }
    }

    public func release(_ message: ReceivedMessage, after seconds: Int, reason: String?) async throws {
        let isLast = reason != nil && message.receiveCount >= maximumReceives
        let reason = reason.map { String($0.prefix(500)) }
        try await database.run(.statement) { session in
            if isLast {
                _ = try session.run(
                    """
                    WITH gone AS (DELETE FROM queue_message WHERE id = ? AND lease = ? RETURNING *)
                    INSERT INTO queue_dead (id, content, subject, received, client, body, reason)
                    SELECT id, content, subject, received, client, body, ?::text FROM gone
                    ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, died = excluded.died
                    """,
                    [message.message.id, message.lease, reason]
                )
            } else {
                _ = try session.run(
                    """
                    UPDATE queue_message
                    SET visible = statement_timestamp() + make_interval(secs => ?), lease = NULL,
                        reason = coalesce(?, reason), receives = receives - ?
                    WHERE id = ? AND lease = ?
                    """,
                    [
                        max(0, min(seconds, Self.maximumPause)), reason, reason == nil ? 1 : 0,
                        message.message.id, message.lease,
                    ]
                )
            }
        }
    }

    public func release(_ messages: [ReceivedMessage], after seconds: Int, reason: String?) async throws {
        guard reason == nil, !messages.isEmpty else {
            for message in messages { try await release(message, after: seconds, reason: reason) }
            return
        }
        // None of them was tried, and none is a dead letter: one statement for all.
        let names = Self.names(of: messages)
        try await database.run(.statement) { session in
            _ = try session.run(
                """
                UPDATE queue_message m
                SET visible = statement_timestamp() + make_interval(secs => ?), lease = NULL,
                    receives = receives - 1
                FROM json_array_elements(?::json) AS pair
                WHERE m.id = pair ->> 0 AND m.lease = pair ->> 1
                """,
                [max(0, min(seconds, Self.maximumPause)), names]
            )
        }
    }

    /// Messages by their ids and leases, as an array of JSON.
    private static func names(of messages: [ReceivedMessage]) -> String {
        JSONValue(messages.map { [JSONValue($0.message.id), JSONValue($0.lease)] as JSONValue }).text()
    }

    // MARK: Dead letters

    public func deadLetters(limit: Int) async throws -> [DeadLetter] {
        try await database.run(.statement) { session in
            try session.rows(
                "SELECT id, reason, received FROM queue_dead ORDER BY died, id LIMIT ?",
                [max(0, limit)]
            )
            .map { DeadLetter(id: $0.text(0) ?? "", reason: $0.text(1) ?? "", received: $0.text(2) ?? "") }
        }
    }

    @discardableResult
    public func redeliver(_ id: String) async throws -> Bool {
        let count = try await database.run(.statement) { session in
            try session.rows(
                """
                WITH back AS (DELETE FROM queue_dead WHERE id = ? RETURNING *), sent AS (
                    INSERT INTO queue_message (id, content, subject, received, client, body)
                    SELECT id, content, subject, received, client, body FROM back ON CONFLICT (id) DO NOTHING
                ) SELECT count(*) FROM back
                """,
                [id]
            ).first?.integer(0)
        }
        notifyConsumers()
        return count == 1
    }

    public func status() async throws -> MessageQueueStatus {
        try await database.run(.statement) { session in
            let row = try session.rows(
                """
                SELECT m.count, d.count, (
                    SELECT floor(extract(epoch FROM statement_timestamp() - sent))::bigint FROM queue_message
                    ORDER BY number LIMIT 1), (m.bytes + d.bytes)::bigint
                FROM (SELECT count(*), coalesce(sum(octet_length(body)), 0) AS bytes FROM queue_message) AS m,
                    (SELECT count(*), coalesce(sum(octet_length(body)), 0) AS bytes FROM queue_dead) AS d
                """,
                []
            ).first
            return MessageQueueStatus(
                depth: row?.integer(0) ?? 0,
                dead: row?.integer(1) ?? 0,
                age: max(0, row?.integer(2) ?? 0),
                bytes: row?.integer(3) ?? 0
            )
        }
    }

    public func checkWritable() async throws {
        let setting = try await database.run(.statement) { session in
            try session.rows("SELECT current_setting('transaction_read_only')", []).first?.text(0)
        }
        guard setting == "off" else { throw StudyOperationsError.readOnly }
    }

    /// As if so many seconds had passed; for tests.
    package func pass(seconds: Int) async throws {
        try await database.run(.statement) { session in
            _ = try session.run(
                """
                UPDATE queue_message
                SET visible = visible - make_interval(secs => ?), sent = sent - make_interval(secs => ?)
                """,
                [seconds, seconds]
            )
            _ = try session.run("UPDATE queue_known SET seen = seen - ?::integer", [seconds / 86_400])
        }
    }
}
