import FHIRTables
import FHIRTerminology
import IndivoBase

/// Reads the parameters of a search.
struct SearchQueryReader {
    let catalog: SearchCatalog
    let limits: FHIRSandboxLimits
    /// The base addresses by which absolute references name this server.
    let bases: [String]
    /// Whether a parameter that is not known is an error.
    let isStrict: Bool
    /// The code systems and value sets that `:in`, `:not-in`, `:below` and `:above` ask.
    var terminology: () -> Terminology = { .r4 }
    private var valueCount = 0

    init(catalog: SearchCatalog, limits: FHIRSandboxLimits, bases: [String], isStrict: Bool) {
        self.catalog = catalog
        self.limits = limits
        self.bases = bases
        self.isStrict = isStrict
    }

    /// - Throws: ``FHIRFailure`` for a value that is not of its parameter's kind, if there are more than the
    ///   limits allow, and, from a strict reader, for an unknown parameter.
    mutating func read(_ items: QueryItems, type: String) throws(FHIRFailure) -> SearchQuery {
        var query = SearchQuery(type: type, count: limits.defaultPage)
        guard items.items.count <= limits.parameters else {
            throw .tooCostly("a search has at most \(limits.parameters) parameters")
        }
        for item in items.items {
            // FHIR says that a parameter without a value is ignored.
            if item.value.isEmpty { continue }
            do throws(ReadingProblem) {
                if try !readControl(item, into: &query) {
                    query.criteria.append(try criterion(item.name, item.value, of: type, depth: 0))
                }
                if item.name != "_snapshot", item.name != "_offset" {
                    query.used = query.used.adding(item.name, item.value)
                }
            } catch {
                switch error {
                case .failure(let failure): throw failure
                case .unknown(let reason):
                    guard !isStrict else { throw .invalid(reason) }
                    query.ignored.append(reason)
                }
            }
        }
        return query
    }

    enum ReadingProblem: Error {
        case failure(FHIRFailure)
        /// A parameter that is not known; a lenient server ignores it.
        case unknown(String)

        static func invalid(_ text: String) -> ReadingProblem { .failure(.invalid(text)) }
    }

    // MARK: What is not a condition

    private mutating func readControl(
        _ item: QueryItems.Item,
        into query: inout SearchQuery
    ) throws(ReadingProblem) -> Bool {
        let (name, modifier) = Self.split(item.name)
        switch name {
        case "_format", "_pretty": break
        case "_count":
            guard let count = Int(item.value), count >= 0 else { throw .invalid("_count is not a number") }
            query.count = min(count, limits.page)
            if count == 0 { query.summary = .count }
        case "_summary":
            guard let summary = SearchQuery.Summary(rawValue: item.value) else {
                throw .invalid("_summary is true, false, text, data or count")
            }
            query.summary = summary
        // `_totalMethod` is what fhirpy sends to a server beside `_total`; it changes no result.
        case "_totalMethod": break
        case "_total":
            guard let total = SearchQuery.Total(rawValue: item.value) else {
                throw .invalid("_total is one of none, estimate and accurate")
            }
            query.total = total
        case "_elements": query.elements += item.value.split(separator: ",").map(String.init)
        case "_sort": query.sort += try sort(item.value, of: query.type)
        case "_include": query.includes.append(try include(item.value, modifier, from: [query.type]))
        case "_revinclude":
            query.reverseIncludes.append(try include(item.value, modifier, from: catalog.typeNames))
        case "_snapshot":
            query.page = (item.value, query.page?.offset ?? 0)
        case "_offset":
            guard let offset = Int(item.value), offset >= 0 else { throw .invalid("_offset is not a number") }
            query.page = (query.page?.snapshot ?? "", offset)
        default: return false
        }
        return true
    }

