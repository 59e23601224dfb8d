import FHIRPathEngine

/// The items of a QuestionnaireResponse that an expression reads, found in its text. A running survey
/// evaluates the expression again only if one of them has changed.
struct FHIRPathItemReads: Sendable {
    /// How much of an item is read.
    enum Part: Sendable, Comparable {
        /// Whether it is there.
        case structure
        case answer
        /// Everything under it.
        case subtree
    }

    /// The linkIds that are read, with what is read of each.
    var items: [String: Part] = [:]
    /// Whether the answers of the item that has the expression are read.
    var readsOwnAnswer = false
    /// Whether nothing but ``items`` and the own answers is read; otherwise it may be any item.
    var isComplete = true
    /// The variables, without `%`.
    var variables: Set<String> = []

    /// The link ids that are asked for by `%resource.repeat(item).where(linkId = …)`.
    var rows: Set<String> = []
    /// Whether `%resource` is read for anything but ``rows``.
    var readsWholeResource = false

    mutating func formUnion(_ other: FHIRPathItemReads) {
        items.merge(other.items, uniquingKeysWith: max)
        readsOwnAnswer = readsOwnAnswer || other.readsOwnAnswer
        isComplete = isComplete && other.isComplete
        variables.formUnion(other.variables)
        rows.formUnion(other.rows)
        readsWholeResource = readsWholeResource || other.readsWholeResource
    }
}

extension FHIRPath {
    /// What the expression reads of a response.
    var itemReads: FHIRPathItemReads {
        var reads = FHIRPathItemReads()
        let ways = ReadingWays(syntax)
        for (index, node) in syntax.nodes.enumerated() {
            let reference = FHIRPathSyntax.Reference(index)
            // The response or an item as a value, of which other code may read anything.
            if ways.isFocus(reference), ways.isValue(reference) { reads.isComplete = false }
            switch node.kind {
            case .variable(let name): reads.variables.insert(name)
            case .member(let base, "item"):
                if !ways.isFiltered(reference), !ways.isRepeated(reference), ways.isOfResponse(base) {
                    reads.isComplete = false
                }
            case .member(let base, "answer") where ways.isOfFocus(base):
                reads.readsOwnAnswer = true
                if !ways.isWithoutItems(reference) { reads.isComplete = false }
            case .function(let base, .descendants, _), .function(let base, .repeat, _),
                .function(let base, .repeatAll, _):
                if !ways.isFiltered(reference), ways.isOfResponse(base) { reads.isComplete = false }
            case .function(let base, .children, _):
                if !ways.isPartOfAnswer(base), ways.isOfResponse(base) { reads.isComplete = false }
            case .function(let base, .where, let arguments):
                guard !ways.isOfQuestionnaire(base), let filter = ways.filter(of: arguments) else { break }
                let part = filter.isPure ? ways.part(of: reference) : .subtree
                for linkId in filter.linkIds {
                    reads.items[linkId] = max(part, reads.items[linkId, default: part])
                }
            default: break
            }
        }
        addRows(to: &reads)
        return reads
    }

    private func addRows(to reads: inout FHIRPathItemReads) {
        var known: Set<FHIRPathSyntax.Reference> = []
        // A variable that an expression defines may have the name.
        if !syntax.definesVariables {
            for node in syntax.nodes {
                guard case .function(let base?, .where, let arguments) = node.kind,
                    let row = syntax.row(asked: arguments, of: base)
                else { continue }
                reads.rows.insert(row.linkId)
                known.insert(row.resource)
            }
        }
        reads.readsWholeResource = syntax.nodes.indices.contains { index in
            let reference = FHIRPathSyntax.Reference(index)
            return syntax.isResource(reference) && !known.contains(reference)
        }
    }
}

/// Where the paths of an expression begin, and how their results are used. A node's base and arguments come
/// before it, and the base before the arguments, so that one pass is enough to classify each node.
private struct ReadingWays {
    typealias Reference = FHIRPathSyntax.Reference

    /// A filter by link ids. It is pure if it reads nothing else.
    struct Filter {
        var linkIds: [String]
        var isPure: Bool
    }

    private enum Use {
        case base(of: Reference)
        case argument(of: Reference)
    }

    private enum PlaceInAnswer { case none, answer, part }

    private let syntax: FHIRPathSyntax
    /// nil for the whole expression.
    private var uses: [Use?]
    private var focus: [Bool]
    private var ofFocus: [Bool]
    private var ofResponse: [Bool]
    private var ofQuestionnaire: [Bool]
    private var places: [PlaceInAnswer]
    private var filtered: Set<Reference> = []
    private var repeated: Set<Reference> = []
    /// Whether `$this` at a node is the focus of the whole expression, where that was asked.
    private var scopes: [Bool?]

