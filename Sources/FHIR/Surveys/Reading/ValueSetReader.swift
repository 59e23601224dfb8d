import FHIR
import OrderedJSON

/// Reads the options of a value set: from its expansion, or from the concepts that it lists.
struct ValueSetReader {
    /// The most options of one value set.
    static let maximumOptions = 20_000
    /// The most value sets that are asked for.
    static let maximumAsked = 10_000
    /// How many concepts of all value sets together are read: a few large ones may include each other often.
    static let maximumConcepts = 200_000

    private let contained: [String: JSONValue]
    private let codeSystems: [String: JSONValue]
    private let given: [String: JSONValue]
    private var read: [String: OptionList?] = [:]
    /// How many concepts were read.
    private var concepts = 0
    var diagnostics: [SurveyDiagnostic] = []

    init(questionnaire: JSONValue, resolver: (String) -> ValueSet?) {
        var contained: [String: JSONValue] = [:]
        var codeSystems: [String: JSONValue] = [:]
        for resource in questionnaire.elements(of: "contained") {
            switch resource.resourceType {
            case "ValueSet":
                if let id = resource.member("id")?.string { contained["#" + id] = resource }
                if let url = resource.member("url")?.string, contained[url] == nil {
                    contained[url] = resource
                }
            case "CodeSystem":
                if let url = resource.member("url")?.string { codeSystems[url] = resource }
            default: break
            }
        }
        // Value sets that are not contained are asked for once, before the items are read.
        var given: [String: JSONValue] = [:]
        var asked: Set<String> = []
        var open = Self.urls(in: questionnaire) + contained.values.flatMap { Self.included(by: $0) }
        while let url = open.popLast() {
            guard contained[url] == nil || url.hasPrefix("#"), asked.count < Self.maximumAsked,
                asked.insert(url).inserted,
                let tree = resolver(url)?.tree
            else { continue }
            given[url] = tree
            open += Self.included(by: tree)
        }
        self.contained = contained
        self.codeSystems = codeSystems
        self.given = given
    }

    /// The value sets that a value set includes or excludes.
    private static func included(by valueSet: JSONValue) -> [String] {
        let compose = valueSet.member("compose")
        return ["include", "exclude"].flatMap { compose?[$0]?.elements.map(Array.init) ?? [] }
            .flatMap { ($0.member("valueSet")?.elements ?? []).compactMap(\.string) }
    }

    /// The value sets that items name.
    private static func urls(in questionnaire: JSONValue) -> [String] {
        var urls: [String] = []
        var stack = [questionnaire]
        var count = 0
        while let tree = stack.popLast(), count < QuestionnaireReader.maximumItems {
            count += 1
            if let url = tree.member("answerValueSet")?.string { urls.append(url) }
            if let url = ExtensionList(tree).value(ExtensionURL.unitValueSet)?.string { urls.append(url) }
            stack += tree.elements(of: "item")
        }
        return urls
    }

    /// A value set; for a contained one, what was given in its place, such as its expansion by a server.
    private func tree(_ url: String) -> JSONValue? {
        guard !url.hasPrefix("#") else { return given[url] ?? contained[url] }
        let key = String(url.prefix { $0 != "|" })
        return contained[url] ?? contained[key] ?? given[url] ?? given[key]
    }

    /// Whether a value set is marked as too large to be expanded (`valueset-toocostly`).
    func isTooCostly(_ url: String) -> Bool { tree(url).map(Self.isTooCostly) ?? false }

    fileprivate static func isTooCostly(_ valueSet: JSONValue) -> Bool {
        guard let expansion = valueSet.member("expansion") else { return false }
        return ExtensionList(expansion).value(ExtensionURL.tooCostly)?.boolean == true
    }

    /// The options that an expansion lists; those beyond the limit are left out.
    static func options(of valueSet: ValueSet, limit: Int) -> [SurveyOption] {
        let reader = ValueSetReader(questionnaire: [:]) { _ in nil }
        var expansion = Expansion(concepts: 0)
        reader.expand(valueSet.tree, into: &expansion, depth: 0)
        return Array(expansion.options.prefix(limit))
    }

