/// The lines of a parsed text, for finding the locations of many values: each takes a binary search, where
/// ``JSONValue/location`` counts the lines from the beginning.
public struct JSONLineTable: Sendable {
    /// The first byte of a line, or one inside a long line: a text may be one line.
    private struct Mark {
        let offset: Int
        let line: Int
        let column: Int
    }

    /// The bytes between the marks of a long line.
    private static let stride = 1_024

    private let arena: JSONArena
    private let marks: [Mark]

    /// The lines of the text that a value was parsed from; `nil` for a value that was made or changed.
    public init?(textOf value: JSONValue) {
        guard case .parsed(let arena, _) = value.storage else { return nil }
        self.arena = arena
        let source = arena.source
        var last = Mark(offset: JSONLocation.lengthOfByteOrderMark(in: source), line: 1, column: 1)
        var marks = [last]
        var column = 1
        for index in last.offset..<source.count {
            if JSONLocation.endsLine(at: index, in: source) {
                last = Mark(offset: index + 1, line: last.line + 1, column: 1)
                column = 1
                marks.append(last)
            } else {
                if source[index] & 0xC0 != 0x80 { column += 1 }
                if index + 1 - last.offset == Self.stride {
                    last = Mark(offset: index + 1, line: last.line, column: column)
                    marks.append(last)
                }
            }
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
        var low = 0
        var high = marks.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if marks[middle].offset <= offset { low = middle } else { high = middle }
        }
        let mark = marks[low]
        return JSONLocation(
            offset: offset, line: mark.line,
            column: mark.column + arena.source[mark.offset..<offset].count { $0 & 0xC0 != 0x80 })
    }
}
