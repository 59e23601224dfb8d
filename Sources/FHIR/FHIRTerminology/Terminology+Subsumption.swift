import FHIR

/// How the meaning of one code is to that of another (`ConceptSubsumptionOutcome`).
public enum Subsumption: String, Sendable {
    /// They mean the same.
    case equivalent
    /// The second is one of the first.
    case subsumes
    /// The first is one of the second.
    case subsumedBy = "subsumed-by"
    /// Neither is one of the other.
    case none = "not-subsumed"
}

extension Terminology {
    /// How the meaning of one code is to that of another of the same code system.
    ///
    /// - Throws: ``TerminologyError/unknownCodeSystem(_:)`` and ``TerminologyError/unknownCode(system:)``.
    public func subsumption(
        of first: String,
        and second: String,
        in system: String
    ) throws(TerminologyError) -> Subsumption {
        let content = try whole(system)
        let a = try Self.index(first, content)
        let b = try Self.index(second, content)
        if a == b { return .equivalent }
        if content.lineage(of: b).contains(a) { return .subsumes }
        return content.lineage(of: a).contains(b) ? .subsumedBy : .none
    }

    /// The code and all that are one of it; or, with `isReversed`, all that it is one of.
    ///
    /// - Throws: ``TerminologyError/unknownCodeSystem(_:)`` and ``TerminologyError/unknownCode(system:)``.
    public func codes(
        below code: String,
        in system: String,
        isReversed: Bool = false
    ) throws(TerminologyError) -> [String] {
        let content = try whole(system)
        let index = try Self.index(code, content)
        let found = isReversed ? content.lineage(of: index) : content.descendants(of: index)
        return found.sorted().map { content.concepts[$0].code }
    }

    private func whole(_ system: String) throws(TerminologyError) -> CodeSystemContent {
        guard let content = try codeSystem(system), !content.concepts.isEmpty else {
            throw .unknownCodeSystem(system)
        }
        return content
    }

    private static func index(_ code: String, _ content: CodeSystemContent) throws(TerminologyError) -> Int {
        if let index = content.index(of: code) { return index }
        throw content.isComplete ? .unknownCode(system: content.url) : .unknownCodeSystem(content.url)
    }
}
