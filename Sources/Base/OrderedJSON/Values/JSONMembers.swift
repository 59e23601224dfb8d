/// What is in an array or object: the elements or members.
enum JSONItems<Item: JSONItem>: Sendable {
    /// Words of an arena.
    case parsed(JSONArena, Range<Int>)
    case made([Item])

    var range: Range<Int> {
        switch self {
        case .parsed(_, let range): range
        case .made(let items): items.indices
        }
    }

    func index(after index: Int) -> Int {
        guard case .parsed(let arena, let range) = self else { return index + 1 }
        precondition(range.contains(index), "index out of range")
        return arena.end(of: index + Item.nameWords)
    }

    subscript(index: Int) -> Item {
        switch self {
        case .parsed(let arena, let range):
            precondition(range.contains(index), "index out of range")
            return Item(arena, index)
        case .made(let items): return items[index]
        }
    }
}

/// An element or a member.
protocol JSONItem: Sendable {
    /// How many words precede the value.
    static var nameWords: Int { get }
    init(_ arena: JSONArena, _ index: Int)
}

extension JSONValue: JSONItem { static var nameWords: Int { 0 } }
extension JSONMember: JSONItem { static var nameWords: Int { 1 } }

/// The members of an object, in order; members of the same name are all there. Going through those of a
/// parsed object allocates nothing.
///
/// `count` of a parsed object takes time in proportion to its length.
public struct JSONMembers: Collection, Sendable {
    /// A position among the members, or among elements.
    public struct Index: Comparable, Sendable {
        let value: Int
        public static func < (a: Self, b: Self) -> Bool { a.value < b.value }
    }

    let items: JSONItems<JSONMember>

    public var startIndex: Index { Index(value: items.range.lowerBound) }
    public var endIndex: Index { Index(value: items.range.upperBound) }
    public func index(after index: Index) -> Index { Index(value: items.index(after: index.value)) }
    public subscript(index: Index) -> JSONMember { items[index.value] }
}

extension JSONMembers: ExpressibleByArrayLiteral {
    /// Members for where there is no object, as in `value.members ?? []`.
    public init(arrayLiteral members: JSONMember...) { items = .made(members) }
}

/// The elements of an array, in order. Going through those of a parsed array allocates nothing.
///
/// `count` and the access by index of a parsed array take time in proportion to its length.
public struct JSONElements: Collection, Sendable {
    /// A position among the elements.
    public typealias Index = JSONMembers.Index

    let items: JSONItems<JSONValue>

    public var startIndex: Index { Index(value: items.range.lowerBound) }
    public var endIndex: Index { Index(value: items.range.upperBound) }
    public func index(after index: Index) -> Index { Index(value: items.index(after: index.value)) }
    public subscript(index: Index) -> JSONValue { items[index.value] }
}

extension JSONElements: ExpressibleByArrayLiteral {
    /// Elements for where there is no array, as in `value.elements ?? []`.
    public init(arrayLiteral elements: JSONValue...) { items = .made(elements) }
}

/// A member of an object: a name and a value.
public struct JSONMember: Sendable {
    /// The name as a string value, for its location and its UTF-8.
    public let nameValue: JSONValue
    public let value: JSONValue

    @inline(__always)
    init(_ arena: JSONArena, _ index: Int) {
        nameValue = JSONValue(arena, index)
        value = JSONValue(arena, index + 1)
    }

    /// A member.
    public init(name: String, value: JSONValue) {
        nameValue = JSONValue(name)
        self.value = value
    }

    public var name: String { nameValue.string ?? "" }

    /// Whether the name is exactly this, compared as UTF-8.
    public func isNamed(_ other: StaticString) -> Bool { nameValue.isString(other) }

    /// Whether the name is exactly this, compared as UTF-8.
    public func isNamed(equalTo other: String) -> Bool { nameValue.isString(equalTo: other) }

    /// Whether the name, after an underscore that it may have, begins with these bytes of UTF-8.
    package func begins(with prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        nameValue.withUTF8 { Self.name($0, beginsWith: prefix) } ?? false
    }

    /// Whether the name fulfils a condition on its UTF-8; a name that was made is not copied for it.
    @inline(__always)
    func hasName(_ isWanted: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        if case .string(var text) = nameValue.storage { return text.withUTF8(isWanted) }
        return nameValue.withUTF8(isWanted) ?? false
    }

    @inline(__always)
    static func name(_ name: UnsafeBufferPointer<UInt8>, beginsWith prefix: UnsafeBufferPointer<UInt8>)
        -> Bool
    {
        name.dropFirst(name.first == UInt8(ascii: "_") ? 1 : 0).starts(with: prefix)
    }
}
