import Foundation
import GRDB
import WebServing

/// A queue in a SQLite file, which several processes of one machine can use at once.
public final class SQLiteMessageQueue: MessageQueue {
    private let database: any DatabaseWriter
    private let maximumReceives: Int
    /// The file; `nil` in memory.
    private let path: String?
    /// With so many bytes no further message is received at once.
    private static let largestBatch = 16 << 20
    /// Seconds since 1970.
    private let now: @Sendable () -> Int

    /// Opens a queue, and makes it if need be.
    ///
    /// - Parameters:
    ///   - file: The database, which its owner alone can read; in memory without it.
    ///   - maximumReceives: How often a message is received before it is a dead letter.
    /// - Throws: SQLite's error.
    public convenience init(_ file: URL?, maximumReceives: Int = 5) throws {
        try self.init(file, maximumReceives: maximumReceives) { Int(Date().timeIntervalSince1970) }
    }

    /// A queue with a clock of its own.
    package init(_ file: URL?, maximumReceives: Int = 5, now: @escaping @Sendable () -> Int) throws {
        database = try PrivateSQLite.open(file)
        path = file?.absoluteURL.filePath
        self.maximumReceives = max(1, maximumReceives)
        self.now = now
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE message (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        id TEXT NOT NULL UNIQUE,
                        content TEXT NOT NULL,
                        subject TEXT,
                        received TEXT NOT NULL,
                        body BLOB NOT NULL,
                        sent INTEGER NOT NULL,
                        visible INTEGER NOT NULL,
                        receives INTEGER NOT NULL DEFAULT 0,
                        lease TEXT,
                        reason TEXT
                    );
                    CREATE INDEX messageByTime ON message (visible, number);
                    CREATE TABLE dead (
                        id TEXT PRIMARY KEY,
                        content TEXT NOT NULL,
                        subject TEXT,
                        received TEXT NOT NULL,
                        body BLOB NOT NULL,
                        reason TEXT NOT NULL,
                        died INTEGER NOT NULL
                    );
                    CREATE TABLE known (key TEXT PRIMARY KEY) WITHOUT ROWID;
                    CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
                    INSERT INTO counter VALUES ('depth', 0), ('dead', 0);
                    CREATE TRIGGER sent AFTER INSERT ON message BEGIN
                        UPDATE counter SET value = value + 1 WHERE name = 'depth';
                    END;
                    CREATE TRIGGER gone AFTER DELETE ON message BEGIN
                        UPDATE counter SET value = value - 1 WHERE name = 'depth';
                    END;
                    CREATE TRIGGER died AFTER INSERT ON dead BEGIN
                        UPDATE counter SET value = value + 1 WHERE name = 'dead';
                    END;
                    CREATE TRIGGER back AFTER DELETE ON dead BEGIN
                        UPDATE counter SET value = value - 1 WHERE name = 'dead';
                    END;
                    """
            )
        }
        migrator.registerMigration("2") { db in
            try db.execute(
                sql: """
                    INSERT INTO counter SELECT 'bytes', (SELECT coalesce(sum(length(body)), 0) FROM message)
                        + (SELECT coalesce(sum(length(body)), 0) FROM dead);
                    """
            )
            for table in ["message", "dead"] {
                try db.execute(
                    sql: """
                        CREATE TRIGGER \(table)Bytes AFTER INSERT ON \(table) BEGIN
                            UPDATE counter SET value = value + length(new.body) WHERE name = 'bytes';
                        END;
                        CREATE TRIGGER \(table)Freed AFTER DELETE ON \(table) BEGIN
                            UPDATE counter SET value = value - length(old.body) WHERE name = 'bytes';
                        END;
                        """
                )
            }
        }
        migrator.registerMigration("3") { db in
            try db.execute(sql: "ALTER TABLE message ADD COLUMN client TEXT")
            try db.execute(sql: "ALTER TABLE dead ADD COLUMN client TEXT")
            // The latest time that was seen: an earlier one shows that the clock was set back.
            try db.execute(sql: "INSERT INTO counter VALUES ('clock', 0)")
        }
        migrator.registerMigration("4") { db in
            // When a name was seen, in seconds since 1970: the time of this for those that are there.
            try db.execute(sql: "ALTER TABLE known ADD COLUMN seen INTEGER NOT NULL DEFAULT 0")
            try db.execute(sql: "UPDATE known SET seen = ?", arguments: [now()])
            try db.execute(sql: "CREATE INDEX knownByTime ON known (seen)")
        }
        try PrivateSQLite.migrate(database, by: migrator)
    }

    /// Writes what is there already, and looks at the disk, whose last bytes may be enough for that alone.
    public func checkWritable() async throws {
        if let path { try DiskSpace.check(at: path) }
        try await database.write { db in
            try db.execute(sql: "UPDATE counter SET value = value WHERE name = 'depth'")
        }
    }

    @discardableResult
    public func send(_ message: StudyMessage) async throws -> Bool {
        let time = now()
        return try await database.write { db in
            try Self.followClock(db, time)
            // The other names are known from now on, too: they are names of the same message.
            let names = [StudyMessage.digest(of: message.body), message.fingerprint].compactMap { $0 }
            let isNewID = try Self.remember(message.id, db, time)
            if !isNewID, let fingerprint = message.fingerprint, try !Self.isKnown(fingerprint, db) {
                throw OtherMessage()
            }
            var areNew = true
            for name in names where name != message.id {
                if try !Self.remember(name, db, time) { areNew = false }
            }
            guard isNewID, areNew else { return false }
            try db.execute(
                sql: """
                    INSERT INTO message (id, content, subject, received, client, body, sent, visible)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    message.id, message.content.rawValue, message.subject, message.received, message.client,
                    message.body, time,
                    time,
                ]
            )
            return true
        }
    }

    /// False where the name is known.
    private static func remember(_ name: String, _ db: Database, _ time: Int) throws -> Bool {
        try db.execute(sql: "INSERT OR IGNORE INTO known VALUES (?, ?)", arguments: [name, time])
        return db.changesCount > 0
    }

    public func forgetKnown(after days: Int) async throws {
        let time = now() - max(1, days) * 86_400
        // Some at a time: senders wait for a transaction.
        while try await database.write({ db in
            try db.execute(
                sql: "DELETE FROM known WHERE key IN (SELECT key FROM known WHERE seen < ? LIMIT 10000)",
                arguments: [time]
            )
            return db.changesCount > 0
        }) {}
    }

    private static func isKnown(_ name: String, _ db: Database) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM known WHERE key = ?)", arguments: [name])
            ?? false
    }

    /// By how much a clock may be behind what another process has read.
    private static let clockTolerance = 60

    /// Moves the times of all messages when the clock was set back: what was sent or leased while it was
    /// ahead would wait until it is as late again.
    private static func followClock(_ db: Database, _ time: Int) throws {
        let latest = try Int.fetchOne(db, sql: "SELECT value FROM counter WHERE name = 'clock'") ?? 0
        guard latest != time else { return }
        if latest > time {
            guard latest - time > clockTolerance else { return }
            try db.execute(
                sql:
                    "UPDATE message SET visible = max(?, visible - ?), sent = min(sent, ?) WHERE visible > ?",
                arguments: [time, latest - time, time, time]
            )
        }
        try db.execute(sql: "UPDATE counter SET value = ? WHERE name = 'clock'", arguments: [time])
    }

    public func receive(limit: Int, visibility: Int) async throws -> [ReceivedMessage] {
        let time = now()
        let maximumReceives = maximumReceives
        return try await database.write { db in
            try Self.followClock(db, time)
            var found: [ReceivedMessage] = []
            var size = 0
            while found.count < limit, size < Self.largestBatch,
                let row = try Row.fetchOne(
                    db,
                    sql: "SELECT * FROM message WHERE visible <= ? ORDER BY visible, number LIMIT 1",
                    arguments: [time]
                )
            {
                let number: Int = row["number"]
                let count: Int = row["receives"]
                guard count < maximumReceives else {
                    try Self.moveToDeadLetters(
                        db,
                        number,
                        reason: row["reason"] ?? "it was received \(count) times without an end",
                        at: time
                    )
                    continue
                }
                guard let content = StudyMessage.Content(rawValue: row["content"]) else {
                    try Self.moveToDeadLetters(db, number, reason: "its content is unknown", at: time)
                    continue
                }
                let lease = UUID().uuidString
                try db.execute(
                    sql:
                        "UPDATE message SET visible = ?, receives = receives + 1, lease = ? WHERE number = ?",
                    arguments: [time + max(1, min(visibility, Self.maximumPause)), lease, number]
                )
                let message = StudyMessage(
                    id: row["id"],
                    content: content,
                    subject: row["subject"],
                    received: row["received"],
                    client: row["client"],
                    body: row["body"]
                )
                size += message.body.count
                found.append(ReceivedMessage(message, receiveCount: count + 1, lease: lease))
            }
            return found
        }
    }

    @discardableResult
    public func delete(_ message: ReceivedMessage) async throws -> Bool {
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM message WHERE id = ? AND lease = ?",
                arguments: [message.message.id, message.lease]
            )
            return db.changesCount > 0
        }
    }

    public func delete(_ messages: [ReceivedMessage]) async throws {
        guard !messages.isEmpty else { return }
        try await database.write { db in
            for message in messages {
                try db.execute(
                    sql: "DELETE FROM message WHERE id = ? AND lease = ?",
                    arguments: [message.message.id, message.lease]
                )
            }
        }
    }

    public func release(_ message: ReceivedMessage, after seconds: Int, reason: String?) async throws {
        try await release([message], after: seconds, reason: reason)
    }

    public func release(_ messages: [ReceivedMessage], after seconds: Int, reason: String?) async throws {
        let time = now()
        let maximumReceives = maximumReceives
        try await database.write { db in
            for message in messages {
                let number = try Int.fetchOne(
                    db,
                    sql: "SELECT number FROM message WHERE id = ? AND lease = ?",
                    arguments: [message.message.id, message.lease]
                )
                guard let number else { continue }
                if let reason, message.receiveCount >= maximumReceives {
                    try Self.moveToDeadLetters(db, number, reason: reason, at: time)
                    continue
                }
                try db.execute(
                    sql: """
                        UPDATE message
                        SET visible = ?, lease = NULL, reason = coalesce(?, reason), receives = receives - ?
                        WHERE number = ?
                        """,
                    arguments: [
                        time + max(0, min(seconds, Self.maximumPause)), reason, reason == nil ? 1 : 0,
                        number,
                    ]
                )
            }
        }
    }

    private static func moveToDeadLetters(_ db: Database, _ number: Int, reason: String, at time: Int) throws
    {
        try db.execute(
            sql: """
                INSERT INTO dead (id, content, subject, received, client, body, reason, died)
                SELECT id, content, subject, received, client, body, ?, ? FROM message WHERE number = ?
                ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, died = excluded.died
                """,
            arguments: [String(reason.prefix(500)), time, number]
        )
        try db.execute(sql: "DELETE FROM message WHERE number = ?", arguments: [number])
    }

    public func deadLetters(limit: Int) async throws -> [DeadLetter] {
        try await database.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT id, reason, received FROM dead ORDER BY died, id LIMIT ?",
                arguments: [max(0, limit)]
            )
            .map { DeadLetter(id: $0[0], reason: $0[1], received: $0[2]) }
        }
    }

    @discardableResult
    public func redeliver(_ id: String) async throws -> Bool {
        let time = now()
        return try await database.write { db in
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO message (
                        id, content, subject, received, client, body, sent, visible
                    )
                    SELECT id, content, subject, received, client, body, ?, ?
                    FROM dead
                    WHERE id = ?
                    """,
                arguments: [time, time, id]
            )
            try db.execute(sql: "DELETE FROM dead WHERE id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }

    public func status() async throws -> MessageQueueStatus {
        let time = now()
        return try await database.read { db in
            // Kept by triggers: to count rows would read all of them.
            let counts = try Row.fetchAll(db, sql: "SELECT name, value FROM counter").reduce(
                into: [String: Int]()
            ) {
                $0[$1[0]] = $1[1]
            }
            let oldest = try Int.fetchOne(db, sql: "SELECT sent FROM message ORDER BY number LIMIT 1")
            return MessageQueueStatus(
                depth: counts["depth"] ?? 0,
                dead: counts["dead"] ?? 0,
                age: max(0, oldest.map { time - $0 } ?? 0),
                bytes: counts["bytes"] ?? 0
            )
        }
    }
}