    /// The options; nil when the value set is not there or does not say what is in it.
    mutating func options(_ url: String, linkId: String, position: Int) -> OptionList? {
        if let known = read[url] { return known }
        guard let tree = tree(url) else { return nil }
        var expansion = Expansion(concepts: concepts)
        expand(tree, into: &expansion, depth: 0)
        concepts = expansion.concepts
        if expansion.isFull {
            expansion.isUnknown = true
            expansion.problem =
                "The value sets have more than \(Self.maximumConcepts) codes together; others are left out."
        }
        if let problem = expansion.problem {
            diagnostics.append(
                SurveyDiagnostic(.warning, "valueSetIncomplete", problem, linkId: linkId, position: position)
            )
        }
        let list = expansion.isUnknown && expansion.options.isEmpty ? nil : OptionList(expansion.options)
        read[url] = .some(list)
        return list
    }

    private struct Expansion {
        var options: [SurveyOption] = []
        var keys: Set<String> = []
        /// Why the list is not complete.
        var problem: String?
        var isUnknown = false
        /// How many value sets were read.
        var visits = 0
        /// How many concepts were read, also in other value sets.
        var concepts: Int

        init(concepts: Int) { self.concepts = concepts }

        /// An empty expansion that continues the counts.
        var part: Expansion {
            var part = Expansion(concepts: concepts)
            part.visits = visits
            return part
        }

        /// Takes over the counts of a part.
        mutating func count(_ part: Expansion) {
            visits = part.visits
            concepts = part.concepts
            problem = part.problem ?? problem
        }

        /// Whether nothing more is read.
        var isFull: Bool { concepts > ValueSetReader.maximumConcepts }

        /// Counts a concept. Returns whether its code is to be added: it is new, and there is room.
        private mutating func count(adding key: String?) -> Bool {
            concepts += 1
            guard !isFull, let key, keys.insert(key).inserted else { return false }
            if options.count < ValueSetReader.maximumOptions { return true }
            problem =
                "The value set has more than \(ValueSetReader.maximumOptions) codes; the others are left out."
            return false
        }

        /// Adds an option unless its code is there.
        mutating func append(_ option: SurveyOption) {
            if count(adding: option.value.coding.map(ValueSetReader.key)) { options.append(option) }
        }

        mutating func append(_ concept: JSONValue, system: String?) {
            let code = concept.member("code")?.string
            guard count(adding: code.map { "\(system ?? "")|\($0)" }), let code else { return }
            var coding = Coding()
            coding.system = system.map { FHIRURI($0) }
            coding.code = code
            coding.display = concept.member("display")?.string
            var label = SurveyText(concept, "display")
            for designation in concept.elements(of: "designation") {
                if let language = designation.member("language")?.string,
                    let value = designation.member("value")?.string
                {
                    label = (label ?? SurveyText(code)).adding(value, in: language)
                }
            }
            var option = SurveyOption(.coding(coding), label: label)
            let extensions = ExtensionList(concept)
            option.score = extensions.score ?? Self.weight(concept)
            option.prefix = extensions.value(ExtensionURL.optionPrefix)?.string
            options.append(option)
        }

        /// The weight that a code system gives a concept as a property.
        private static func weight(_ concept: JSONValue) -> FHIRDecimal? {
            for property in concept.elements(of: "property")
            where ["itemWeight", "ordinalValue"].contains(property.member("code")?.string) {
                return property.valueMember.flatMap { FHIRDecimal(tree: $0.value) }
            }
            // R5's property, in an expansion of R4.
            for tree in ExtensionList(concept).all(ExtensionURL.conceptProperty) {
                let property = ExtensionList(tree)
                if ["itemWeight", "ordinalValue"].contains(property.value("code")?.string) {
                    return property.value("value").flatMap { FHIRDecimal(tree: $0) }
                }
            }
            return nil
        }
    }

    private func expand(_ valueSet: JSONValue, into expansion: inout Expansion, depth: Int) {
        expansion.visits += 1
        guard depth < 10, expansion.visits <= 1_000 else {
            expansion.problem = "Value sets include each other more than ten deep, or a thousand times."
            return
        }
        let compose = valueSet.member("compose")
        let scores = composedScores(compose)
        if let contains = valueSet.member("expansion")?.member("contains")?.elements {
            var stack = Array(contains.reversed())
            while let concept = stack.popLast(), !expansion.isFull {
                if concept.member("abstract")?.boolean != true {
                    expansion.append(concept, system: concept.member("system")?.string)
                }
                stack += concept.elements(of: "contains").reversed()
            }
            for index in expansion.options.indices where expansion.options[index].score == nil {
                if let coding = expansion.options[index].value.coding {
                    expansion.options[index].score = scores[Self.key(coding)]
                }
            }
            return
        }
        guard let includes = compose?.member("include")?.elements else {
            expansion.isUnknown = true
            expansion.problem = "The value set neither lists its codes nor has an expansion."
            return
        }
        for include in includes { self.include(include, into: &expansion, depth: depth) }
        guard let excludes = compose?.member("exclude")?.elements else { return }
        var excluded = expansion.part
        for exclude in excludes { include(exclude, into: &excluded, depth: depth) }
        expansion.count(excluded)
        expansion.keys.subtract(excluded.keys)
        expansion.options.removeAll { option in
            option.value.coding.map { excluded.keys.contains(Self.key($0)) } ?? false
        }
    }

