import Foundation
import GRDB
import OrderedJSON
import PrivateSQLite

extension SandboxConfiguration.Database {
    /// Opens the database and brings its tables up to date.
    func open() throws -> any DatabaseWriter {
        let file: URL? = if case .file(let url) = self { url } else { nil }
        let database: any DatabaseWriter
        do {
            database = try PrivateSQLite.open(file)
        } catch let error as PrivateSQLite.ProtectionError {
            throw SandboxError.cannotProtect(path: error.path, reason: error.reason)
        }
        try Schema.migrator.migrate(database)
        return database
    }
}

extension DatabaseReader {
    /// Reads on the caller's thread: what the calls read takes less time than the way to another thread and back.
    func readHere<Value>(_ body: (Database) throws -> Value) throws -> Value { try read(body) }
}

extension Database {
    /// Whether there is a row: `condition` is what follows `SELECT 1 FROM`, a text of this program.
    func exists(_ condition: String, _ arguments: StatementArguments) throws -> Bool {
        try Bool.fetchOne(cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM \(condition))"), arguments: arguments) ?? false
    }
}

extension Sequence<String> {
    /// One argument for a list of any length, in `IN (SELECT value FROM json_each(?))`: SQLite allows a statement only so many.
    var jsonList: String { JSONValue(map { JSONValue($0) }).text() }
}

/// A row with an id of its own, which calls name. Its statement is prepared once.
protocol IdentifiedRow: FetchableRecord, TableRecord {}

extension IdentifiedRow {
    static func find(_ id: String, in db: Database) throws -> Self? {
        try fetchOne(db.cachedStatement(sql: "SELECT * FROM \(databaseTableName) WHERE id = ?"), arguments: [id])
    }
}

extension Timestamp: DatabaseValueConvertible {}