    private func sort(_ text: String, of type: String) throws(ReadingProblem) -> [SearchQuery.SortKey] {
        var keys: [SearchQuery.SortKey] = []
        for part in text.split(separator: ",") {
            let isDescending = part.hasPrefix("-")
            let name = String(isDescending ? part.dropFirst() : part)
            switch name {
            case "_id": keys.append(.init(by: .id, isDescending: isDescending))
            case "_lastUpdated": keys.append(.init(by: .lastUpdated, isDescending: isDescending))
            default:
                guard let parameter = catalog.parameters(of: type)[name], parameter.kind != .composite else {
                    throw .unknown("_sort: \(type) has no parameter \(Self.shown(name)) to sort by")
                }
                keys.append(.init(by: .parameter(parameter), isDescending: isDescending))
            }
        }
        guard keys.count <= 8 else { throw .invalid("_sort has at most eight parameters") }
        return keys
    }

    /// - Parameter sources: The types whose references `*` stands for.
    private func include(
        _ text: String,
        _ modifier: String?,
        from sources: [String]
    ) throws(ReadingProblem) -> SearchQuery.Include {
        guard modifier == nil || modifier == "iterate" || modifier == "recurse" else {
            throw .unknown("an include has no such modifier")
        }
        if text == "*" {
            // What was included may be of any type.
            let keys = (modifier == nil ? sources : catalog.typeNames).flatMap { referenceKeys(of: $0) }
            return .init(keys: keys, target: nil, iterates: modifier != nil)
        }
        let parts = text.split(separator: ":").map(String.init)
        guard (2...3).contains(parts.count), catalog.isType(parts[0]),
            parts.count < 3 || catalog.isType(parts[2])
        else {
            throw .invalid(
                "an include is *, or a type, a parameter, and perhaps the type that is referred to"
            )
        }
        let parameters = catalog.parameters(of: parts[0])
        let keys: [String]
        if parts[1] == "*" {
            keys = referenceKeys(of: parts[0])
        } else {
            guard let parameter = parameters[parts[1]], parameter.kind == .reference else {
                throw .unknown(
                    "\(parts[0]) has no parameter \(Self.shown(parts[1])) that refers to resources"
                )
            }
            keys = [parameter.key]
        }
        return .init(keys: keys, target: parts.count > 2 ? parts[2] : nil, iterates: modifier != nil)
    }

    private func referenceKeys(of type: String) -> [String] {
        catalog.parameters(of: type).values.filter { $0.kind == .reference }.map(\.key).sorted()
    }

    // MARK: Conditions

    private mutating func criterion(
        _ fullName: String,
        _ value: String,
        of type: String,
        depth: Int
    ) throws(ReadingProblem) -> SearchCriterion {
        if fullName.hasPrefix("_has:") { return try reverseChain(fullName, value, depth: depth) }
        if let dot = fullName.utf8.firstIndex(of: UInt8(ascii: ".")) {
            return try chain(
                String(fullName[..<dot]),
                String(fullName[fullName.utf8.index(after: dot)...]),
                value,
                of: type,
                depth: depth
            )
        }
        let (name, modifier) = Self.split(fullName)
        if name == "_id" {
            guard modifier == nil || modifier == "not" else { throw .unknown("_id has no such modifier") }
            let ids = try alternatives(value)
            return .id(ids, isNegated: modifier == "not")
        }
        if name == "_lastUpdated" {
            guard modifier == nil else { throw .unknown("_lastUpdated has no such modifier") }
            var matches: [ValueMatch] = []
            for alternative in try alternatives(value) { matches.append(try ValueReader.time(alternative)) }
            return .lastUpdated(matches)
        }
        guard let parameter = catalog.parameters(of: type)[name] else {
            throw .unknown("\(type) has no search parameter \(Self.shown(name))")
        }
        if modifier == "missing" {
            guard value == "true" || value == "false" else { throw .invalid(":missing is true or false") }
            let key = parameter.kind == .composite ? parameter.key(ofComponent: 0) : parameter.key
            return .isMissing(key: key, value == "true")
        }
        let reader = ValueReader(
            parameter: parameter,
            modifier: modifier,
            bases: bases,
            isType: catalog.isType,
            terminology: terminology
        )
        if parameter.kind == .composite {
            var ways: [[[ValueMatch]]] = []
            for alternative in try alternatives(value) { ways.append(try reader.composite(alternative)) }
            return .composite(key: parameter.key, ways)
        }
        var matches: [ValueMatch] = []
        for alternative in try alternatives(value) { matches += try reader.matches(alternative) }
        guard !matches.isEmpty else { return .never }
        return .value(key: reader.key, matches, isNegated: modifier == "not" || modifier == "not-in")
    }

