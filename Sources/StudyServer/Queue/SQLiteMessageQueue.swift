import Foundation
import GRDB
import PrivateSQLite

/// A queue in a SQLite file, which several processes of one machine can use at once.
public final class SQLiteMessageQueue: MessageQueue {
    private let database: any DatabaseWriter
    private let maximumReceives: Int
    /// With so many bytes no further message is received at once.
    private static let largestBatch = 64 << 20
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
        (self.maximumReceives, self.now) = (max(1, maximumReceives), now)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE message (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, content TEXT NOT NULL, subject TEXT,
                        received TEXT NOT NULL, body BLOB NOT NULL, sent INTEGER NOT NULL, visible INTEGER NOT NULL,
                        receives INTEGER NOT NULL DEFAULT 0, lease TEXT, reason TEXT);
                    CREATE INDEX messageByTime ON message (visible, number);
                    CREATE TABLE dead (
                        id TEXT PRIMARY KEY, content TEXT NOT NULL, subject TEXT, received TEXT NOT NULL, body BLOB NOT NULL,
                        reason TEXT NOT NULL, died INTEGER NOT NULL);
                    CREATE TABLE known (key TEXT PRIMARY KEY) WITHOUT ROWID;
                    CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
                    INSERT INTO counter VALUES ('depth', 0), ('dead', 0);
                    CREATE TRIGGER sent AFTER INSERT ON message
                        BEGIN UPDATE counter SET value = value + 1 WHERE name = 'depth'; END;
                    CREATE TRIGGER gone AFTER DELETE ON message
                        BEGIN UPDATE counter SET value = value - 1 WHERE name = 'depth'; END;
                    CREATE TRIGGER died AFTER INSERT ON dead BEGIN UPDATE counter SET value = value + 1 WHERE name = 'dead'; END;
                    CREATE TRIGGER back AFTER DELETE ON dead BEGIN UPDATE counter SET value = value - 1 WHERE name = 'dead'; END;
                    """)
        }
        migrator.registerMigration("2") { db in
            try db.execute(
                sql: """
                    INSERT INTO counter SELECT 'bytes', (SELECT coalesce(sum(length(body)), 0) FROM message)
                        + (SELECT coalesce(sum(length(body)), 0) FROM dead);
                    """)
            for table in ["message", "dead"] {
                try db.execute(
                    sql: """
                        CREATE TRIGGER \(table)Bytes AFTER INSERT ON \(table)
                            BEGIN UPDATE counter SET value = value + length(new.body) WHERE name = 'bytes'; END;
                        CREATE TRIGGER \(table)Freed AFTER DELETE ON \(table)
                            BEGIN UPDATE counter SET value = value - length(old.body) WHERE name = 'bytes'; END;
                        """)
            }
        }
        try migrator.migrate(database)
    }

    @discardableResult
    public func send(_ message: StudyMessage) async throws -> Bool {
        let time = now()
        return try await database.write { db in
            let digest = StudyMessage.digest(of: message.body)
            for key in Set([message.id, digest]) {
                try db.execute(sql: "INSERT OR IGNORE INTO known VALUES (?)", arguments: [key])
                // The other key is known from now on, too: it is a name of the same message.
                if db.changesCount == 0 {
                    try db.execute(sql: "INSERT OR IGNORE INTO known VALUES (?), (?)", arguments: [message.id, digest])
                    return false
                }
            }
            try db.execute(
                sql: "INSERT INTO message (id, content, subject, received, body, sent, visible) VALUES (?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    message.id, message.content.rawValue, message.subject, message.received, message.body, time, time,
                ])
            return true
        }
    }

    public func receive(limit: Int, visibility: Int) async throws -> [ReceivedMessage] {
        let (time, maximumReceives) = (now(), maximumReceives)
        return try await database.write { db in
            // Nothing is kept back for longer, unless the clock was ahead and was set back; a minute more, as others may have
            // asked the clock after this one, and were let in first.
            try db.execute(
                sql: "UPDATE message SET visible = ? WHERE visible > ?", arguments: [time, time + Self.longestPause + 60])
            var (found, size): ([ReceivedMessage], Int) = ([], 0)
            while found.count < limit, size < Self.largestBatch,
                let row = try Row.fetchOne(
                    db, sql: "SELECT * FROM message WHERE visible <= ? ORDER BY visible, number LIMIT 1", arguments: [time])
            {
                let (number, count): (Int, Int) = (row["number"], row["receives"])
                guard count < maximumReceives else {
                    try Self.bury(db, number, reason: row["reason"] ?? "it was received \(count) times without an end", at: time)
                    continue
                }
                guard let content = StudyMessage.Content(rawValue: row["content"]) else {
                    try Self.bury(db, number, reason: "its content is unknown", at: time)
                    continue
                }
                let lease = UUID().uuidString
                try db.execute(
                    sql: "UPDATE message SET visible = ?, receives = receives + 1, lease = ? WHERE number = ?",
                    arguments: [time + max(1, min(visibility, Self.longestPause)), lease, number])
                let message = StudyMessage(
                    id: row["id"], content: content, subject: row["subject"], received: row["received"], body: row["body"])
                size += message.body.count
                found.append(ReceivedMessage(message, receiveCount: count + 1, lease: lease))
            }
            return found
        }
    }

    @discardableResult
    public func delete(_ message: ReceivedMessage) async throws -> Bool {
        try await database.write { db in
            try db.execute(sql: "DELETE FROM message WHERE id = ? AND lease = ?", arguments: [message.message.id, message.lease])
            return db.changesCount > 0
        }
    }

    public func delete(_ messages: [ReceivedMessage]) async throws {
        guard !messages.isEmpty else { return }
        try await database.write { db in
            for message in messages {
                try db.execute(
                    sql: "DELETE FROM message WHERE id = ? AND lease = ?", arguments: [message.message.id, message.lease])
            }
        }
    }

    public func release(_ message: ReceivedMessage, after seconds: Int, reason: String?) async throws {
        let (time, maximumReceives) = (now(), maximumReceives)
        try await database.write { db in
            let arguments: StatementArguments = [message.message.id, message.lease]
            guard
                let number = try Int.fetchOne(
                    db, sql: "SELECT number FROM message WHERE id = ? AND lease = ?", arguments: arguments)
            else { return }
            if let reason, message.receiveCount >= maximumReceives { return try Self.bury(db, number, reason: reason, at: time) }
            try db.execute(
                sql: """
                    UPDATE message SET visible = ?, lease = NULL, reason = coalesce(?, reason), receives = receives - ?
                    WHERE number = ?
                    """, arguments: [time + max(0, min(seconds, Self.longestPause)), reason, reason == nil ? 1 : 0, number])
        }
    }

    private static func bury(_ db: Database, _ number: Int, reason: String, at time: Int) throws {
        try db.execute(
            sql: """
                INSERT INTO dead SELECT id, content, subject, received, body, ?, ? FROM message WHERE number = ?
                ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, died = excluded.died
                """, arguments: [String(reason.prefix(500)), time, number])
        try db.execute(sql: "DELETE FROM message WHERE number = ?", arguments: [number])
    }

    public func deadLetters(limit: Int) async throws -> [DeadLetter] {
        try await database.read { db in
            try Row.fetchAll(db, sql: "SELECT id, reason, received FROM dead ORDER BY died, id LIMIT ?", arguments: [max(0, limit)])
                .map { DeadLetter(id: $0[0], reason: $0[1], received: $0[2]) }
        }
    }

    @discardableResult
    public func redeliver(_ id: String) async throws -> Bool {
        let time = now()
        return try await database.write { db in
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO message (id, content, subject, received, body, sent, visible)
                    SELECT id, content, subject, received, body, ?, ? FROM dead WHERE id = ?
                    """, arguments: [time, time, id])
            try db.execute(sql: "DELETE FROM dead WHERE id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }

    public func status() async throws -> MessageQueueStatus {
        let time = now()
        return try await database.read { db in
            // Kept by triggers: to count rows would read all of them.
            let counts = try Row.fetchAll(db, sql: "SELECT name, value FROM counter").reduce(into: [String: Int]()) {
                $0[$1[0]] = $1[1]
            }
            let oldest = try Int.fetchOne(db, sql: "SELECT sent FROM message ORDER BY number LIMIT 1")
            return MessageQueueStatus(
                depth: counts["depth"] ?? 0, dead: counts["dead"] ?? 0, age: max(0, oldest.map { time - $0 } ?? 0),
                bytes: counts["bytes"] ?? 0)
        }
    }
}
