/// The lines of a parsed text, for finding the locations of many values: each takes one step, where
/// ``JSONValue/location`` counts the lines from the beginning.
public struct JSONLineTable: Sendable {
    /// Where in its line a byte is.
    private struct Mark {
        var line = 1
        var column = 1
    }

    /// The bytes between two marks. A text may be one line, and it may have a line for each byte.
    private static let stride = 1_024

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
        // Loops without a branch, which the compiler makes of vectors. The byte behind the source can be read: it is zero.
        let bytes = arena.bytes
        var lineEnds = 0
        for index in first..<end {
            let isLF = bytes[index] == 0x0A ? 1 : 0
            let isCR = bytes[index] == 0x0D ? 1 : 0
            let isBeforeLF = bytes[index + 1] == 0x0A ? 1 : 0
            lineEnds &+= isLF | (isCR & ~isBeforeLF)
        }
        var lineStart = first
        if lineEnds > 0 {
            lineStart = end
            while !JSONLocation.endsLine(at: lineStart - 1, in: arena.source) { lineStart -= 1 }
            mark = Mark(line: mark.line + lineEnds, column: 1)
        }
        var characters = 0
        for index in lineStart..<end { characters &+= bytes[index] & 0xC0 != 0x80 ? 1 : 0 }
        mark.column += characters
    }
}
