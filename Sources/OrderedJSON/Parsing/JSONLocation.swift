/// A position in a JSON text.
public struct JSONLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The index of the byte, from 0.
    public let offset: Int
    /// The line, from 1. Lines end with LF, CR LF or CR.
    public let line: Int
    /// The column, from 1, in Unicode scalars.
    public let column: Int

    /// `line:column`.
    public var description: String { "\(line):\(column)" }

    public static func < (a: Self, b: Self) -> Bool { a.offset < b.offset }

    init(offset: Int, in source: UnsafeBufferPointer<UInt8>) {
        var line = 1
        var lineStart = Self.lengthOfByteOrderMark(in: source)
        for index in 0..<offset where Self.endsLine(at: index, in: source) {
            line += 1
            lineStart = index + 1
        }
        let column = source[min(lineStart, offset)..<offset].count { $0 & 0xC0 != 0x80 } + 1
        self.init(offset: offset, line: line, column: column)
    }

    init(offset: Int, line: Int, column: Int) {
        self.offset = offset
        self.line = line
        self.column = column
    }

    /// A byte order mark is no column.
    static func lengthOfByteOrderMark(in source: UnsafeBufferPointer<UInt8>) -> Int {
        source.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// Whether a line ends with a byte: with LF, and with a CR that no LF follows.
    static func endsLine(at index: Int, in source: UnsafeBufferPointer<UInt8>) -> Bool {
        switch source[index] {
        case 0x0A: true
        case 0x0D: index + 1 == source.count || source[index + 1] != 0x0A
        default: false
        }
    }
}