    init(_ syntax: FHIRPathSyntax) {
        self.syntax = syntax
        let count = syntax.nodes.count
        uses = Array(repeating: nil, count: count)
        focus = Array(repeating: false, count: count)
        ofFocus = focus
        ofResponse = focus
        ofQuestionnaire = focus
        places = Array(repeating: .none, count: count)
        scopes = Array(repeating: nil, count: count)
        for (index, node) in syntax.nodes.enumerated() { addUses(node.kind, Reference(index)) }
        for (index, node) in syntax.nodes.enumerated() { find(node.kind, index) }
    }

    private mutating func addUses(_ kind: FHIRPathSyntax.Kind, _ reference: Reference) {
        switch kind {
        case .member(let base?, _), .type(_, let base?, _): uses[Int(base)] = .base(of: reference)
        case .function(let base, let function, let arguments):
            if let base {
                uses[Int(base)] = .base(of: reference)
                if function == .where, filter(of: arguments) != nil { filtered.insert(base) }
            }
            for argument in arguments { uses[Int(argument)] = .argument(of: reference) }
            if function == .repeat || function == .repeatAll { repeated.formUnion(arguments) }
        case .indexer(let base, let number):
            uses[Int(base)] = .base(of: reference)
            uses[Int(number)] = .argument(of: reference)
        case .sign(_, let operand): uses[Int(operand)] = .argument(of: reference)
        case .operation(_, let left, let right):
            uses[Int(left)] = .argument(of: reference)
            uses[Int(right)] = .argument(of: reference)
        default: break
        }
    }

    private mutating func find(_ kind: FHIRPathSyntax.Kind, _ index: Int) {
        let reference = Reference(index)
        switch kind {
        case .variable(let name):
            focus[index] = ["resource", "rootResource", "context"].contains(name)
            ofResponse[index] = focus[index]
            ofQuestionnaire[index] = ["questionnaire", "qitem"].contains(name)
            ofFocus[index] = true
        case .this:
            focus[index] = isInFocus(reference)
            ofResponse[index] = true
            ofFocus[index] = true
        case .member(let base, let name):
            begin(index, with: base)
            let place = base.map { places[Int($0)] } ?? .none
            switch place {
            case _ where name == "answer": places[index] = .answer
            case .answer: places[index] = name == "item" ? .none : .part
            case .part: places[index] = .part
            case .none: break
            }
        case .function(let base, let function, let arguments):
            begin(index, with: base)
            switch function {
            case .repeat, .repeatAll, .descendants: ofFocus[index] = base == nil
            case .where where filter(of: arguments) != nil: break
            default: ofFocus[index] = isOfFocus(base)
            }
            if Self.passes(function) { focus[index] = base.map(isFocus) ?? isInFocus(reference) }
            if function == .where, let base { places[index] = places[Int(base)] }
        case .indexer(let base, _):
            begin(index, with: base)
            ofFocus[index] = isOfFocus(base)
            focus[index] = isFocus(base)
            places[index] = places[Int(base)]
        case .type(let type, let base, _):
            begin(index, with: base)
            ofFocus[index] = isOfFocus(base)
            if type != .is { focus[index] = base.map(isFocus) ?? isInFocus(reference) }
        case .operation, .sign:
            ofResponse[index] = true
            ofFocus[index] = true
        default: break
        }
    }

    /// A path begins where its base does.
    private mutating func begin(_ index: Int, with base: Reference?) {
        ofResponse[index] = isOfResponse(base)
        ofQuestionnaire[index] = isOfQuestionnaire(base)
    }

    /// Whether `$this` at a node is the focus of the whole expression, also as the only item of a list.
    private mutating func isInFocus(_ reference: Reference) -> Bool {
        var path: [Reference] = []
        var current = reference
        var isInFocus = true
        while true {
            if let known = scopes[Int(current)] {
                isInFocus = known
                break
            }
            path.append(current)
            guard let use = uses[Int(current)] else { break }
            switch use {
            case .base(let user): current = user
            case .argument(let user):
                current = user
                if case .function(let base?, _, _) = syntax[user].kind, !isFocus(base) { isInFocus = false }
            }
            if !isInFocus { break }
        }
        for node in path { scopes[Int(node)] = isInFocus }
        return isInFocus
    }

    /// Whether a function returns items of its base unchanged.
    private static func passes(_ function: PathFunction) -> Bool {
        switch function {
        case .where, .first, .last, .tail, .skip, .take, .single, .trace, .distinct, .defineVariable: true
        default: false
        }
    }

    // MARK: Where parts begin

    /// Whether a node is what the expression is evaluated on, or the response.
    func isFocus(_ reference: Reference) -> Bool { focus[Int(reference)] }

    /// Whether a path begins at the item that has the expression, without going to others.
    func isOfFocus(_ base: Reference?) -> Bool { base.map { ofFocus[Int($0)] } ?? true }

