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
