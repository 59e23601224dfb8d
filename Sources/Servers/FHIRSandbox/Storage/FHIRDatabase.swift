import Foundation
import GRDB
import WebServing

/// The SQLite database of a sandbox.
struct FHIRDatabase: Sendable {
    let writer: any DatabaseWriter

    /// Opens the database and brings its tables up to date.
    init(_ location: FHIRSandboxConfiguration.Database) throws {
        do {
            writer = try PrivateSQLite.open(location.file)
        } catch let error as PrivateSQLite.ProtectionError {
            throw FHIRSandboxError.cannotProtect(path: error.path, reason: error.reason)
        }
        try PrivateSQLite.migrate(writer, by: Self.migrator)
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
                    """
            )
        }
        return migrator
    }
}

extension FHIRSandboxConfiguration.Database {
    /// The file; `nil` in memory.
    fileprivate var file: URL? {
        switch self {
        case .inMemory: nil
        case .file(let url): url
        }
    }
}
