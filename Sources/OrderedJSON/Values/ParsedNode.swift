/// A node of a parsed text that holds no reference to the text, so that it is copied like a number: for going through many
/// nodes quickly.
///
/// It is valid only as long as somebody holds the ``JSONValue`` that it was made from, or another of the same text.
package struct ParsedNode: Sendable {
    private unowned(unsafe) let arena: JSONArena
    private let index: Int

    fileprivate init(_ arena: JSONArena, _ index: Int) {
        self.arena = arena
        self.index = index
    }

    /// The value, which holds the text.
    package var value: JSONValue { JSONValue(arena, index) }

    /// The kind of value.
    package var kind: JSONValue.Kind { arena.word(index).kind }

    /// The value of an object's member, of several with the name the last; `nil` when there is none and for other kinds.
    package func member(_ name: UnsafeBufferPointer<UInt8>) -> ParsedNode? {
        guard arena.word(index).tag == .object, let found = arena.member(of: index, named: name) else { return nil }
        return ParsedNode(arena, found + 1)
    }

    /// The value of an object's member, of several with the name the last; `nil` when there is none and for other kinds.
    package func member(_ name: StaticString) -> ParsedNode? {
        member(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// Whether it is `null`.
    package var isNull: Bool { arena.word(index).tag == .null }

    /// The characters of a string; `nil` for other kinds.
    package var string: String? {
        let word = arena.word(index)
        return word.isString ? arena.string(word) : nil
    }

    /// Whether it is the string with exactly these characters, compared as UTF-8.
    package func isString(_ other: StaticString) -> Bool {
        let word = arena.word(index)
        return word.isString
            && arena.string(word, equals: UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
    }

    /// The elements of an array, in order; `nil` for other kinds.
    package var elements: ParsedElements? {
        let word = arena.word(index)
        return word.tag == .array ? ParsedElements(position: ParsedNode(arena, index + 1), end: index + word.length) : nil
    }

    /// The members of an object, in order; none for other kinds.
    package var members: ParsedMembers {
        let word = arena.word(index)
        return ParsedMembers(
            position: ParsedNode(arena, index + 1), end: word.tag == .object ? index + word.length : index)
    }

    fileprivate func isBefore(_ end: Int) -> Bool { index < end }
    /// The node behind this one and everything in it.
    fileprivate var following: ParsedNode { ParsedNode(arena, arena.end(of: index)) }
    /// The node of the next word: of a name its value.
    fileprivate var successor: ParsedNode { ParsedNode(arena, index + 1) }
    /// Whether a member with this name, after an underscore that it may have, begins with a prefix.
    fileprivate func begins(with prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        arena.name(arena.word(index), beginsWith: prefix)
    }

    /// Calls `body` with each element of an array, in order.
    package func forEachElement(_ body: (ParsedNode) -> Void) {
        guard let elements else { return }
        for element in elements { body(element) }
    }

    /// Calls `body` with the name, which is a string, and the value of each member of an object, in order, whose name, after
    /// an underscore that it may have, begins with a prefix.
    package func forEachMember(
        beginningWith prefix: UnsafeBufferPointer<UInt8>, _ body: (_ name: ParsedNode, _ value: ParsedNode) -> Void
    ) {
        for member in members where member.nameValue.begins(with: prefix) { body(member.nameValue, member.value) }
    }

    /// Calls `body` with the characters of a string as UTF-8, or those of a number.
    ///
    /// - Returns: What `body` returned; `nil` for other kinds.
    package func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        let word = arena.word(index)
        switch word.tag {
        case .number, .string: return body(arena.text(word))
        case .escapedString: return StringEscapes.decoded(arena.text(word)).withUnsafeBufferPointer(body)
        default: return nil
        }
    }
}

/// A member of an object: its name, which is a string, and its value.
package struct ParsedMember: Sendable {
    package let nameValue: ParsedNode
    package let value: ParsedNode

    /// The name.
    package var name: String { nameValue.string ?? "" }
}

/// The elements of an array, in order.
package struct ParsedElements: Sequence, IteratorProtocol, Sendable {
    fileprivate var position: ParsedNode
    fileprivate let end: Int

    package mutating func next() -> ParsedNode? {
        guard position.isBefore(end) else { return nil }
        defer { position = position.following }
        return position
    }
}

/// The members of an object, in order.
package struct ParsedMembers: Sequence, IteratorProtocol, Sendable {
    fileprivate var position: ParsedNode
    fileprivate let end: Int

    package mutating func next() -> ParsedMember? {
        guard position.isBefore(end) else { return nil }
        let value = position.successor
        defer { position = value.following }
        return ParsedMember(nameValue: position, value: value)
    }
}

extension JSONValue {
    /// The node of a value that was parsed and not changed; `nil` for others. Hold the value as long as the node is used.
    package var parsedNode: ParsedNode? {
        guard case .parsed(let arena, let index) = storage else { return nil }
        return ParsedNode(arena, Int(index))
    }
}
