import Foundation
import GRDB

/// Where the sandbox keeps what it knows.
struct SandboxDatabase: Sendable {
    let writer: any DatabaseWriter

    /// Opens the database and brings its tables up to date.
    ///
    /// A file can be read by its owner alone (mode 0600). It is opened in WAL mode with `synchronous=FULL`: an answered push survives a kill at any moment.
    init(_ location: SandboxConfiguration.Database) throws {
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
        try Schema.migrator.migrate(writer)
    }

    /// Sees to it that only its owner can read a database, which holds consumer secrets: a new file is made so, an old
    /// one and what stands beside it become so. What SQLite makes beside it later has the mode of the file.
    private static func protect(_ path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor < 0 else {
            // Nobody has locks on a new file, which closing it would drop.
            close(descriptor)
            return
        }
        guard errno == EEXIST else { return }
        for name in [path, path + "-wal", path + "-shm"] where chmod(name, 0o600) != 0 && errno != ENOENT {
            throw SandboxError.cannotProtect(path: name, reason: String(cString: strerror(errno)))
        }
    }

    /// Reads on the caller's thread: what the calls read takes less time than the way to another thread and back.
    func read<Value>(_ body: (GRDB.Database) throws -> Value) throws -> Value { try writer.read(body) }
}

extension Timestamp: DatabaseValueConvertible {}
