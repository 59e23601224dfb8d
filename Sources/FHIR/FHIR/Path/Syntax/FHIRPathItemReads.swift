/// Which items of a QuestionnaireResponse an expression reads, found in its text: a running survey evaluates
/// it again only when one of them has changed.
package struct FHIRPathItemReads: Sendable {
    /// How much of an item is read.
    package enum Part: Sendable, Hashable {
        /// Whether it is there.
        case structure
        /// Its answers.
        case answer
        /// Everything under it.
        case subtree
    }

    /// The linkIds that are read, with what is read of each.
    package var items: [String: Part] = [:]
    /// Whether the answers of the item that has the expression are read.
    package var readsOwnAnswer = false
    /// Whether nothing but ``items`` and the own answers is read; otherwise it may be any item.
    package var isComplete = true
    /// The variables, without `%`.
    package var variables: Set<String> = []

    /// The link ids that are asked for by `%resource.repeat(item).where(linkId = …)`.
    package var rows: Set<String> = []
    /// Whether `%resource` is read for anything but ``rows``.
    package var readsWholeResource = false

    package init() {}
}

extension FHIRPath {
    /// What the expression reads of a response.
    package var itemReads: FHIRPathItemReads {
        var reads = FHIRPathItemReads()
        var filtered: Set<FHIRPathSyntax.Reference> = []
        var repeated: Set<FHIRPathSyntax.Reference> = []
        var parts: [FHIRPathSyntax.Reference: FHIRPathItemReads.Part] = [:]
        for (index, node) in syntax.nodes.enumerated() {
            let reference = FHIRPathSyntax.Reference(index)
            switch node.kind {
            case .variable(let name): reads.variables.insert(name)
            case .member(let base?, "item"): parts[base] = .structure
            case .member(let base?, _): parts[base] = .answer
            case .function(let base?, .where, let arguments):
                if linkIds(of: arguments) != nil { filtered.insert(base) }
                // What is left of a filter is read as the filter's result is.
                parts[base] = parts[reference]
            case .function(let base, let function, let arguments):
                if let base, function == .descendants || function == .repeat { parts[base] = .structure }
                if function == .repeat || function == .repeatAll { repeated.formUnion(arguments) }
            default: break
            }
        }
        for (index, node) in syntax.nodes.enumerated() {
            let reference = FHIRPathSyntax.Reference(index)
            switch node.kind {
            case .member(let base, "item"):
                if !filtered.contains(reference), !repeated.contains(reference), isOfResponse(base) {
                    reads.isComplete = false
                }
            case .member(nil, "answer"): reads.readsOwnAnswer = true
            case .member(let base?, "answer"):
                if case .variable = syntax[base].kind { reads.readsOwnAnswer = true }
            case .function(let base, .descendants, _), .function(let base, .repeat, _),
                .function(let base, .repeatAll, _):
                if !filtered.contains(reference), isOfResponse(base) { reads.isComplete = false }
            case .function(let base, .children, _):
                if !isPartOfAnswer(base), isOfResponse(base) { reads.isComplete = false }
            case .function(let base, .where, let arguments):
                guard !isOfQuestionnaire(base) else { continue }
                let part = parts[reference] ?? .subtree
                for linkId in linkIds(of: arguments) ?? [] where reads.items[linkId] != .subtree {
                    if reads.items[linkId] != .answer || part == .subtree { reads.items[linkId] = part }
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

    /// The linkIds that a filter lets through; nil when it is no filter by linkId.
    private func linkIds(of arguments: [FHIRPathSyntax.Reference]) -> [String]? {
        arguments.first.flatMap { linkIds(of: $0) }
    }

    private func linkIds(of criterion: FHIRPathSyntax.Reference) -> [String]? {
        guard case .operation(let operation, let left, let right) = syntax[criterion].kind else { return nil }
        switch operation {
        case .equal, .equivalent:
            if case .member(_, "linkId") = syntax[left].kind, case .string(let text) = syntax[right].kind {
                return [text]
            }
            if case .member(_, "linkId") = syntax[right].kind, case .string(let text) = syntax[left].kind {
                return [text]
            }
            return nil
        case .or:
            guard let left = linkIds(of: left), let right = linkIds(of: right) else { return nil }
            return left + right
        case .and: return linkIds(of: left) ?? linkIds(of: right)
        default: return nil
        }
    }

    /// Whether a path begins in the response: at the focus, or at the variables that stand for it.
    private func isOfResponse(_ base: FHIRPathSyntax.Reference?) -> Bool {
        var current = base
        while let reference = current {
            switch syntax[reference].kind {
            case .variable(let name): return ["resource", "rootResource", "context"].contains(name)
            case .member(let base, _): current = base
            case .function(let base, _, _): current = base
            case .indexer(let base, _): current = base
            case .type(_, let base, _): current = base
            case .this, .operation, .sign: return true
            default: return false
            }
        }
        return true
    }

    /// Whether a path begins in the questionnaire, whose items have link ids too.
    private func isOfQuestionnaire(_ base: FHIRPathSyntax.Reference?) -> Bool {
        var current = base
        while let reference = current {
            switch syntax[reference].kind {
            case .variable(let name): return ["questionnaire", "qitem"].contains(name)
            case .member(let base, _): current = base
            case .function(let base, _, _): current = base
            case .indexer(let base, _): current = base
            case .type(_, let base, _): current = base
            default: return false
            }
        }
        return false
    }

    private func isPartOfAnswer(_ base: FHIRPathSyntax.Reference?) -> Bool {
        var current = base
        while let reference = current {
            switch syntax[reference].kind {
            case .member(_, "answer"): return true
            case .member(let base, _): current = base
            case .function(let base, .where, _): current = base
            case .indexer(let base, _): current = base
            default: return false
            }
        }
        return false
    }
}
