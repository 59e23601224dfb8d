/// How two compounds of a selector stand to each other.
enum Combinator: Hashable, Sendable {
    case descendant, child, nextSibling, subsequentSibling
}

/// Compounds joined by combinators, such as `a > b c`.
struct ComplexSelector: Hashable, Sendable {
    /// The combinator before the first compound, as in `> a`; nil without one.
    var leading: Combinator?
    var compounds: [CompoundSelector] = []
    /// `combinators[i]` stands between the compounds `i` and `i + 1`.
    var combinators: [Combinator] = []

    /// Whether the selector starts at the node `find` starts from, as `:scope > a` does.
    var startsAtScope: Bool { compounds[0].conditions.contains(.scope) }

    /// Whether a position in the set matched so far counts, so that sets must be made from left to right.
    var isPositional: Bool { compounds.contains(where: \.isPositional) }
}

/// Conditions on one element, such as `a.b[c]`.
struct CompoundSelector: Hashable, Sendable {
    /// The number of the name test among the selector's; nil for any element.
    var name: Int?
    /// In the order in which they are written, which counts for positions.
    var conditions: [SelectorCondition] = []

    var isPositional: Bool { conditions.contains(where: \.isPositional) }
}

/// A test for names, of elements or attributes, done once for each name of a document.
struct NameTest: Hashable, Sendable {
    enum Namespace: Hashable, Sendable {
        case any
        case none
        /// None or that of `xml`, as ids have it.
        case noneOrXML
        case uri(UTF8Key)
    }

    var namespace: Namespace
    /// Nil for every name.
    var local: UTF8Key?

    func admits(_ id: UInt32, of names: XMLNameTable) -> Bool {
        // A name with a colon is a qualified name, as it is written.
        let isQualified = namespace == .none && local?.text.utf8.contains(UInt8(ascii: ":")) == true
        if let local, !(isQualified ? names.qualified(id) : names.local(id)).elementsEqual(local.text.utf8) {
            return false
        }
        let own = names.namespace(ofName: id)
        return switch namespace {
        case .any: true
        case .none: own.isEmpty || isQualified
        case .noneOrXML: own.isEmpty || own.elementsEqual(NamespaceScope.xml.utf8)
        case .uri(let uri): own.elementsEqual(uri.text.utf8)
        }
    }
}

/// One condition of a compound.
indirect enum SelectorCondition: Hashable, Sendable {
    /// What an attribute's value must be to another.
    enum Relation: Hashable, Sendable {
        case present, equal, word, dash, prefix, suffix, substring
    }

    /// The siblings that are counted.
    enum Siblings: Hashable, Sendable {
        case all, ofType
        case matching([ComplexSelector])
    }

    /// - Parameter name: The number of the name test.
    case attribute(name: Int, Relation, [UInt8], ignoringCase: Bool)
    case root
    case scope
    case empty
    case nth(NthFormula, cache: Int, fromEnd: Bool, among: Siblings)
    case any([ComplexSelector], isNegated: Bool)
    case has([ComplexSelector])
    case contains([UTF8Key])
    case position(Position)

    var isPositional: Bool {
        switch self {
        case .position: true
        case .any(let list, _): list.contains(where: \.isPositional)
        default: false
        }
    }
}

/// jQuery's positions in the set matched so far, counted from 0, and from the end when negative.
enum Position: Hashable, Sendable {
    case even, odd
    case equal(Int)
    case greater(Int)
    case less(Int)
}

/// The `an+b` of `:nth-child()` and its like.
struct NthFormula: Hashable, Sendable {
    var step: Int
    var offset: Int

    /// Whether `position`, from 1, is `step * n + offset` for some n of 0 or more.
    @inline(__always)
    func matches(_ position: Int) -> Bool {
        let distance = position - offset
        if step == 0 { return distance == 0 }
        return distance % step == 0 && distance / step >= 0
    }
}
