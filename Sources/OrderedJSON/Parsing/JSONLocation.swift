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

/// The lines of a parsed text, for finding the locations of many values: each takes one step, where
/// ``JSONValue/location`` counts the lines from the beginning.
public struct JSONLineTable: Sendable {
    /// Where in its line a byte is.
    private struct Mark {
        var line = 1
        var column = 1
    }

    /// The bytes between two marks. A text may be one line, and it may have a line for each byte.
    private static let stride = 256

    private let arena: JSONArena
    /// The offset of the first mark.
    private let start: Int
    /// Of each byte that is a multiple of the stride behind the first.
    private let marks: [Mark]

    /// The lines of the text that a value was parsed from; `nil` for a value that was made or changed.
    public init?(textOf value: JSONValue) {
        guard case .parsed(let arena, _) = value.storage else { return nil }
        self.arena = arena
        start = JSONLocation.lengthOfByteOrderMark(in: arena.source)
        var marks = [Mark()]
        var mark = Mark()
        var offset = start
        while offset + Self.stride < arena.count {
            Self.advance(&mark, from: offset, to: offset + Self.stride, in: arena)
            offset += Self.stride
            marks.append(mark)
        }
        self.marks = marks
    }

    /// Where a value starts; `nil` when it is from another text, made or changed.
    public func location(of value: JSONValue) -> JSONLocation? {
        guard case .parsed(let arena, let index) = value.storage, arena === self.arena else { return nil }
        return location(offset: arena.word(Int(index)).offset)
    }

    /// Where a member's name starts; `nil` when it is from another text, made or changed.
    public func location(ofNameOf member: JSONMember) -> JSONLocation? {
        guard case .parsed(let arena, let index) = member.storage, arena === self.arena else { return nil }
        return location(offset: arena.word(Int(index)).offset)
    }

    private func location(offset: Int) -> JSONLocation {
        let index = min((offset - start) / Self.stride, marks.count - 1)
        var mark = marks[index]
        Self.advance(&mark, from: start + index * Self.stride, to: offset, in: arena)
        return JSONLocation(offset: offset, line: mark.line, column: mark.column)
    }

    private static func advance(_ mark: inout Mark, from first: Int, to end: Int, in arena: JSONArena) {
        let bytes = arena.bytes
        let lineEnds = count(from: first, to: end) { index in
            let isLF: UInt8 = bytes[index] == 0x0A ? 1 : 0
            let isCR: UInt8 = bytes[index] == 0x0D ? 1 : 0
            // The byte behind the source can be read: it is zero.
            let isBeforeLF: UInt8 = bytes[index + 1] == 0x0A ? 1 : 0
            return isLF | (isCR & ~isBeforeLF)
        }
        var lineStart = first
        if lineEnds > 0 {
            lineStart = end
            while !JSONLocation.endsLine(at: lineStart - 1, in: arena.source) { lineStart -= 1 }
            mark = Mark(line: mark.line + lineEnds, column: 1)
        }
        mark.column += count(from: lineStart, to: end) { bytes[$0] & 0xC0 != 0x80 ? 1 : 0 }
    }

    /// The sum of what `one`, which returns 0 or 1, returns for each offset.
    @inline(__always)
    private static func count(from first: Int, to end: Int, _ one: (Int) -> UInt8) -> Int {
        var total = 0
        var index = first
        // Sums of at most 128 fit in a byte, of which a vector has many: that makes this four times as fast.
        while index < end {
            let next = min(index + 128, end)
            var sum: UInt8 = 0
            while index < next {
                sum &+= one(index)
                index &+= 1
            }
            total += Int(sum)
        }
        return total
    }
}
