import Foundation
import GRDB
import PrivateSQLite

/// Where the sandbox keeps what it knows.
struct SandboxDatabase: Sendable {
    let writer: any DatabaseWriter

    /// Opens the database and brings its tables up to date.
    init(_ location: SandboxConfiguration.Database) throws {
        do {
            writer = try PrivateSQLite.open(location.file)
        } catch let error as PrivateSQLite.ProtectionError {
            throw SandboxError.cannotProtect(path: error.path, reason: error.reason)
        }
        try Schema.migrator.migrate(writer)
    }

    /// Reads on the caller's thread: what the calls read takes less time than the way to another thread and back.
    func read<Value>(_ body: (GRDB.Database) throws -> Value) throws -> Value { try writer.read(body) }
}

extension SandboxConfiguration.Database {
    /// The file; `nil` in memory.
    fileprivate var file: URL? {
        switch self {
        case .inMemory: nil
        case .file(let url): url
        }
    }
}

extension Timestamp: DatabaseValueConvertible {}
