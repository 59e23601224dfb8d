import Foundation
import GRDB
import OrderedJSON

/// A transaction of a database. It executes SQL that SQLite and PostgreSQL interpret alike, with `?` for each
/// parameter.
protocol WarehouseSession {
    /// Executes a statement, and returns how many rows it changed.
    @discardableResult
    func execute(_ sql: String, _ arguments: SQLArguments) throws -> Int

    /// The rows of a statement.
    func rows(_ sql: String, _ arguments: SQLArguments) throws -> [SQLRow]

    /// Gives the rows of a statement one after the other.
    func eachRow(_ sql: String, _ arguments: SQLArguments, _ body: (SQLRow) throws -> Void) throws

    /// Writes rows whose keys the table does not have.
    func insert(_ rows: TableRows) throws

    /// A subquery for the texts of a parameter that is a JSON array: `id IN (\(db.listed))`.
    var listed: String { get }

    /// Prepares for statements whose plans depend on how many texts they look for.
    func usePlansPerExecution() throws

    /// The numbers for new visits. No number is used twice, not even that of a participant who left.
    func newVisits(_ count: Int) throws -> [Int]

    /// The numbers for new loads.
    func newLoads(_ count: Int) throws -> [Int]

    /// Which part of the numbers that tables assign is used up, from 0 to 1. Tables whose numbers suffice for
    /// any study are left out.
    func usedNumbers() throws -> [String: Double]

    /// A subquery for the rows of a parameter that is a JSON array of arrays of integers, with the columns
    /// `a`, `b`, `c` and so on.
    func numbers(_ columns: Int) -> String

    /// Runs `body`, which looks for keys in large tables, and has the database use their indexes, however
    /// little it knows about the tables.
    func withIndexes(_ body: () throws -> Void) throws

    /// The text after `FROM (…) AS k`: joins, for each row of that, the samples `s` that meet a condition,
    /// found by their key.
    func samples(where condition: String) -> String

    /// Makes room for the samples of months, counted from January 2000.
    func prepareSampleMonths(_ months: Set<Int>) throws

    /// Locks a name until the end of this transaction, against those that lock it for themselves alone.
    func lockShared(_ name: String) throws

    /// Locks names for this transaction alone, until its end. They are locked in the given order.
    func lock(_ names: [String]) throws

    /// Whether there is a table of this name.
    func hasTable(_ name: String) throws -> Bool

    /// Whether there is an index of this name.
    func hasIndex(_ name: String) throws -> Bool

    /// Whether this role may make indexes of a table.
    func owns(_ table: String) throws -> Bool
}

extension WarehouseSession {
    func lock(_ name: String) throws { try lock([name]) }

    /// Texts as the parameter of ``listed``.
    static func list(_ texts: some Sequence<String>) -> String {
        JSONValue(texts.map { JSONValue($0) }).text()
    }

    /// Rows as the parameter of ``numbers(_:)``.
    static func table(_ rows: [[Int]]) -> String {
        "[" + rows.map { "[" + $0.map(String.init).joined(separator: ",") + "]" }.joined(separator: ",") + "]"
    }

    /// The names of ``numbers(_:)``.
    static var numberColumns: [String] { ["a", "b", "c", "d", "e", "f"] }

    @discardableResult
    func execute(_ sql: String) throws -> Int { try execute(sql, []) }

    func rows(_ sql: String) throws -> [SQLRow] { try rows(sql, []) }

    func row(_ sql: String, _ arguments: SQLArguments = []) throws -> SQLRow? {
        try rows(sql, arguments).first
    }

    /// The number in a statement's only row.
    func number(_ sql: String, _ arguments: SQLArguments = []) throws -> Int {
        guard let number = try row(sql, arguments)?.integer(0) else {
            throw WarehouseError.badInput("the database gave no number where there is always one")
        }
        return number
    }

    /// Whether a statement finds a row.
    func finds(_ sql: String, _ arguments: SQLArguments) throws -> Bool {
        try row(sql, arguments) != nil
    }
}

