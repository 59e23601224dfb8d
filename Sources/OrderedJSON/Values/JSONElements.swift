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
