/// The lines of a parsed text, for finding the locations of many values: each takes a binary search, where
/// ``JSONValue/location`` counts the lines from the beginning.
public struct JSONLineTable: Sendable {
    private let arena: JSONArena
    /// The offset of each line's first byte.
    private let starts: [Int]

    /// The lines of the text that a value was parsed from; `nil` for a value that was made or changed.
    public init?(textOf value: JSONValue) {
        guard case .parsed(let arena, _) = value.storage else { return nil }
        self.arena = arena
        let source = arena.source
        var starts = [JSONLocation.lengthOfByteOrderMark(in: source)]
        for index in source.indices where JSONLocation.endsLine(at: index, in: source) { starts.append(index + 1) }
        self.starts = starts
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
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return JSONLocation(offset: offset, line: low + 1, lineStart: starts[low], in: arena.source)
    }
}
