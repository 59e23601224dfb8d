import Foundation
import GRDB
import OrderedJSON
import WebServing

extension SandboxConfiguration.Database {
    func open() throws -> any DatabaseWriter {
        let file: URL? = if case .file(let url) = self { url } else { nil }
        do {
            let database = try PrivateSQLite.open(file)
            try PrivateSQLite.migrate(database, by: Schema.migrator)
            return database
        } catch let error as PrivateSQLite.ProtectionError {
            throw SandboxError.cannotProtect(path: error.path, reason: error.reason)
        }
    }
}

extension DatabaseReader {
    /// Reads on the caller's thread: what the calls read takes less time than the way to another thread and
    /// back.
    func readHere<Value>(_ body: (Database) throws -> Value) throws -> Value { try read(body) }
}

extension Database {
    /// Whether there is a row: `condition` is what follows `SELECT 1 FROM`, a text of this program.
    func exists(_ condition: String, _ arguments: StatementArguments) throws -> Bool {
        try Bool.fetchOne(
            cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM \(condition))"),
            arguments: arguments
        ) ?? false
    }
}

extension Sequence<String> {
    /// One argument for a list of any length, in `IN (SELECT value FROM json_each(?))`: SQLite allows a
    /// statement only so many.
    var jsonList: String { JSONValue(map { JSONValue($0) }).text() }
}

/// A row of a table. What chooses rows are texts of this program, few and always the same: their statements
/// are kept prepared.
protocol TableRow: FetchableRecord, TableRecord, Sendable { static var columns: String { get } }

extension TableRow {
    static var columns: String { "\(databaseTableName).*" }

    /// - Parameter rest: What follows `SELECT … FROM table`.
    static func all(_ rest: String, _ arguments: StatementArguments = [], in db: Database) throws -> [Self] {
        try fetchAll(
            db.cachedStatement(sql: "SELECT \(columns) FROM \(databaseTableName) \(rest)"),
            arguments: arguments
        )
    }

    static func first(_ rest: String, _ arguments: StatementArguments, in db: Database) throws -> Self? {
        try fetchOne(
            db.cachedStatement(sql: "SELECT \(columns) FROM \(databaseTableName) \(rest)"),
            arguments: arguments
        )
    }
}

/// A row with an id of its own, which calls name.
protocol IdentifiedRow: TableRow {}

extension IdentifiedRow {
    static func find(_ id: String?, in db: Database) throws -> Self? {
        try id.flatMap { try first("WHERE id = ?", [$0], in: db) }
    }
}

extension Timestamp: DatabaseValueConvertible {}
