import FHIR
import OrderedJSON

/// The operations of a terminology service (FHIR R4, “Terminology Service”), as functions from parameters to
/// a resource.
public enum TerminologyOperation: String, Sendable, Hashable, CaseIterable {
    /// The codes of a value set.
    case expand = "ValueSet/$expand"
    /// Whether a code is in a value set.
    case validateInValueSet = "ValueSet/$validate-code"
    /// Whether a code system has a code.
    case validateInCodeSystem = "CodeSystem/$validate-code"
    /// What a code means.
    case lookup = "CodeSystem/$lookup"
    /// How the meanings of two codes are to each other.
    case subsumes = "CodeSystem/$subsumes"

    /// The type that it is an operation of: `ValueSet` or `CodeSystem`.
    public var resourceType: String { String(rawValue.prefix { $0 != "/" }) }

    /// Performs the operation.
    ///
    /// - Parameters:
    ///   - instance: The value set or code system that the operation is called on; nil where the parameters
    ///     name it.
    ///   - identifier: What identifies an expansion, a URI.
    ///   - now: When it is performed.
    /// - Returns: A ValueSet with its expansion, or Parameters.
    public func result(
        _ parameters: OperationParameters,
        on instance: AnyResource? = nil,
        with terminology: Terminology,
        identifier: String,
        now: FHIRDateTime
    ) throws(TerminologyOperationError) -> JSONValue {
        var request = TerminologyRequest(parameters: parameters, instance: instance, terminology: terminology)
        try request.addContained()
        switch self {
        case .expand: return try request.expansion().resource(identifier: identifier, timestamp: now).tree
        case .validateInValueSet: return try request.validationInValueSet()
        case .validateInCodeSystem: return try request.validationInCodeSystem()
        case .lookup: return try request.lookup()
        case .subsumes: return try request.subsumption()
        }
    }
}

/// What one call of an operation has.
private struct TerminologyRequest {
    let parameters: OperationParameters
    let instance: AnyResource?
    var terminology: Terminology

    private func attempt<Value>(
        _ body: () throws(TerminologyError) -> Value
    ) throws(TerminologyOperationError) -> Value {
        do throws(TerminologyError) { return try body() } catch { throw .terminology(error) }
    }

    private static func parameters(_ list: [(name: String, member: String, value: JSONValue)]) -> JSONValue {
        let parameter = list.map { ["name": JSONValue($0.name), $0.member: $0.value] as JSONValue }
        return ["resourceType": "Parameters", "parameter": JSONValue(parameter)]
    }

    // MARK: Value sets

    /// The value set that is given with the call.
    private var given: ValueSet? {
        (instance ?? parameters["valueSet"].flatMap(AnyResource.init(tree:)))?.as(ValueSet.self)
    }

    /// What is contained in the value set is at hand, and what supplements are asked for must be.
    mutating func addContained() throws(TerminologyOperationError) {
        if let given {
            let url = given.url?.description ?? ""
            let terminology = terminology
            self.terminology = try attempt { () throws(TerminologyError) in
                try terminology.with(containedIn: given, as: url)
            }
        }
        for supplement in parameters.all("useSupplement").compactMap(\.string)
        where !terminology.hasSupplement(supplement) {
            throw .terminology(.unknownCodeSystem(supplement))
        }
    }

    /// The value set: the instance, the one that is given, or the one of a URL.
    private func valueSet() throws(TerminologyOperationError) -> ValueSetDefinition {
        if let given { return try attempt { () throws(TerminologyError) in try ValueSetDefinition(given) } }
        guard var url = parameters.text("url") else { throw .invalid("url says which value set") }
        if let version = parameters.text("valueSetVersion") { url += "|" + version }
        return try attempt { () throws(TerminologyError) in
            guard let found = try terminology.valueSet(url) else { throw .unknownValueSet(url) }
            return found
        }
    }

