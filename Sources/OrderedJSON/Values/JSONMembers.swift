/// The members of an object, in order; members of the same name are all there. Going through those of a parsed object
/// allocates nothing.
///
/// `count` of a parsed object takes time in proportion to its length.
public struct JSONMembers: Collection, Sendable {
    enum Storage {
        case parsed(JSONArena, Range<Int>)
        case made([JSONMember])
    }

    /// A position among the members.
    public struct Index: Comparable, Sendable {
        let value: Int
        public static func < (a: Self, b: Self) -> Bool { a.value < b.value }
    }

    let storage: Storage

    public var startIndex: Index {
        switch storage {
        case .parsed(_, let range): Index(value: range.lowerBound)
        case .made: Index(value: 0)
        }
    }

    public var endIndex: Index {
        switch storage {
        case .parsed(_, let range): Index(value: range.upperBound)
        case .made(let members): Index(value: members.count)
        }
    }

    public func index(after index: Index) -> Index {
        switch storage {
        case .parsed(let arena, let range):
            precondition(range.contains(index.value), "index out of range")
            return Index(value: arena.end(of: index.value + 1))
        case .made: return Index(value: index.value + 1)
        }
    }

    public subscript(index: Index) -> JSONMember {
        switch storage {
        case .parsed(let arena, let range):
            precondition(range.contains(index.value), "index out of range")
            return JSONMember(arena, index.value)
        case .made(let members): return members[index.value]
        }
    }
}

extension JSONMembers: ExpressibleByArrayLiteral {
    /// Members for where there is no object, as in `value.members ?? []`.
    public init(arrayLiteral members: JSONMember...) { self.init(storage: .made(members)) }
}

/// A member of an object: a name and a value.
public struct JSONMember: Sendable {
    enum Storage {
        /// The name at an index of an arena's words; the value follows it.
        case parsed(JSONArena, UInt32)
        case made(String, JSONValue)
    }

    let storage: Storage

    @inline(__always)
    init(_ arena: JSONArena, _ index: Int) { storage = .parsed(arena, UInt32(truncatingIfNeeded: index)) }

    /// A member.
    public init(name: String, value: JSONValue) { storage = .made(name, value) }

    /// The name.
    public var name: String {
        switch storage {
        case .parsed(let arena, let index): arena.string(arena.word(Int(index)))
        case .made(let name, _): name
        }
    }

    /// The value.
    public var value: JSONValue {
        switch storage {
        case .parsed(let arena, let index): JSONValue(arena, Int(index) + 1)
        case .made(_, let value): value
        }
    }

    /// The name as a string value, for its location and its UTF-8.
    public var nameValue: JSONValue {
        switch storage {
        case .parsed(let arena, let index): JSONValue(arena, Int(index))
        case .made(let name, _): JSONValue(name)
        }
    }

    /// Whether the name is exactly this, compared as UTF-8.
    public func isNamed(_ other: StaticString) -> Bool {
        isNamed(UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
    }

    /// Whether the name is exactly this, compared as UTF-8.
    public func isNamed(equalTo other: String) -> Bool {
        var other = other
        return other.withUTF8 { isNamed($0) }
    }

    /// Whether the name, after an underscore that it may have, begins with these bytes of UTF-8.
    package func begins(with prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        switch storage {
        case .parsed(let arena, let index): arena.name(arena.word(Int(index)), beginsWith: prefix)
        case .made(let name, _): Self.name(name.utf8, beginsWith: prefix)
        }
    }

    static func name(_ name: some Collection<UInt8>, beginsWith prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        name.dropFirst(name.first == UInt8(ascii: "_") ? 1 : 0).starts(with: prefix)
    }

    func isNamed(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        switch storage {
        case .parsed(let arena, let index): arena.string(arena.word(Int(index)), equals: other)
        case .made(let name, _): name.utf8.elementsEqual(other)
        }
    }
}

/// The elements of an array, in order. Going through those of a parsed array allocates nothing.
///
/// `count` and the access by index of a parsed array take time in proportion to its length.
public struct JSONElements: Collection, Sendable {
    enum Storage {
        case parsed(JSONArena, Range<Int>)
        case made([JSONValue])
    }

    /// A position among the elements.
    public struct Index: Comparable, Sendable {
        let value: Int
        public static func < (a: Self, b: Self) -> Bool { a.value < b.value }
    }

    let storage: Storage

    public var startIndex: Index {
        switch storage {
        case .parsed(_, let range): Index(value: range.lowerBound)
        case .made: Index(value: 0)
        }
    }

    public var endIndex: Index {
        switch storage {
        case .parsed(_, let range): Index(value: range.upperBound)
        case .made(let elements): Index(value: elements.count)
        }
    }

    public func index(after index: Index) -> Index {
        switch storage {
        case .parsed(let arena, let range):
            precondition(range.contains(index.value), "index out of range")
            return Index(value: arena.end(of: index.value))
        case .made: return Index(value: index.value + 1)
        }
    }

    public subscript(index: Index) -> JSONValue {
        switch storage {
        case .parsed(let arena, let range):
            precondition(range.contains(index.value), "index out of range")
            return JSONValue(arena, index.value)
        case .made(let elements): return elements[index.value]
        }
    }
}

extension JSONElements: ExpressibleByArrayLiteral {
    /// Elements for where there is no array, as in `value.elements ?? []`.
    public init(arrayLiteral elements: JSONValue...) { self.init(storage: .made(elements)) }
}
