import FHIR

/// Makes the list of a value set's codes.
struct Expander {
    let terminology: Terminology
    let versions: CodeSystemVersions
    private var steps = 0
    private var known: [String: [ExpandedCode]] = [:]
    private var open: [String] = []

    init(_ terminology: Terminology, _ versions: CodeSystemVersions) {
        self.terminology = terminology
        self.versions = versions
    }

    private mutating func spend(_ count: Int) throws(TerminologyError) {
        steps += count
        guard steps <= terminology.limits.steps else { throw .tooManySteps(limit: terminology.limits.steps) }
    }

    /// The codes of the value set of a URL, each once, in its order.
    mutating func codes(of canonical: String) throws(TerminologyError) -> [ExpandedCode] {
        if let codes = known[canonical] { return codes }
        guard !open.contains(canonical) else { throw .cycle(valueSet: canonical) }
        guard open.count < terminology.limits.depth else {
            throw .tooManySteps(limit: terminology.limits.depth)
        }
        guard let definition = try terminology.valueSet(canonical) else { throw .unknownValueSet(canonical) }
        open.append(canonical)
        let codes = try codes(of: definition)
        open.removeLast()
        known[canonical] = codes
        return codes
    }

    /// The codes of a value set, each once, in its order.
    mutating func codes(of definition: ValueSetDefinition) throws(TerminologyError) -> [ExpandedCode] {
        if let expansion = definition.expansion { return expansion }
        var codes: [ExpandedCode] = []
        var seen: Set<[String?]> = []
        if let missing = definition.supplements.first(where: { !terminology.hasSupplement($0) }) {
            throw .unknownCodeSystem(missing)
        }
        for part in definition.included {
            for code in try self.codes(of: part)
            where seen.insert([code.value.system, code.value.code, code.version]).inserted {
                guard codes.count < terminology.limits.codes else {
                    throw .tooManyCodes(limit: terminology.limits.codes)
                }
                codes.append(code)
            }
        }
        if definition.hasInactive == false { codes.removeAll(where: \.isInactive) }
        guard !definition.excluded.isEmpty else { return codes }
        let excluding = ValueSetDefinition(url: definition.url, included: definition.excluded)
        return try codes.filterThrowing { code throws(TerminologyError) in
            try !isMember(code, of: excluding)
        }
    }

    private mutating func isMember(
        _ code: ExpandedCode,
        of definition: ValueSetDefinition
    ) throws(TerminologyError) -> Bool {
        var check = MembershipCheck(terminology, system: code.value.system, code: code.value.code)
        check.allowsAbstract = true
        check.version = code.version
        check.versions = versions
        let outcome = check.outcome(in: definition)
        try spend(check.steps)
        switch outcome {
        case .member: return true
        case .no: return false
        case .unknown(let error): throw error
        }
    }

    private mutating func codes(of part: ValueSetDefinition.Part) throws(TerminologyError) -> [ExpandedCode] {
        var codes: [ExpandedCode]
        var others = part.valueSets[...]
        if let system = part.system {
            codes = try self.codes(of: part, in: system)
        } else if let first = others.popFirst() {
            codes = try self.codes(of: first)
            try spend(codes.count)
        } else {
            codes = []
        }
        for other in others {
            let both = ValueSetDefinition(url: "", included: [ValueSetDefinition.Part(valueSets: [other])])
            codes = try codes.filterThrowing { code throws(TerminologyError) in try isMember(code, of: both) }
        }
        return codes
    }

    /// Those of one code system: what is listed, or what the filters leave.
    private mutating func codes(
        of part: ValueSetDefinition.Part,
        in system: String
    ) throws(TerminologyError) -> [ExpandedCode] {
        if !part.concepts.isEmpty {
            try spend(part.concepts.count)
            // What is listed needs no code system, nor the version that is at hand.
            let content = (try? terminology.codeSystem(system, version: part.version, versions)) ?? nil
            return part.concepts.compactMap { listed in
                if let concept = content?.concept(listed.code) {
                    var code = ExpandedCode(concept, of: content)
                    if let display = listed.display { code.display = display }
                    return code
                }
                guard content?.isComplete != true else { return nil }
                var code = ExpandedCode(value: SystemCode(system: system, code: listed.code))
                code.display = listed.display
                code.version = part.version
                return code
            }
        }
        guard let content = try terminology.codeSystem(system, version: part.version, versions),
            content.isComplete
        else {
            return try formCodes(system, part.filters)
        }
        try spend(content.concepts.count * (1 + part.filters.count))
        var filters: [ConceptFilter] = []
        for filter in part.filters { filters.append(try ConceptFilter(filter, of: content, only: nil)) }
        var codes: [ExpandedCode] = []
        for index in content.concepts.indices {
            var isAccepted = true
            for filter in filters where isAccepted { isAccepted = try filter.accepts(index) }
            if isAccepted { codes.append(ExpandedCode(content.concepts[index], of: content)) }
        }
        return codes
    }

    private func formCodes(
        _ system: String,
        _ filters: [ValueSetDefinition.Filter]
    ) throws(TerminologyError) -> [ExpandedCode] {
        guard let grammar = CodeGrammar(rawValue: system), grammar != .loinc, grammar != .snomed else {
            throw .unknownCodeSystem(system)
        }
        guard filters.isEmpty, let codes = grammar.codes else { throw .notEnumerable(system) }
        return codes.map { ExpandedCode(value: SystemCode(system: system, code: $0)) }
    }
}

extension ExpandedCode {
    init(_ concept: CodeSystemContent.Concept, of system: CodeSystemContent?) {
        value = SystemCode(system: system?.url, code: concept.code)
        version = system?.version
        display = concept.display
        isAbstract = concept.isAbstract
        isInactive = concept.isInactive
        designations = concept.designations
    }
}

extension Array {
    fileprivate func filterThrowing<Failure: Error>(
        _ isKept: (Element) throws(Failure) -> Bool
    ) throws(Failure) -> [Element] {
        var kept: [Element] = []
        for element in self where try isKept(element) { kept.append(element) }
        return kept
    }
}
