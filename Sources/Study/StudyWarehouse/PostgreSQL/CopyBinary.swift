/// Rows in the binary format of PostgreSQL's `COPY`: for each row the number of its values, and for each
/// value its length and its bytes, all numbers with their highest byte first ("COPY", "File Formats", "Binary
/// Format").
struct CopyBinary: CopyFormat {
    static let options = " (FORMAT binary)"

    private(set) var bytes: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + Array(repeating: 0, count: 8)
    private let types: [ColumnType]

    /// - Parameter types: Those of the columns.
    init(_ types: [ColumnType]) { self.types = types }

    mutating func append(_ row: [SQLValue]) throws(PostgreSQLError) {
        append(number: Int16(row.count))
        for (type, value) in zip(types, row) {
            switch (type, value) {
            case (_, .null): append(number: Int32(-1))
            case (.integer, .integer(let number)):
                guard let number = Int32(exactly: number) else { throw .unstorableNumber }
                append(value: number)
            case (.bigint, .integer(let number)): append(value: Int64(number))
            case (.double, .double(let number)): append(value: number.bitPattern)
            case (.text, .text(let text)):
                guard !text.utf8.contains(0) else { throw .unstorableText }
                append(number: Int32(text.utf8.count))
                bytes += text.utf8
            case (.bytes, .bytes(let data)):
                guard let count = Int32(exactly: data.count) else { throw .tooLarge(limit: Int(Int32.max)) }
                append(number: count)
                data.withUnsafeBytes { bytes += $0 }
            default: preconditionFailure("a value has another type than its column")
            }
        }
    }

    mutating func end() { append(number: Int16(-1)) }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// A value that is a number, with its length.
    @inline(__always)
    private mutating func append(value: some FixedWidthInteger) {
        append(number: Int32(value.bitWidth / 8))
        append(number: value)
    }

    @inline(__always)
    private mutating func append(number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
}
