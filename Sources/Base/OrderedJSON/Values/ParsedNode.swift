/// A node of a parsed text that holds no reference to the text, so that it is copied like a number: for going
/// through many nodes quickly.
///
/// It is valid only as long as somebody holds the ``JSONValue`` that it was made from, or another of the same
/// text.
package struct ParsedNode: Sendable {
    // Read by `_withUnsafeGuaranteedRef`, which neither retains nor releases: both together took half of the
    // time of navigation and validation.
    fileprivate let arena: Unmanaged<JSONArena>
    fileprivate let index: Int

    @inline(__always)
    fileprivate init(_ arena: Unmanaged<JSONArena>, _ index: Int) {
        self.arena = arena
        self.index = index
    }

    /// Whoever uses a node keeps the value that it belongs to alive, and so the arena.
    @inline(__always)
    private func read<Result>(_ body: (JSONArena) -> Result) -> Result {
        arena._withUnsafeGuaranteedRef(body)
    }

    @inline(__always)
    fileprivate var word: NodeWord { read { $0.word(index) } }

    /// The same for the same node of a text, and for no other.
    package var identity: Int { index }

    /// The value, which holds the text.
    package var value: JSONValue { JSONValue(arena.takeUnretainedValue(), index) }

    package var kind: JSONValue.Kind { word.kind }

    /// The value of an object's member, of several with the name the last; `nil` when there is none and for
    /// other kinds.
    package func member(_ name: UnsafeBufferPointer<UInt8>) -> ParsedNode? {
        read { $0.member(of: index, named: name) }.map { ParsedNode(arena, $0) }
    }

    /// The value of an object's member, of several with the name the last; `nil` when there is none and for
    /// other kinds.
    package func member(_ name: StaticString) -> ParsedNode? { member(name.bytes) }

    /// Whether it is `null`.
    package var isNull: Bool { word.tag == .null }

    /// The characters of a string; `nil` for other kinds.
    package var string: String? { read { $0.string(at: index) } }

    /// Whether it is the string with exactly these characters, compared as UTF-8.
    package func isString(_ other: StaticString) -> Bool {
        read { $0.word(index).isString && $0.string($0.word(index), equals: other.bytes) }
    }

    /// Whether it is written with the same bytes as another node, of this text or of another one.
    package func isWritten(like other: ParsedNode) -> Bool {
        read { own in
            other.read { others in
                let start = own.word(index).offset
                let otherStart = others.word(other.index).offset
                let count = own.endOffset(of: index) - start
                guard others.endOffset(of: other.index) - otherStart == count else { return false }
                let bytes = UnsafeRawPointer(own.bytes + start)
                let otherBytes = UnsafeRawPointer(others.bytes + otherStart)
                var position = 0
                while position + 8 <= count {
                    guard
                        bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                            == otherBytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                    else { return false }
                    position += 8
                }
                while position < count {
                    guard
                        bytes.load(fromByteOffset: position, as: UInt8.self)
                            == otherBytes.load(fromByteOffset: position, as: UInt8.self)
                    else { return false }
                    position += 1
                }
                return true
            }
        }
    }

    /// Of an array or object the bytes that decide what it is, valid as long as the node and followed by at
    /// least eight others; `nil` for other kinds, and where they are more than a limit.
    package func content(atMost limit: Int) -> UnsafeRawBufferPointer? {
        let word = word
        // A value takes two bytes at least.
        guard word.isContainer, word.length * 2 <= limit else { return nil }
        let content = read { $0.content(of: index) }
        return content.count <= limit ? content : nil
    }

    /// The elements of an array, in order; `nil` for other kinds.
    package var elements: ParsedElements? {
        read { $0.words(in: index, .array) }.map {
            ParsedElements(position: ParsedNode(arena, $0.lowerBound), end: $0.upperBound)
        }
    }

    /// The members of an object, in order; none for other kinds.
    package var members: ParsedMembers {
        let words = read { $0.words(in: index, .object) } ?? 0..<0
        return ParsedMembers(position: ParsedNode(arena, words.lowerBound), end: words.upperBound)
    }

    /// The node behind this one and everything in it.
    @inline(__always)
    fileprivate var following: ParsedNode { ParsedNode(arena, read { $0.end(of: index) }) }

    /// Calls `body` with each element of an array, in order.
    package func forEachElement(_ body: (ParsedNode) -> Void) { elements?.forEach(body) }

    /// Calls `body` with the name, which is a string, and the value of each member of an object, in order,
    /// whose name, after an underscore that it may have, begins with a prefix.
    package func forEachMember(
        beginningWith prefix: UnsafeBufferPointer<UInt8>,
        _ body: (_ name: ParsedNode, _ value: ParsedNode) -> Void
    ) {
        for member in members
        where member.nameValue.withUTF8({ JSONMember.name($0, beginsWith: prefix) }) == true {
            body(member.nameValue, member.value)
        }
    }

    /// Calls `body` with the characters of a string as UTF-8, or those of a number; not for other kinds.
    package func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        if let text = plainUTF8 { return body(text) }
        return decodedUTF8?.withUnsafeBufferPointer(body)
    }

    /// The characters of a number, or of a string without escapes, valid as long as the node.
    package var plainUTF8: UnsafeBufferPointer<UInt8>? {
        let word = word
        return word.tag == .number || word.tag == .string ? read { $0.text(word) } : nil
    }

    /// The characters of a string with escapes.
    package var decodedUTF8: [UInt8]? {
        let word = word
        return word.tag == .escapedString
            ? StringEscapes.decoded(read { $0.text(word) }) : nil
    }
}

/// A member of an object: its name, which is a string, and its value.
package struct ParsedMember: Sendable {
    package let nameValue: ParsedNode
    package let value: ParsedNode

    package var name: String { nameValue.string ?? "" }
}

/// The elements of an array, in order.
package struct ParsedElements: Sequence, IteratorProtocol, Sendable {
    fileprivate var position: ParsedNode
    fileprivate let end: Int

    package mutating func next() -> ParsedNode? {
        guard position.index < end else { return nil }
        defer { position = position.following }
        return position
    }
}

/// The members of an object, in order.
package struct ParsedMembers: Sequence, IteratorProtocol, Sendable {
    fileprivate var position: ParsedNode
    fileprivate let end: Int

    package mutating func next() -> ParsedMember? {
        guard position.index < end else { return nil }
        let value = ParsedNode(position.arena, position.index + 1)
        defer { position = value.following }
        return ParsedMember(nameValue: position, value: value)
    }
}

extension JSONValue {
    /// The node of a value that was parsed and not changed; `nil` for others. Hold the value as long as the
    /// node is used.
    package var parsedNode: ParsedNode? {
        guard case .parsed(let arena, let index) = storage else { return nil }
        return ParsedNode(Unmanaged.passUnretained(arena), Int(index))
    }
}
