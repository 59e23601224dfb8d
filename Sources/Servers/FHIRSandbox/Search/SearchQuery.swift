import FHIRTables

/// A search, read from a query string, with every parameter checked.
struct SearchQuery: Sendable {
    enum Summary: String, Sendable { case `true`, `false`, text, data, count }
    enum Total: String, Sendable { case none, estimate, accurate }

    struct SortKey: Sendable {
        enum By: Sendable {
            case id, lastUpdated
            case parameter(IndexedParameter)
        }
        var by: By
        var isDescending: Bool
    }

    struct Include: Sendable {
        /// The index keys of the parameters that are followed; they name the types that have the references,
        /// too.
        var keys: [String]
        /// The type that the reference is to; nil for any.
        var target: String?
        /// Whether it is followed from what was included, too.
        var iterates: Bool
    }

    var type: String
    var criteria: [SearchCriterion] = []
    var sort: [SortKey] = []
    var count: Int
    var includes: [Include] = []
    var reverseIncludes: [Include] = []
    var summary = Summary.false
    var elements: [String] = []
    var total = Total.accurate
    /// The page of a stored result that is asked for.
    var page: (snapshot: String, offset: Int)?
    /// What of the query was used, for the link of the Bundle to itself.
    var used = QueryItems()
    /// Parameters that are not known, with why; a lenient server ignores them.
    var ignored: [String] = []
}

/// A condition that a resource must fulfil.
indirect enum SearchCriterion: Sendable {
    /// Some value of a parameter matches one of several; negated, none does.
    case value(key: String, [ValueMatch], isNegated: Bool)
    /// The parts of a composite parameter match together, in one of several ways.
    case composite(key: String, [[[ValueMatch]]])
    case isMissing(key: String, Bool)
    case id([String], isNegated: Bool)
    case lastUpdated([ValueMatch])
    /// What a reference is to fulfils a condition, of one of several types.
    case chain(key: String, [(type: String, criterion: SearchCriterion)])
    /// A resource of another type refers to it, and fulfils a condition.
    case isReferredTo(type: String, key: String, SearchCriterion)
    /// Nothing matches.
    case never
}

/// How one value in the index is compared.
enum ValueMatch: Sendable {
    /// The folded text starts so.
    case startsWith(String)
    case contains(String)
    /// The text is exactly this, and so is the case of its letters.
    case exactText(String)
    /// A word of the text starts so.
    case word(String)
    case token(system: SystemMatch, code: String?)
    /// One of several codes of a system; a code without a known system has any.
    case codes(system: String, [String])
    case reference(type: String?, id: String)
    case url(String)
    case uri(String)
    case uriBelow(String)
    case time(Prefix, TimeRange)
    /// A number: as it was written, and the bounds that its digits imply.
    case number(Prefix, Double, implied: ClosedRange<Double>, unit: UnitMatch)

    enum SystemMatch: Sendable {
        case any
        /// No system: of a Coding without one, or a primitive.
        case none
        /// This one; a code without a known system has any.
        case exactly(String)
    }

    enum UnitMatch: Sendable {
        case any
        /// A unit's code or text.
        case text(String)
        case code(system: String, String)
        /// Whatever measures the same, in base units.
        case dimension(String)
    }

    /// Before dates and numbers (FHIR R4, search, “prefixes”).
    enum Prefix: String, Sendable, CaseIterable { case eq, ne, gt, lt, ge, le, sa, eb, ap }
}
