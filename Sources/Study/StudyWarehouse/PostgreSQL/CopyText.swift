import Foundation

/// A form of the rows that `COPY` reads.
protocol CopyFormat {
    /// What the statement says of it.
    static var options: String { get }

    /// What is written so far.
    var bytes: [UInt8] { get }

    /// Writes a row.
    ///
    /// - Throws: ``PostgreSQLError/unstorableText``, ``PostgreSQLError/unstorableNumber``,
    ///   ``PostgreSQLError/tooLarge(limit:)``.
    mutating func append(_ row: [SQLValue]) throws(PostgreSQLError)

    /// Writes what follows the last row.
    mutating func end()

    /// Forgets what was sent.
    mutating func removeAll()
}

/// Rows in the text format of PostgreSQL's `COPY`: tabs between values, `\N` for NULL, and a backslash before
/// what means something ("COPY", "File Formats", "Text Format").
struct CopyText: CopyFormat {
    static let options = ""

    private(set) var bytes: [UInt8] = []

    private static let digits = Array("0123456789abcdef".utf8)

    mutating func append(_ row: [SQLValue]) throws(PostgreSQLError) {
        for (index, value) in row.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\t")) }
            switch value {
            case .null: bytes += #"\N"#.utf8
            case .integer(let number): bytes += String(number).utf8
            case .double(let number): bytes += number.description.utf8
            case .text(let text): try append(text)
            case .bytes(let data): append(data)
            }
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func end() {}

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    private mutating func append(_ text: String) throws(PostgreSQLError) {
        for byte in text.utf8 {
            switch byte {
            case 0: throw .unstorableText
            case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
            case UInt8(ascii: "\t"): bytes += #"\t"#.utf8
            case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
            case UInt8(ascii: "\r"): bytes += #"\r"#.utf8
            default: bytes.append(byte)
            }
        }
    }

    /// A `bytea` in hexadecimal digits, whose own backslash is escaped.
    private mutating func append(_ data: Data) {
        bytes.reserveCapacity(bytes.count + 3 + 2 * data.count)
        bytes += #"\\x"#.utf8
        for byte in data {
            bytes.append(Self.digits[Int(byte >> 4)])
            bytes.append(Self.digits[Int(byte & 15)])
        }
    }
}