    func expansion() throws(TerminologyOperationError) -> ValueSetExpansion {
        var options = ExpansionOptions()
        options.filter = parameters.text("filter")
        options.offset = try parameters.number("offset") ?? 0
        options.count = try parameters.number("count")
        options.activeOnly = parameters.flag("activeOnly")
        options.excludesAbstract = parameters.flag("excludeNotForUI")
        options.includesDesignations = parameters.flag("includeDesignations")
        options.displayLanguage = parameters.text("displayLanguage")
        options.versions = parameters.versions
        let definition = try valueSet()
        return try attempt { () throws(TerminologyError) in
            try terminology.expand(definition, options: options)
        }
    }

    func validationInValueSet() throws(TerminologyOperationError) -> JSONValue {
        let definition = try valueSet()
        let allowsAbstract = parameters["abstract"] == nil || parameters.flag("abstract")
        let versions = parameters.versions
        return try validation(parameters.codings(defaultSystem: nil)) { coding in
            guard coding.system != nil || parameters["code"] != nil else { return .no }
            var check = MembershipCheck(terminology, system: coding.system, code: coding.code)
            check.allowsAbstract = allowsAbstract
            check.activeOnly = parameters.flag("activeOnly")
            check.version = coding.version
            check.versions = versions
            return check.outcome(in: definition)
        }
    }

    func validationInCodeSystem() throws(TerminologyOperationError) -> JSONValue {
        let url = parameters.text("url") ?? instance?.tree.member("url")?.string
        return try validation(parameters.codings(defaultSystem: url)) { coding in
            guard let system = coding.system, url == nil || system == url else { return .no }
            var part = ValueSetDefinition.Part(system: system)
            part.version = parameters.text("version") ?? coding.version
            var check = MembershipCheck(terminology, system: system, code: coding.code)
            check.allowsAbstract = true
            return check.outcome(in: ValueSetDefinition(url: system, included: [part]))
        }
    }

    /// One of several codings is enough, where each is a code of its code system. A display must be one of
    /// the code's own.
    private func validation(
        _ codings: [AskedCoding],
        _ check: (AskedCoding) -> MembershipCheck.Outcome
    ) throws(TerminologyOperationError) -> JSONValue {
        guard !codings.isEmpty else {
            throw .invalid("code with system, coding or codeableConcept says which code")
        }
        let reason = "the code is not among those that are asked about"
        var notChecked: TerminologyError?
        var member: MembershipCheck.Member?
        for coding in codings {
            switch check(coding) {
            case .member(let found):
                let texts = [found.display].compactMap { $0 } + found.others
                let isLenient = parameters.flag("lenient-display-validation")
                if let given = coding.display, let display = found.display, !isLenient,
                    !texts.contains(where: { Self.isSame($0, given) })
                {
                    return Self.invalid("the display of the code is “\(display)”", display)
                }
                member = member ?? found
            case .no:
                guard codings.count > 1, let system = coding.system,
                    case .invalid(let why) = terminology.validate(coding.code, of: system)
                else { continue }
                return Self.invalid(why)
            case .unknown(let error): notChecked = error
            }
        }
        if let member {
            let shown = member.display.map { [("display", "valueString", JSONValue($0))] } ?? []
            return Self.parameters([("result", "valueBoolean", true)] + shown)
        }
        if let notChecked { throw .terminology(notChecked) }
        return Self.invalid(reason)
    }

    private static func invalid(_ reason: String, _ display: String? = nil) -> JSONValue {
        let shown = display.map { [("display", "valueString", JSONValue($0))] } ?? []
        let message = ("message", "valueString", JSONValue(reason))
        return parameters([("result", "valueBoolean", false), message] + shown)
    }

    private static func isSame(_ a: String, _ b: String) -> Bool {
        let words = [a, b].map { $0.lowercased().split(whereSeparator: \.isWhitespace) }
        return words[0] == words[1]
    }

    // MARK: Code systems