    /// Whether a path begins in the response: at the focus, or at the variables that stand for it.
    func isOfResponse(_ base: Reference?) -> Bool { base.map { ofResponse[Int($0)] } ?? true }

    /// Whether a path begins in the questionnaire, whose items have link ids too.
    func isOfQuestionnaire(_ base: Reference?) -> Bool { base.map { ofQuestionnaire[Int($0)] } ?? false }

    /// Whether a path is of the value of an answer; an answer itself has items in it.
    func isPartOfAnswer(_ base: Reference?) -> Bool { base.map { places[Int($0)] == .part } ?? false }

    // MARK: What becomes of them

    func isFiltered(_ reference: Reference) -> Bool { filtered.contains(reference) }

    func isRepeated(_ reference: Reference) -> Bool { repeated.contains(reference) }

    /// Whether a node is used as a whole value: as the result, an operand or an argument.
    func isValue(_ reference: Reference) -> Bool {
        guard case .base(let user)? = uses[Int(reference)] else { return true }
        switch syntax[user].kind {
        case .function(_, let function, _):
            switch function {
            // What is read of it is found by itself.
            case .repeat, .repeatAll, .descendants, .children, .count, .exists, .empty, .select, .all:
                return false
            default: return !Self.passes(function)
            }
        default: return false
        }
    }

    /// What is read of the items that a node returns.
    func part(of reference: Reference) -> FHIRPathItemReads.Part {
        var current = reference
        while case .base(let user)? = uses[Int(current)] {
            switch syntax[user].kind {
            case .member(_, "item"): return .structure
            case .member(_, "answer"): return isWithoutItems(user) ? .answer : .subtree
            case .member: return .answer
            case .function(_, let function, _):
                switch function {
                case .repeat, .descendants: return .structure
                case .first, .last, .tail, .single, .skip, .take: current = user
                default: return .subtree
                }
            case .indexer: current = user
            default: return .subtree
            }
        }
        return .subtree
    }

    /// Whether nothing below the answers that a node returns is read, except items that the expression asks
    /// for.
    func isWithoutItems(_ reference: Reference) -> Bool {
        var current = reference
        while case .base(let user)? = uses[Int(current)] {
            switch syntax[user].kind {
            case .member: return true
            case .function(_, let function, let arguments):
                switch function {
                case .count, .exists, .empty, .all, .repeat, .repeatAll, .descendants, .children: return true
                case .select, .aggregate: return !arguments.contains { syntax[$0].isThis }
                default:
                    guard Self.passes(function) else { return false }
                    current = user
                }
            case .indexer: current = user
            default: return false
            }
        }
        return false
    }

    // MARK: Filters

    /// The linkIds that a filter lets through; `nil` if it is not a filter by linkId.
    func filter(of arguments: [Reference]) -> Filter? { arguments.first.flatMap { filter(by: $0, depth: 0) } }

    private func filter(by criterion: Reference, depth: Int) -> Filter? {
        guard depth < 16 else { return nil }
        var found = Filter(linkIds: [], isPure: true)
        // Alternatives: there may be very many.
        var stack = [criterion]
        while let next = stack.popLast() {
            guard case .operation(let operation, let left, let right) = syntax[next].kind else { return nil }
            switch operation {
            // What is equivalent has other link ids, too.
            case .equal:
                if isLinkId(left), case .string(let text) = syntax[right].kind {
                    found.linkIds.append(text)
                } else if isLinkId(right), case .string(let text) = syntax[left].kind {
                    found.linkIds.append(text)
                } else {
                    return nil
                }
            case .or: stack += [right, left]
            case .and:
                guard let part = filter(by: left, depth: depth + 1) ?? filter(by: right, depth: depth + 1)
                else { return nil }
                found.linkIds += part.linkIds
                found.isPure = false
            default: return nil
            }
        }
        return found
    }

    /// Whether a path is the link id of the item that is filtered.
    private func isLinkId(_ reference: Reference) -> Bool {
        guard case .member(let base, "linkId") = syntax[reference].kind else { return false }
        return base.map { syntax[$0].isThis } ?? true
    }
}

extension FHIRPathSyntax.Node {
    fileprivate var isThis: Bool { if case .this = kind { true } else { false } }
}

extension FHIRPathSyntax {
    /// The link id that is asked for by `%resource.repeat(item).where(linkId = 'x')`, and the node of
    /// `%resource` in it. Nil for another filter.
    fileprivate func row(asked criteria: [Reference], of base: Reference) -> (
        linkId: String, resource: Reference
    )? {
        guard case .function(let root?, .repeat, let projection) = self[base].kind, isResource(root),
            case .member(nil, "item") = self[projection[0]].kind, let linkId = linkId(asked: criteria[0])
        else { return nil }
        return (linkId, root)
    }
}
