import Foundation
import GRDB

/// A transaction of a database, which executes SQL that SQLite and PostgreSQL understand alike, with `?` for
/// each parameter.
protocol WarehouseSession {
    /// Executes a statement, and returns how many rows it changed.
    @discardableResult
    func execute(sql: String, arguments: [(any SQLConvertible)?]) throws -> Int

    /// The rows of a statement.
    func rows(sql: String, arguments: [(any SQLConvertible)?]) throws -> [SQLRow]

    /// Gives the rows of a statement one after the other.
    func eachRow(sql: String, arguments: [(any SQLConvertible)?], _ body: (SQLRow) throws -> Void) throws

    /// The number of a new visit, as SQL.
    var newVisit: String { get }

    /// Keeps other transactions from this name until the end of this one.
    func lock(_ name: String) throws

    /// Whether there is a table of this name.
    func hasTable(_ name: String) throws -> Bool
}

extension WarehouseSession {
    @discardableResult
    func execute(sql: String) throws -> Int { try execute(sql: sql, arguments: []) }

    func rows(sql: String) throws -> [SQLRow] { try rows(sql: sql, arguments: []) }

    func row(sql: String, arguments: [(any SQLConvertible)?] = []) throws -> SQLRow? {
        try rows(sql: sql, arguments: arguments).first
    }

    /// The number in a statement's only row.
    func number(sql: String, arguments: [(any SQLConvertible)?] = []) throws -> Int {
        guard let number = try row(sql: sql, arguments: arguments)?.integer(0) else {
            throw WarehouseError.badInput("the database gave no number where there is always one")
        }
        return number
    }

    /// Whether a statement finds a row.
    func finds(sql: String, arguments: [(any SQLConvertible)?]) throws -> Bool {
        try row(sql: sql, arguments: arguments) != nil
    }
}

/// A transaction of SQLite.
package struct SQLiteSession: WarehouseSession {
    let db: Database

    package init(db: Database) { self.db = db }

    /// No number is given twice, not even that of a visit of somebody who left.
    let newVisit = "UPDATE study_visit SET number = number + 1 RETURNING number"
    /// SQLite lets one transaction write at a time.
    func lock(_ name: String) {}

    func hasTable(_ name: String) throws -> Bool { try db.tableExists(name) }

    func execute(sql: String, arguments: [(any SQLConvertible)?]) throws -> Int {
        try db.cachedStatement(sql: sql).execute(arguments: Self.arguments(arguments))
        return db.changesCount
    }

    package func rows(sql: String, arguments: [(any SQLConvertible)?]) throws -> [SQLRow] {
        var rows: [SQLRow] = []
        try eachRow(sql: sql, arguments: arguments) { rows.append($0) }
        return rows
    }

    func eachRow(sql: String, arguments: [(any SQLConvertible)?], _ body: (SQLRow) throws -> Void) throws {
        let found = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: Self.arguments(arguments))
        while let row = try found.next() {
            try body(SQLRow(columns: Array(row.columnNames), values: row.databaseValues.map(Self.value)))
        }
    }

    private static func arguments(_ arguments: [(any SQLConvertible)?]) -> StatementArguments {
        StatementArguments(
            arguments.map { argument -> (any DatabaseValueConvertible)? in
                switch argument?.sqlValue ?? .null {
                case .null: nil
                case .integer(let number): number
                case .text(let text): text
                case .bytes(let data): data
                }
            }
        )
    }

    private static func value(_ value: DatabaseValue) -> SQLValue {
        switch value.storage {
        case .null: .null
        case .int64(let number): .integer(Int(number))
        // The numbers with a fraction are those of facts, which have five decimals.
        case .double(let number): .text(SQLValue.text(String(format: "%.5f", number)).decimal ?? "")
        case .string(let text): .text(text)
        case .blob(let data): .bytes(data)
        }
    }
}

extension PostgreSQLSession: WarehouseSession {
    var newVisit: String { "SELECT nextval('study_visit')" }

    func lock(_ name: String) throws {
        try run("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", ["study " + name])
    }

    func hasTable(_ name: String) throws -> Bool {
        try !rows("SELECT 1 WHERE to_regclass(?) IS NOT NULL", [name]).isEmpty
    }

    @discardableResult
    func execute(sql: String, arguments: [(any SQLConvertible)?]) throws -> Int { try run(sql, arguments) }

    func rows(sql: String, arguments: [(any SQLConvertible)?]) throws -> [SQLRow] { try rows(sql, arguments) }

    func eachRow(sql: String, arguments: [(any SQLConvertible)?], _ body: (SQLRow) throws -> Void) throws {
        try run(sql, arguments, row: body)
    }
}