    func lookup() throws(TerminologyOperationError) -> JSONValue {
        guard let coding = parameters.codings(defaultSystem: instance?.tree.member("url")?.string).first,
            let system = coding.system
        else { throw .invalid("system and code, or coding, say which code") }
        let version = parameters.text("version").map { "|" + $0 } ?? ""
        let content = try attempt { () throws(TerminologyError) in
            guard let content = try terminology.codeSystem(system + version) else {
                throw .unknownCodeSystem(system)
            }
            guard content.index(of: coding.code) != nil else {
                throw content.isComplete ? .unknownCode(system: system) : .unknownCodeSystem(system)
            }
            return content
        }
        guard let index = content.index(of: coding.code) else { return .null }
        return Self.lookup(content, index, parameters)
    }

    private static func lookup(
        _ content: CodeSystemContent,
        _ index: Int,
        _ parameters: OperationParameters
    ) -> JSONValue {
        let concept = content.concepts[index]
        let language = parameters.text("displayLanguage")
        let asked = Set(parameters.all("property").compactMap(\.string))
        var list: [JSONValue] = []
        func add(_ name: String, _ member: String, _ value: JSONValue) {
            list.append(["name": JSONValue(name), member: value])
        }
        func addParts(_ name: String, _ parts: [(String, String, JSONValue)]) {
            let parts = parts.map { ["name": JSONValue($0.0), $0.1: $0.2] as JSONValue }
            list.append(["name": JSONValue(name), "part": JSONValue(parts)])
        }
        func addProperty(_ name: String, _ member: String, _ value: JSONValue) {
            guard asked.isEmpty || asked.contains(name) else { return }
            addParts("property", [("code", "valueCode", JSONValue(name)), ("value", member, value)])
        }
        add("name", "valueString", JSONValue(content.name ?? content.url))
        if let version = content.version { add("version", "valueString", JSONValue(version)) }
        add("display", "valueString", JSONValue(concept.display(in: language)))
        if let definition = concept.definition {
            addProperty("definition", "valueString", JSONValue(definition))
        }
        addProperty("inactive", "valueBoolean", JSONValue(concept.isInactive))
        for parent in concept.parents {
            addProperty("parent", "valueCode", JSONValue(content.concepts[parent].code))
        }
        for child in content.concepts where child.parents.contains(index) {
            addProperty("child", "valueCode", JSONValue(child.code))
        }
        for property in concept.properties where !["inactive", "parent", "child"].contains(property.name) {
            addProperty(property.name, "valueString", JSONValue(property.value))
        }
        for designation in concept.designations {
            let json = designation.json
            var parts: [(String, String, JSONValue)] = []
            if let language = json.member("language") { parts.append(("language", "valueCode", language)) }
            if let use = json.member("use") { parts.append(("use", "valueCoding", use)) }
            parts.append(("value", "valueString", JSONValue(designation.value)))
            addParts("designation", parts)
        }
        return ["resourceType": "Parameters", "parameter": JSONValue(list)]
    }

    func subsumption() throws(TerminologyOperationError) -> JSONValue {
        let codingA = parameters["codingA"].flatMap { AskedCoding($0) }
        let codingB = parameters["codingB"].flatMap { AskedCoding($0) }
        let system =
            parameters.text("system") ?? instance?.tree.member("url")?.string ?? codingA?.system
            ?? codingB?.system
        guard let first = parameters.text("codeA") ?? codingA?.code,
            let second = parameters.text("codeB") ?? codingB?.code, var system
        else { throw .invalid("codeA, codeB and system, or codingA and codingB, say which codes") }
        for other in [codingA?.system, codingB?.system] where other.map({ $0 != system }) == true {
            throw .invalid("both codes are of one code system")
        }
        if let version = parameters.text("version") { system += "|" + version }
        let found = try attempt { () throws(TerminologyError) in
            try terminology.subsumption(of: first, and: second, in: system)
        }
        return Self.parameters([("outcome", "valueCode", JSONValue(found.rawValue))])
    }
}