/// A transaction of SQLite.
package struct SQLiteSession: WarehouseSession {
    let db: Database

    package init(db: Database) { self.db = db }

    let listed = "SELECT value FROM json_each(?)"
    func usePlansPerExecution() {}
    /// SQLite lets one transaction write at a time.
    func lock(_ names: [String]) {}
    func lockShared(_ name: String) {}
    func withIndexes(_ body: () throws -> Void) throws { try body() }
    func prepareSampleMonths(_ months: Set<Int>) {}

    /// The join order is the one that is written.
    func samples(where condition: String) -> String { "CROSS JOIN study_sample s ON \(condition)" }

    func numbers(_ columns: Int) -> String {
        let values = Self.numberColumns.prefix(columns).enumerated().map {
            "json_extract(value, '$[\($0)]') AS \($1)"
        }
        return "SELECT \(values.joined(separator: ", ")) FROM json_each(?)"
    }

    func insert(_ rows: TableRows) throws { try insertRows(rows) }

    /// They have 64 bits.
    func usedNumbers() -> [String: Double] { [:] }

    func newVisits(_ count: Int) throws -> [Int] {
        guard count > 0 else { return [] }
        let last = try number("UPDATE study_visit SET number = number + ? RETURNING number", [count])
        return Array(last - count + 1...last)
    }

    func newLoads(_ count: Int) throws -> [Int] {
        // Rows that are written with these numbers raise the sequence's last one.
        let sql = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'upload_status'"
        let last = try number(sql)
        return Array(last + 1..<last + 1 + count)
    }

    func hasTable(_ name: String) throws -> Bool { try db.tableExists(name) }
    func hasIndex(_ name: String) throws -> Bool {
        try finds("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?", [name])
    }
    func owns(_ table: String) -> Bool { true }

    func execute(_ sql: String, _ arguments: SQLArguments) throws -> Int {
        try db.cachedStatement(sql: sql).execute(arguments: Self.arguments(arguments))
        return db.changesCount
    }

    package func rows(_ sql: String, _ arguments: SQLArguments) throws -> [SQLRow] {
        var rows: [SQLRow] = []
        try eachRow(sql, arguments) { rows.append($0) }
        return rows
    }

    func eachRow(_ sql: String, _ arguments: SQLArguments, _ body: (SQLRow) throws -> Void) throws {
        let found = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: Self.arguments(arguments))
        while let row = try found.next() {
            try body(SQLRow(columns: Array(row.columnNames), values: row.databaseValues.map(Self.value)))
        }
    }

    private static func arguments(_ arguments: SQLArguments) -> StatementArguments {
        StatementArguments(
            arguments.map { argument -> (any DatabaseValueConvertible)? in
                switch argument?.sqlValue ?? .null {
                case .null: nil
                case .integer(let number): number
                case .double(let number): number
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
        case .double(let number): .double(number)
        case .string(let text): .text(text)
        case .blob(let data): .bytes(data)
        }
    }
}

extension PostgreSQLSession: WarehouseSession {
    var listed: String { "SELECT value FROM json_array_elements_text(?::json) AS listed (value)" }

    /// A plan that was made for an empty table would read a large one whole.
    func usePlansPerExecution() throws { try command("SET LOCAL plan_cache_mode = force_custom_plan") }

    /// A function's rows come, and are locked, in the order of the array.
    func lock(_ names: [String]) throws {
        try run(
            "SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM (\(listed)) AS names (name)",
            [Self.list(names.map { "study " + $0 })]
        )
    }

    func lockShared(_ name: String) throws {
        try run("SELECT pg_advisory_xact_lock_shared(hashtextextended(?, 0))", ["study " + name])
    }

    func numbers(_ columns: Int) -> String {
        let values = Self.numberColumns.prefix(columns).enumerated().map {
            "(value->>\($0))::bigint AS \($1)"
        }
        return "SELECT \(values.joined(separator: ", ")) FROM json_array_elements(?::json) AS listed (value)"
    }

    /// A table that has grown since it was made has no statistics.
    func withIndexes(_ body: () throws -> Void) throws {
        let others = ["enable_hashjoin", "enable_mergejoin", "enable_seqscan"]
        try command(others.map { "SET LOCAL \($0) = off" }.joined(separator: "; "))
        try body()
        try command(others.map { "SET LOCAL \($0) = on" }.joined(separator: "; "))
    }

    /// With an offset, the rows of `k` come first. Otherwise a table without statistics may be read whole for
    /// each of them.
    func samples(where condition: String) -> String {
        "CROSS JOIN LATERAL (SELECT s.* FROM study_sample s WHERE \(condition) OFFSET 0) AS s"
    }

    /// Makes the next month's partition, too: a month that has begun may have samples in the one that takes
    /// the others, and stays there.
    func prepareSampleMonths(_ months: Set<Int>) throws {
        let now = ContinuousClock.now
        let next = StudySample.month(of: Int(Date().timeIntervalSince1970) * 1_000_000) + 1
        let wanted = months.union([next]).filter { month in
            (0...next).contains(month) && monthsWithoutPartition[month].map { $0 < now } ?? true
        }
        var isInTheWay = false
        for month in wanted.sorted(by: >) {
            let start = ContinuousClock.now
            let isMade =
                try !isInTheWay && rows("SELECT study_sample_month(?)", [month]).first?.text(0) == "t"
            guard !isMade else { continue }
            // Somebody may be reading for long, and block all of them: a message may name hundreds of months,
            // and each would wait for two seconds.
            if start.duration(to: .now) > .seconds(1) { isInTheWay = true }
            monthsWithoutPartition[month] = .now + .seconds(600)
        }
    }

    func insert(_ rows: TableRows) throws { try copy(rows) }

    func usedNumbers() throws -> [String: Double] {
        let columns = [
            ("visit", "'study_visit'"),
            ("fact", "pg_get_serial_sequence('observation_fact', 'text_search_index')"),
            ("load", "pg_get_serial_sequence('upload_status', 'upload_id')"),
            ("participant", "pg_get_serial_sequence('study_participant', 'patient_num')"),
        ]
        var used: [String: Double] = [:]
        for (name, sequence) in columns {
            let row = try rows(
                """
                SELECT coalesce(pg_sequence_last_value(seqrelid), 0), seqmax
                FROM pg_sequence WHERE seqrelid = to_regclass(\(sequence))
                """,
                []
            ).first
            if let last = row?.integer(0), let limit = row?.integer(1), limit > 0 {
                used[name] = Double(last) / Double(limit)
            }
        }
        return used
    }

    func newVisits(_ count: Int) throws -> [Int] {
        try rows("SELECT nextval('study_visit') FROM generate_series(1, ?)", [count])
            .compactMap { $0.integer(0) }
    }

    func newLoads(_ count: Int) throws -> [Int] {
        let sequence = "pg_get_serial_sequence('upload_status', 'upload_id')::regclass"
        return try rows("SELECT nextval(\(sequence)) FROM generate_series(1, ?)", [count])
            .compactMap { $0.integer(0) }
    }

    func hasTable(_ name: String) throws -> Bool {
        try !rows("SELECT 1 WHERE to_regclass(?) IS NOT NULL", [name]).isEmpty
    }

    /// No table has the name of an index.
    func hasIndex(_ name: String) throws -> Bool { try hasTable(name) }

    func owns(_ table: String) throws -> Bool {
        let sql = "SELECT pg_has_role(relowner, 'USAGE')::text FROM pg_class WHERE oid = to_regclass(?)"
        return try rows(sql, [table]).first?.text(0) == "true"
    }

    @discardableResult
    func execute(_ sql: String, _ arguments: SQLArguments) throws -> Int { try run(sql, arguments) }

    func rows(_ sql: String, _ arguments: SQLArguments) throws -> [SQLRow] {
        try rows(sql, arguments, isBinary: false)
    }

    func eachRow(_ sql: String, _ arguments: SQLArguments, _ body: (SQLRow) throws -> Void) throws {
        try run(sql, arguments, row: body)
    }
}