    /// Adds what an include selects: the codes of its system that are in all of its value sets (FHIR R4,
    /// ValueSet).
    private func include(_ include: JSONValue, into expansion: inout Expansion, depth: Int) {
        let nested = (include.member("valueSet")?.elements).map(Array.init) ?? []
        guard !nested.isEmpty else { return own(include, into: &expansion) }
        let system = include.member("system")?.string
        var narrowed: [SurveyOption]?
        // A code that an incomplete list lacks may belong to it all the same.
        var incomplete: [SurveyOption]?
        func narrow(_ part: Expansion) {
            guard !part.isUnknown else { return incomplete = incomplete ?? part.options }
            guard let codes = narrowed else { return narrowed = part.options }
            narrowed = codes.filter { option in
                option.value.coding.map { part.keys.contains(Self.key($0)) } ?? false
            }
        }
        let isListed =
            include.member("concept") != nil || include.member("filter") != nil
            || system.map { codeSystems[$0] != nil } == true
        if isListed {
            var part = expansion.part
            own(include, into: &part)
            expansion.count(part)
            narrow(part)
        }
        for nested in nested {
            var part = expansion.part
            if let url = nested.string, let tree = contained[url] ?? given[url] {
                expand(tree, into: &part, depth: depth + 1)
            } else {
                part.isUnknown = true
            }
            expansion.count(part)
            narrow(part)
        }
        if narrowed == nil {
            expansion.isUnknown = true
            expansion.problem =
                expansion.problem
                ?? "The value set includes another that is not contained; its codes are left out."
        } else if incomplete != nil {
            expansion.problem =
                "The codes are narrowed by a value set whose codes are not all known; they are all taken."
        }
        for option in narrowed ?? incomplete ?? [] {
            if isListed || system == nil || option.value.coding?.system?.rawValue == system {
                expansion.append(option)
            }
        }
    }

    /// Adds what an include lists itself.
    private func own(_ include: JSONValue, into expansion: inout Expansion) {
        let system = include.member("system")?.string
        if let concepts = include.member("concept")?.elements {
            for concept in concepts where !expansion.isFull { expansion.append(concept, system: system) }
        } else if include.member("filter") != nil {
            expansion.isUnknown = true
            expansion.problem =
                "The value set filters a code system, which is not supported; the codes are left out."
        } else if let system {
            if let codeSystem = codeSystems[system] {
                var stack =
                    codeSystem.elements(of: "concept").reversed() as [JSONValue]
                while let concept = stack.popLast(), !expansion.isFull {
                    expansion.append(concept, system: system)
                    stack += concept.elements(of: "concept").reversed()
                }
            } else {
                expansion.isUnknown = true
                expansion.problem =
                    """
                    The value set includes a whole code system that is not contained; its codes are left out.
                    """
            }
        }
    }

    /// The scores of listed concepts, for an expansion that does not repeat them.
    private func composedScores(_ compose: JSONValue?) -> [String: FHIRDecimal] {
        var scores: [String: FHIRDecimal] = [:]
        for include in compose?.elements(of: "include") ?? [] {
            let system = include.member("system")?.string ?? ""
            for concept in include.elements(of: "concept") {
                if let code = concept.member("code")?.string, let score = ExtensionList(concept).score {
                    scores["\(system)|\(code)"] = score
                }
            }
        }
        return scores
    }

    private static func key(_ coding: Coding) -> String {
        "\(coding.system?.rawValue ?? "")|\(coding.code ?? "")"
    }
}

extension ValueSet {
    /// An expansion that says that it is too large to be listed (`valueset-toocostly`).
    package static func tooCostly(_ url: String) -> ValueSet {
        ValueSet(
            view: [
                "resourceType": "ValueSet", "url": JSONValue(url), "status": "active",
                "expansion": [
                    "extension": [["url": JSONValue(ExtensionURL.tooCostly), "valueBoolean": true]]
                ],
            ]
        )
    }

    /// Whether its expansion says that it is too large to be listed (`valueset-toocostly`).
    package var isTooCostly: Bool { ValueSetReader.isTooCostly(tree) }
}
