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
        // A line ends with LF, and with a CR that no LF follows. Without branches, several bytes are compared
        // at once.
        var lineEnds = 0
        var index = offset
        while index < end {
            let byte = bytes[index]
            let isEnd = byte == 0x0A ? 1 : 0
            let isReturn = byte == 0x0D ? 1 : 0
            let isAlone = bytes[index &+ 1] != 0x0A ? 1 : 0
            lineEnds &+= isEnd | isReturn & isAlone
            index &+= 1
        }
        if lineEnds > 0 {
            offset = end
            line = line + lineEnds
            column = 1
            while bytes[offset - 1] != 0x0A, bytes[offset - 1] != 0x0D || bytes[offset] == 0x0A {
                offset -= 1
            }
        }
        index = offset
        while index < end {
            column &+= bytes[index] & 0xC0 != 0x80 ? 1 : 0
            index &+= 1
        }
        offset = end
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
