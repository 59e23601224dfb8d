import Foundation
import GRDB
import GRDBSQLite

/// The SQLite database of a sandbox.
struct FHIRDatabase: Sendable {
    let writer: any DatabaseWriter

    /// Opens the database and brings its tables up to date.
    ///
    /// A file can be read by its owner alone (mode 0600). It is opened in WAL mode with `synchronous=FULL`: what was
    /// answered survives a kill at any moment, and a transaction is there as a whole or not at all.
    init(_ location: FHIRSandboxConfiguration.Database) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        switch location {
        case .inMemory:
            writer = try DatabaseQueue(configuration: configuration)
        case .file(let url):
            try Self.protect(url.path)
            configuration.busyMode = .timeout(5)
            configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
            writer = try DatabasePool(path: url.path, configuration: configuration)
        }
        try Self.migrator.migrate(writer)
    }

    /// Sees to it that only its owner can read a database of patients' data: a new file is made so, an old one and what
    /// stands beside it become so.
    private static func protect(_ path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor < 0 else {
            // Nobody has locks on a new file, which closing it would drop.
            close(descriptor)
            return
        }
        guard errno == EEXIST else { return }
        for name in [path, path + "-wal", path + "-shm"] where chmod(name, 0o600) != 0 && errno != ENOENT {
            throw FHIRSandboxError.cannotProtect(path: name, reason: String(cString: strerror(errno)))
        }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE resource (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        type TEXT NOT NULL,
                        name TEXT NOT NULL,
                        version INTEGER NOT NULL,
                        updatedAt INTEGER NOT NULL,
                        isDeleted BOOLEAN NOT NULL,
                        UNIQUE (type, name));
                    CREATE TABLE version (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                        resource INTEGER NOT NULL REFERENCES resource (id),
                        number INTEGER NOT NULL,
                        method TEXT NOT NULL,
                        at INTEGER NOT NULL,
                        content BLOB,
                        UNIQUE (resource, number));
                    CREATE TABLE value (
                        resource INTEGER NOT NULL REFERENCES resource (id),
                        key TEXT NOT NULL,
                        item INTEGER NOT NULL,
                        system TEXT,
                        code TEXT,
                        text TEXT,
                        low,
                        high);
                    CREATE INDEX valueByResource ON value (resource, key);
                    CREATE INDEX valueByCode ON value (key, code, system, resource);
                    CREATE INDEX valueByText ON value (key, text, resource) WHERE text IS NOT NULL;
                    CREATE INDEX valueByRange ON value (key, low, high, resource) WHERE low IS NOT NULL;
                    """)
        }
        return migrator
    }
}

/// A bound on the time that statements of one request may take.
///
/// SQLite asks it every few thousand steps of its virtual machine.
final class StatementDeadline {
    private let end: ContinuousClock.Instant

    private init(seconds: Double) { end = .now + .seconds(seconds) }

    /// Runs `body`, whose statements are interrupted when they take too long.
    static func run<Result>(
        _ db: Database, seconds: Double, _ body: () throws -> Result
    ) throws -> Result {
        let deadline = StatementDeadline(seconds: seconds)
        // The pointer is valid until the handler is removed, before `deadline` is released.
        sqlite3_progress_handler(
            db.sqliteConnection, 10_000,
            { pointer in
                guard let pointer else { return 0 }
                return Unmanaged<StatementDeadline>.fromOpaque(pointer).takeUnretainedValue().end < .now ? 1 : 0
            }, Unmanaged.passUnretained(deadline).toOpaque())
        defer {
            sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil)
            withExtendedLifetime(deadline) {}
        }
        do {
            return try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            throw FHIRFailure.tooCostly("this takes more than \(seconds) seconds", status: 503)
        }
    }
}
