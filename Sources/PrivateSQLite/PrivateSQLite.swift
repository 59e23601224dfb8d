import Foundation
import GRDB

/// A SQLite database of patients' data or of secrets, which its owner alone can read.
package enum PrivateSQLite {
    /// Why a database cannot be kept from others.
    package struct ProtectionError: Error {
        package let path: String
        package let reason: String
    }

    /// Opens a file, or a database in memory where there is none.
    ///
    /// A file has mode 0600. It is opened in WAL mode with `synchronous=FULL`: what was written survives a kill at any
    /// moment, and a transaction is there as a whole or not at all.
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

    /// A new file is made so that only its owner can read it; an old one, and what stands beside it, become so. What
    /// SQLite makes beside it later has the mode of the file.
    private static func protect(_ path: String) throws {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        // Nobody has locks on a new file, which closing it would drop.
        if descriptor >= 0 { close(descriptor) }
        guard descriptor < 0, errno == EEXIST else { return }
        for name in [path, path + "-wal", path + "-shm"] where chmod(name, 0o600) != 0 && errno != ENOENT {
            throw ProtectionError(path: name, reason: String(cString: strerror(errno)))
        }
    }
}
