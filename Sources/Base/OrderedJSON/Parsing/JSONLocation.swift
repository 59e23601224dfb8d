/// A position in a JSON text.
public struct JSONLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The index of the byte, from 0.
    public private(set) var offset: Int
    /// The line, from 1. Lines end with LF, CR LF or CR.
    public private(set) var line: Int
    /// The column, from 1, in Unicode scalars.
    public private(set) var column: Int

    /// `line:column`.
    public var description: String { "\(line):\(column)" }

    public static func < (a: Self, b: Self) -> Bool { a.offset < b.offset }

    /// The first column, behind a byte order mark.
    init(startOf source: UnsafeBufferPointer<UInt8>) {
        offset = source.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        line = 1
        column = 1
    }

    /// - Parameter source: Has a byte at the offset, if only of padding.
    init(offset: Int, in source: UnsafeBufferPointer<UInt8>) {
        self.init(startOf: source)
        if let bytes = source.baseAddress { advance(to: offset, in: bytes) }
    }

    /// Moves on in the text, up to a byte that can be read.
    fileprivate mutating func advance(to end: Int, in bytes: UnsafePointer<UInt8>) {
        let lineEnds = Self.lineEnds(in: bytes, offset, end)
        if lineEnds > 0 {
            offset = end
            line = line + lineEnds
            column = 1
            while bytes[offset - 1] != 0x0A, bytes[offset - 1] != 0x0D || bytes[offset] == 0x0A {
                offset -= 1
            }
        }
        column += Self.characters(in: bytes, offset, end)
        offset = end
    }

    // Eight bytes at a time: texts of megabytes may be one line.

    private static func word(_ bytes: UnsafePointer<UInt8>, _ index: Int) -> UInt64 {
        UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self)
    }

    /// A line ends with LF, and with a CR that no LF follows.
    private static func lineEnds(in bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
        let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        var count = 0
        var index = start
        while index < end {
            if index &+ 8 <= end {
                let word = word(bytes, index)
                // Most words have no byte below a space.
                if (word &- 0x2020_2020_2020_2020) & ~word & ~low == 0 {
                    index &+= 8
                    continue
                }
                let returns = word ^ 0x0D0D_0D0D_0D0D_0D0D
                if ((returns & low &+ low) | returns | low) == .max {
                    let feeds = word ^ 0x0A0A_0A0A_0A0A_0A0A
                    count += (~((feeds & low &+ low) | feeds | low)).nonzeroBitCount
                    index &+= 8
                    continue
                }
            }
            if bytes[index] == 0x0A || bytes[index] == 0x0D && bytes[index + 1] != 0x0A { count += 1 }
            index += 1
        }
        return count
    }

    /// How many bytes do not continue a character.
    private static func characters(in bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
        var count = 0
        var index = start
        while index < end {
            if index &+ 8 <= end, word(bytes, index) & 0x8080_8080_8080_8080 == 0 {
                count &+= 8
                index &+= 8
                continue
            }
            if bytes[index] & 0xC0 != 0x80 { count += 1 }
            index += 1
        }
        return count
    }
}

/// The lines of a parsed text, for finding the locations of many values: each takes one step, where
/// ``JSONValue/location`` counts the lines from the beginning.
public struct JSONLineTable: Sendable {
    /// The bytes between two marks. A text may be one line, and it may have a line for each byte.
    private static let stride = 256

    private let arena: JSONArena
    private let marks: [JSONLocation]

    /// The lines of the text that a value was parsed from; `nil` for a value that was made or changed.
    public init?(textOf value: JSONValue) {
        guard case .parsed(let arena, _) = value.storage else { return nil }
        self.arena = arena
        var marks = [JSONLocation(startOf: arena.source)]
        var mark = marks[0]
        while mark.offset + Self.stride < arena.count {
            mark.advance(to: mark.offset + Self.stride, in: arena.bytes)
            marks.append(mark)
        }
        self.marks = marks
    }

    /// Where a value starts; `nil` when it is from another text, made or changed.
    public func location(of value: JSONValue) -> JSONLocation? {
        guard case .parsed(let arena, let index) = value.storage, arena === self.arena else { return nil }
        let offset = arena.word(Int(index)).offset
        var location = marks[min((offset - marks[0].offset) / Self.stride, marks.count - 1)]
        location.advance(to: offset, in: arena.bytes)
        return location
    }

    /// Where a member's name starts; `nil` when it is from another text, made or changed.
    public func location(ofNameOf member: JSONMember) -> JSONLocation? { location(of: member.nameValue) }
}
