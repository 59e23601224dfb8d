import Foundation
import GRDB
import PrivateSQLite

/// A research warehouse: i2b2's star schema, and what a study keeps beside it, in a SQLite file that its owner alone can read.
///
/// ```swift
/// let warehouse = try Warehouse(URL(filePath: "study.sqlite"), source: "SLEEP")
/// try await warehouse.transaction { warehouse in
///     let participant = try warehouse.participant(id)
///     try warehouse.store(facts, of: participant, label: "message 7", written: now)
/// }
/// ```
public final class Warehouse: Sendable {
    /// The code of the study: where ids and facts come from.
    public let source: String
    let database: any DatabaseWriter

    /// Opens a warehouse, and makes it if need be.
    ///
    /// - Parameters:
    ///   - file: The database; in memory without it.
    ///   - source: 1 to 50 letters, digits, `.`, `_` and `-`. A warehouse is of one study.
    /// - Throws: ``WarehouseError``, SQLite's error.
    public init(_ file: URL?, source: String = "STUDY") throws {
        guard (1...50).contains(source.utf8.count), source != "HIVE", source.utf8.allSatisfy(Self.isAllowed) else {
            throw WarehouseError.badInput("the code of a study has 1 to 50 letters, digits, ‘.’, ‘_’ and ‘-’, and is not HIVE")
        }
        self.source = source
        do {
            database = try PrivateSQLite.open(file)
        } catch let error as PrivateSQLite.ProtectionError {
            throw WarehouseError.badInput("\(error.path) cannot be kept from others: \(error.reason)")
        }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: WarehouseSchema.i2b2)
            try db.execute(sql: WarehouseSchema.study)
            try db.execute(sql: "INSERT INTO source_master (source_cd, description) VALUES (?, 'The study')", arguments: [source])
            for (code, name) in FactModifier.all {
                try db.execute(
                    sql: """
                        INSERT INTO modifier_dimension (modifier_path, modifier_cd, name_char, update_date, sourcesystem_cd)
                        VALUES (?, ?, ?, '2026-01-01 00:00:00', ?)
                        """,
                    arguments: [ConceptNames.path(#"\Study\Modifiers\"#, [code]), code, name, source])
            }
        }
        try migrator.migrate(database)
        // What is deleted is overwritten: somebody who withdrew is not in free pages either.
        try database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA secure_delete = ON") }
        let stored = try database.read { try String.fetchOne($0, sql: "SELECT source_cd FROM source_master") }
        guard stored == source else {
            throw WarehouseError.badInput("the warehouse is of the study \(stored ?? ""), not of \(source)")
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    /// Does all of `body`, or nothing of it. What was committed is on the disk.
    ///
    /// - Throws: ``WarehouseError`` for rows that the tables do not take, SQLite's errors, and what `body` throws.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (WarehouseTransaction) throws -> Value
    ) async throws -> Value {
        let source = source
        do {
            return try await database.write { db in try body(WarehouseTransaction(db: db, source: source)) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            // It names the rule, not the row.
            throw WarehouseError.badInput("the database refuses a row: \(error.message ?? "a rule is broken")")
        }
    }

    /// Takes what was deleted out of the log beside the file, too, where SQLite keeps old pages for a while.
    public func eraseRemains() async throws {
        try await database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// Reads one state of the warehouse.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (WarehouseTransaction) throws -> Value
    ) async throws -> Value {
        let source = source
        return try await database.read { db in try body(WarehouseTransaction(db: db, source: source)) }
    }
}

/// What is wrong with what a warehouse is asked for. No text holds what participants gave.
public enum WarehouseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A name or file that cannot be used.
    case badInput(String)
    /// Two concepts that would have the same code.
    case collision(code: String)

    public var description: String {
        switch self {
        case .badInput(let reason): reason
        case .collision(let code): "two concepts have the code \(code); one of them needs another link id or URL"
        }
    }
}
