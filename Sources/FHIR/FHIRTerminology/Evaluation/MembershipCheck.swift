import FHIR

/// Whether one code is in value sets, found without expanding them.
struct MembershipCheck {
    /// Whether a code is in a part; of what is not known, why.
    enum Outcome {
        case member(Member)
        case no
        case unknown(TerminologyError)
    }

    /// What is known of a code that is in a value set.
    struct Member {
        var display: String?
        /// Its other texts.
        var others: [String] = []
    }

    let terminology: Terminology
    /// Nil for a code without a system, which is that of whatever part has it.
    let system: String?
    let code: String
    /// Whether a code that only groups others counts.
    var allowsAbstract = false
    /// Whether a code that is no longer used does not count.
    var activeOnly = false
    /// The version of the code system that the code is of.
    var version: String?
    var versions = CodeSystemVersions()
    private(set) var steps = 0
    /// What is known of other value sets.
    private var known: [String: Outcome] = [:]
    private var open: [String] = []

    init(_ terminology: Terminology, system: String?, code: String) {
        self.terminology = terminology
        self.system = system
        self.code = code
    }

    /// Whether the code is in the value set of a URL.
    mutating func outcome(in canonical: String) -> Outcome {
        if let outcome = known[canonical] { return outcome }
        if open.contains(canonical) { return .unknown(.cycle(valueSet: canonical)) }
        guard open.count < terminology.limits.depth else {
            return .unknown(.tooManySteps(limit: terminology.limits.depth))
        }
        let outcome: Outcome
        do throws(TerminologyError) {
            guard let definition = try terminology.valueSet(canonical) else {
                return .unknown(.unknownValueSet(canonical))
            }
            open.append(canonical)
            outcome = self.outcome(in: definition)
            open.removeLast()
        } catch {
            outcome = .unknown(error)
        }
        known[canonical] = outcome
        return outcome
    }

    /// Whether the code is in a value set.
    mutating func outcome(in definition: ValueSetDefinition) -> Outcome {
        if let expansion = definition.expansion {
            steps += expansion.count
            guard steps <= terminology.limits.steps else {
                return .unknown(.tooManySteps(limit: terminology.limits.steps))
            }
            let found = expansion.first {
                $0.value.code == code && (system == nil || $0.value.system == system)
                    && (allowsAbstract || !$0.isAbstract)
            }
            return found.map { .member(Member(display: $0.display)) } ?? .no
        }
        if let missing = definition.supplements.first(where: { !terminology.hasSupplement($0) }) {
            return .unknown(.unknownCodeSystem(missing))
        }
        let included = any(definition.included, hasInactive: definition.hasInactive)
        if case .no = included { return .no }
        switch any(definition.excluded, hasInactive: nil) {
        case .no: return included
        case .member: return .no
        case .unknown(let error): return .unknown(error)
        }
    }

    private mutating func any(_ parts: [ValueSetDefinition.Part], hasInactive: Bool?) -> Outcome {
        var result = Outcome.no
        for part in parts {
            switch outcome(in: part, hasInactive: hasInactive) {
            case .member(let member): return .member(member)
            case .no: break
            case .unknown(let error): result = .unknown(error)
            }
        }
        return result
    }

    /// All that a part asks for must hold.
    private mutating func outcome(in part: ValueSetDefinition.Part, hasInactive: Bool?) -> Outcome {
        steps += 1 + part.concepts.count + part.filters.count + part.valueSets.count
        guard steps <= terminology.limits.steps else {
            return .unknown(.tooManySteps(limit: terminology.limits.steps))
        }
        var member: Member?
        var problem: TerminologyError?
        if let partSystem = part.system {
            guard system == nil || system == partSystem else { return .no }
            switch outcome(of: part, in: partSystem, hasInactive: hasInactive) {
            case .no: return .no
            case .member(let found): member = found
            case .unknown(let error): problem = error
            }
        }
        for valueSet in part.valueSets {
            switch outcome(in: valueSet) {
            case .no: return .no
            case .member(let found): member = member ?? found
            case .unknown(let error): problem = problem ?? error
            }
        }
        return problem.map(Outcome.unknown) ?? .member(member ?? Member())
    }

    private func outcome(
        of part: ValueSetDefinition.Part,
        in system: String,
        hasInactive: Bool?
    ) -> Outcome {
        let content: CodeSystemContent?
        var problem: TerminologyError?
        do {
            // Of the versions that a pattern allows, the code's own.
            let isAllowed =
                version != nil && part.version != nil && VersionPattern.matches(version, part.version)
            content = try terminology.codeSystem(
                system,
                version: isAllowed ? version : part.version,
                versions
            )
        } catch {
            content = nil
            problem = error
        }
        if let version, let content, !VersionPattern.matches(content.version, version) { return .no }
        let index = content?.index(of: code)
        if hasInactive == false || activeOnly, let index, content?.concepts[index].isInactive == true {
            return .no
        }
        if !part.concepts.isEmpty {
            let listed = part.concepts.first { content?.isSame($0.code, code) ?? ($0.code == code) }
            guard let listed else { return .no }
            // What is listed and is not a code of a code system that is whole does not count.
            if index == nil, content?.isComplete == true { return .no }
            let concept = index.flatMap { content?.concepts[$0] }
            return .member(
                Member(
                    display: listed.display ?? concept?.display,
                    others: concept.map { [$0.display] + $0.designations.map(\.value) } ?? []
                )
            )
        }
        if let content, let index { return outcome(of: index, in: content, part.filters) }
        if let content, content.isComplete { return .no }
        return formOutcome(system, part.filters, problem)
    }

    /// What a concept that is at hand is: abstract ones are no values.
    private func outcome(
        of index: Int,
        in content: CodeSystemContent,
        _ filters: [ValueSetDefinition.Filter]
    ) -> Outcome {
        let concept = content.concepts[index]
        guard allowsAbstract || !concept.isAbstract else { return .no }
        do {
            for filter in filters {
                let ready = try ConceptFilter(filter, of: content, only: index)
                guard try ready.accepts(index) else { return .no }
            }
        } catch {
            return .unknown(error)
        }
        return .member(Member(display: concept.display, others: concept.designations.map(\.value)))
    }

    /// What the form of the code says, where there is no list.
    private func formOutcome(
        _ system: String,
        _ filters: [ValueSetDefinition.Filter],
        _ problem: TerminologyError?
    ) -> Outcome {
        let unknown = Outcome.unknown(problem ?? .unknownCodeSystem(system))
        guard let grammar = CodeGrammar(rawValue: system) else { return unknown }
        switch grammar.outcome(of: code) {
        case .isNone: return .no
        case .isPossible: return unknown
        case .isCode: break
        }
        for filter in filters {
            guard let isAccepted = grammar.accepts(code, filter) else { return unknown }
            guard isAccepted else { return .no }
        }
        return .member(Member())
    }
}
