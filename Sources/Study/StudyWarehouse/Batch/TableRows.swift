/// A type of a column as PostgreSQL's binary `COPY` wants it.
enum ColumnType: Sendable, Hashable {
    case integer, bigint, double, text, bytes
}

/// Rows that are written into a table together.
struct TableRows: Sendable, Hashable {
    /// The table and its columns: names of the program's own.
    let table: String
    let columns: [String]
    /// Those of the columns, for a table with many or long values: numbers and bytes need not be made texts.
    let types: [ColumnType]?
    /// The values, in the order of the columns.
    private(set) var rows: [[SQLValue]] = []

    init(_ table: String, _ columns: [String]) {
        self.table = table
        self.columns = columns
        types = nil
    }

    /// Rows of columns whose types are known.
    init(_ table: String, _ columns: KeyValuePairs<String, ColumnType>) {
        self.table = table
        self.columns = columns.map(\.key)
        types = columns.map(\.value)
    }

    mutating func reserveCapacity(_ count: Int) { rows.reserveCapacity(count) }

    /// Adds a row with a value for each column; a missing value is NULL.
    mutating func append(_ values: SQLArguments) {
        rows.append(values.map { $0?.sqlValue ?? .null })
    }

    /// Adds a row with a value for each column.
    mutating func append(values: [SQLValue]) { rows.append(values) }
}

extension WarehouseSession {
    /// How many rows one statement writes. The sizes are few, since databases keep statements prepared.
    private static var sizes: [Int] { [32, 8, 1] }

    /// Writes rows, many with one statement.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - ending: What follows the values, as in `ON CONFLICT DO NOTHING`.
    ///   - body: Gets each row that the statement returns.
    func insertRows(_ rows: TableRows, _ ending: String = "", _ body: (SQLRow) throws -> Void = { _ in })
        throws
    {
        let row = "(" + rows.columns.map { _ in "?" }.joined(separator: ", ") + ")"
        let beginning = "INSERT INTO \(rows.table) (\(rows.columns.joined(separator: ", "))) VALUES "
        var rest = rows.rows[...]
        while let size = Self.sizes.first(where: { $0 <= rest.count }) {
            let values = Array(repeating: row, count: size).joined(separator: ", ")
            let arguments = rest.prefix(size).flatMap { $0 as SQLArguments }
            try eachRow("\(beginning)\(values) \(ending)", arguments, body)
            rest = rest.dropFirst(size)
        }
    }

    /// Writes those rows whose keys the table does not have.
    func insertMissing(_ rows: TableRows) throws { try insertRows(rows, "ON CONFLICT DO NOTHING") }
}
