import Foundation
import GRDB

/// A SQLite database of patients' data or of secrets, which its owner alone can read.
package enum PrivateSQLite {
    /// Why a database cannot be kept from others.
    package struct ProtectionError: Error, CustomStringConvertible {
        package let path: String
        package let reason: String

        package var description: String {
            "it cannot be made a file that its owner alone can read: \(reason)"
        }
    }

    /// Opens a file, or a database in memory where there is none.
    ///
    /// A file has mode 0600. It is opened in WAL mode with `synchronous=FULL`: what was written survives a
    /// kill at any moment, and a transaction is there as a whole or not at all.
    /// - Throws: ``ProtectionError``, SQLite's error.
    package static func open(_ file: URL?) throws -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        guard let file else { return try DatabaseQueue(configuration: configuration) }
        try protect(file.path)
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        return try DatabasePool(path: file.path, configuration: configuration)
    }

    /// Brings the tables of a database up to date.
    ///
    /// One process, and one connection, at a time: two that begin with a new file would both make its tables.
    package static func migrate(_ database: any DatabaseWriter, by migrator: DatabaseMigrator) throws {
        let folder = (database as? DatabasePool).map { ($0.path as NSString).deletingLastPathComponent }
        // Not a lock on the file itself, whose closing would drop SQLite's own.
        let lock = folder.map { Foundation.open($0.isEmpty ? "." : $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { if let lock, lock >= 0 { close(lock) } }
        if let lock, lock >= 0 {
            while flock(lock, LOCK_EX) != 0, errno == EINTR {}
        }
        try migrator.migrate(database)
    }

    /// A new file is made so that only its owner can read it; an old one, and what stands beside it, become
    /// so. What SQLite makes beside it later has the mode of the file.
    private static func protect(_ path: String) throws {
        if try makeFile(path, O_EXCL) { return }
        // It is there, or a symbolic link is. A link that leads nowhere gets its file.
        if access(path, F_OK) != 0, try makeFile(path, 0) { return }
        // SQLite keeps its files beside the one that a link leads to.
        guard let resolved = realpath(path, nil) else { throw failure(path) }
        defer { free(resolved) }
        let file = String(cString: resolved)
        for name in [file, file + "-wal", file + "-shm"] where chmod(name, 0o600) != 0 && errno != ENOENT {
            throw failure(name)
        }
    }

    /// Makes a file with mode 0600, whatever the mask; false where there is one already.
    private static func makeFile(_ path: String, _ flags: Int32) throws -> Bool {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0o600)
        if descriptor < 0, errno == EEXIST { return false }
        guard descriptor >= 0 else { throw failure(path) }
        // Nobody has locks on a new file, which closing it would drop.
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw failure(path) }
        return true
    }

    private static func failure(_ path: String) -> ProtectionError {
        ProtectionError(path: path, reason: String(cString: strerror(errno)))
    }
}