    private mutating func chain(
        _ first: String,
        _ rest: String,
        _ value: String,
        of type: String,
        depth: Int
    ) throws(ReadingProblem) -> SearchCriterion {
        guard depth == 0, !rest.contains("."), !rest.hasPrefix("_has:") else {
            throw .failure(.tooCostly("references are followed one level"))
        }
        let (name, wanted) = Self.split(first)
        guard let parameter = catalog.parameters(of: type)[name], parameter.kind == .reference else {
            throw .unknown("\(type) has no parameter \(Self.shown(name)) that refers to resources")
        }
        if let wanted, !catalog.isType(wanted) { throw .invalid("a chain names no type of R4") }
        let targets = wanted.map { [$0] } ?? parameter.targets
        let next = Self.split(rest).name
        var criteria: [(type: String, criterion: SearchCriterion)] = []
        for target in targets
        where next == "_id" || next == "_lastUpdated" || catalog.parameters(of: target)[next] != nil {
            // A parameter of the same name may be of another kind there; then it need not be possible to read
            // the value.
            do throws(ReadingProblem) {
                criteria.append((target, try criterion(rest, value, of: target, depth: depth + 1)))
            } catch {
                if targets.count == 1 { throw error }
                if case .failure(let failure) = error, failure.code == "too-costly" { throw error }
            }
        }
        guard !criteria.isEmpty else {
            throw .unknown("what \(type).\(name) refers to has no search parameter \(Self.shown(next))")
        }
        return .chain(key: parameter.key, criteria)
    }

    private mutating func reverseChain(
        _ fullName: String,
        _ value: String,
        depth: Int
    ) throws(ReadingProblem) -> SearchCriterion {
        let parts = fullName.split(separator: ":", maxSplits: 3).map(String.init)
        guard parts.count == 4, catalog.isType(parts[1]) else {
            throw .invalid(
                "_has is followed by a type, a parameter that refers, and a parameter of that type"
            )
        }
        guard depth == 0, !parts[3].hasPrefix("_has:"), !parts[3].contains(".") else {
            throw .failure(.tooCostly("references are followed one level"))
        }
        guard let parameter = catalog.parameters(of: parts[1])[parts[2]], parameter.kind == .reference else {
            throw .unknown("\(parts[1]) has no parameter \(Self.shown(parts[2])) that refers to resources")
        }
        return .isReferredTo(
            type: parts[1],
            key: parameter.key,
            try criterion(parts[3], value, of: parts[1], depth: 1)
        )
    }

    /// The values between commas, with what was escaped in them still escaped.
    private mutating func alternatives(_ value: String) throws(ReadingProblem) -> [String] {
        let parts = SearchEscapes.split(value, at: UInt8(ascii: ","))
        valueCount += parts.count
        guard valueCount <= limits.values else {
            throw .failure(.tooCostly("a search has at most \(limits.values) values"))
        }
        return parts
    }

    private static func split(_ name: String) -> (name: String, modifier: String?) {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    }

    /// A name for an error, if it has the form of one.
    private static func shown(_ name: String) -> String {
        let isName =
            name.utf8.count <= 64
            && name.utf8.allSatisfy {
                $0 == 0x2D || $0 == 0x5F || $0.isASCIILetterOrDigit
            }
        return isName ? "“\(name)”" : "of that name"
    }
}
