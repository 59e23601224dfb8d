import Foundation

/// A research warehouse: i2b2's star schema, and what a study keeps beside it, in a SQLite file that its
/// owner alone can read, or in a database of PostgreSQL.
///
/// ```swift
/// let warehouse = try Warehouse(URL(filePath: "study.sqlite"))
/// try await warehouse.read { warehouse in
///     print(try warehouse.overview(since: "2026-03-01").participants)
///     try warehouse.eachFact { cells in print(cells.joined(separator: "\t")) }
/// }
/// ```
/// The consumer of StudyServer fills it.
public final class Warehouse: Sendable {
    /// The code of the study: where ids and facts come from.
    public let source: String
    private let store: any WarehouseStore
    private let concepts = KnownConcepts()

    /// Opens a warehouse in a file, and makes it if need be.
    ///
    /// - Parameters:
    ///   - file: The database; `nil` for one in memory.
    ///   - source: 1 to 50 letters, digits, `.`, `_` and `-`. The code of the study. A warehouse belongs to
    ///     one study: with `nil`, an existing warehouse keeps its code, and a new one gets `STUDY`.
    /// - Throws: ``WarehouseError``, also where the warehouse is of another study; SQLite's error.
    public init(_ file: URL?, source: String? = nil) throws {
        let store = try SQLiteWarehouseStore(file, source: source.map(Self.checked))
        self.store = store
        self.source = store.source
    }

    /// Opens a warehouse in a database of PostgreSQL, and makes it if need be.
    ///
    /// - Parameters:
    ///   - url: As in `postgresql://user@host:5432/database`, without a password: that comes from
    ///     `PGPASSWORD` or the file `~/.pgpass`. The database, or the first schema of its search path, is the
    ///     warehouse's alone, or the queue's too.
    ///   - source: The code of the study, as for a file.
    ///   - makes: Whether a warehouse is made where there is none.
    /// - Throws: ``WarehouseError``, what PostgreSQL says. No error holds a password.
    public init(postgreSQL url: String, source: String? = nil, makes: Bool = true) async throws {
        let source = try source.map(Self.checked)
        let store = try await PostgreSQLWarehouseStore(url, source: source, makes: makes)
        self.store = store
        self.source = store.source
    }

    private static func checked(_ source: String) throws(WarehouseError) -> String {
        guard (1...50).contains(source.utf8.count), source != "HIVE", source.utf8.allSatisfy(Self.isAllowed)
        else {
            throw WarehouseError.badInput(
                "the code of a study has 1 to 50 letters, digits, ‘.’, ‘_’ and ‘-’, and is not HIVE"
            )
        }
        return source
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-._".utf8.contains(byte)
    }

    /// Does all of `body`, or nothing of it. What was committed is on the disk.
    ///
    /// When PostgreSQL's connection breaks, or another transaction is in the way, `body` is done again.
    ///
    /// - Throws: ``WarehouseError`` for rows that the tables do not take, the database's errors, and what
    ///   `body` throws.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (WarehouseTransaction) throws -> Value
    ) async throws -> Value {
        let source = source
        let concepts = concepts
        let (value, new, units) = try await store.write { db in
            let seen = SeenConcepts(concepts)
            let value = try body(WarehouseTransaction(db: db, source: source, concepts: seen))
            return (value, seen.new, seen.newUnits)
        }
        concepts.add(new, units)
        return value
    }

    /// Overwrites what was deleted, also where SQLite keeps old pages for a while. PostgreSQL cannot.
    ///
    /// - Throws: ``WarehouseError``, when somebody reads for long; then it can be done again. SQLite's
    ///   errors.
    public func eraseRemains() async throws { try await store.eraseRemains() }

    /// Reads one state of the warehouse.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (WarehouseTransaction) throws -> Value
    ) async throws -> Value {
        let source = source
        let concepts = concepts
        return try await store.read { db in
            try body(WarehouseTransaction(db: db, source: source, concepts: SeenConcepts(concepts)))
        }
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
        case .collision(let code):
            "two concepts have the code \(code); one of them needs another link id or URL"
        }
    }
}
