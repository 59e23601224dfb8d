import Foundation
import GRDB

/// Where the sandbox keeps what it knows.
struct SandboxDatabase: Sendable {
    let writer: any DatabaseWriter

    /// Opens the database and brings its tables up to date.
    ///
    /// A file is opened in WAL mode with `synchronous=FULL`: an answered push survives a kill at any moment.
    init(_ location: SandboxConfiguration.Database) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        switch location {
        case .inMemory:
            writer = try DatabaseQueue(configuration: configuration)
        case .file(let url):
            configuration.busyMode = .timeout(5)
            configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
            writer = try DatabasePool(path: url.path, configuration: configuration)
        }
        try Schema.migrator.migrate(writer)
    }

    /// Reads on the caller's thread: what the calls read takes less time than the way to another thread and back.
    func read<Value>(_ body: (GRDB.Database) throws -> Value) throws -> Value { try writer.read(body) }
}

extension Timestamp: DatabaseValueConvertible {}
