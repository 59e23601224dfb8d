import FHIR
import OrderedJSON

/// What of an expansion is asked for (FHIR R4, `$expand`).
public struct ExpansionOptions: Sendable, Hashable {
    /// Each word begins one of the display's words, or the code; case does not matter.
    public var filter: String?
    /// How many codes are skipped.
    public var offset = 0
    /// How many codes there are at most; nil for all, 0 for only how many there are.
    public var count: Int?
    /// Whether codes that are no longer used are left out.
    public var activeOnly = false
    /// Whether codes that only group others are left out.
    public var excludesAbstract = false
    /// Whether the texts in other languages are there.
    public var includesDesignations = false
    /// The language of the displays, in BCP 47.
    public var displayLanguage: String?

    /// Which versions of code systems count.
    public var versions = CodeSystemVersions()

    /// Everything.
    public init() {}
}

/// The codes of a value set, or a page of them.
public struct ValueSetExpansion: Sendable {
    public let definition: ValueSetDefinition
    /// What was asked for.
    public let options: ExpansionOptions
    /// The codes of the page.
    public let codes: [ExpandedCode]
    /// How many codes there are on all pages.
    public let total: Int
}

extension Terminology {
    /// The codes of a value set.
    ///
    /// - Parameters:
    ///   - valueSet: The canonical URL, which may have a version behind `|`.
    ///   - filter: Each word begins one of the display's words, or the code; case does not matter.
    /// - Throws: ``TerminologyError``, also where only some of the codes are known.
    public func expand(
        _ valueSet: String,
        filter: String? = nil,
        options: ExpansionOptions = ExpansionOptions()
    ) throws(TerminologyError) -> ValueSetExpansion {
        guard let definition = try self.valueSet(valueSet) else { throw .unknownValueSet(valueSet) }
        var options = options
        if let filter { options.filter = filter }
        return try expand(definition, options: options)
    }

    /// The codes of a value set that is given.
    ///
    /// - Throws: ``TerminologyError``, also where only some of the codes are known.
    public func expand(
        _ definition: ValueSetDefinition,
        options: ExpansionOptions = ExpansionOptions()
    ) throws(TerminologyError) -> ValueSetExpansion {
        var expander = Expander(self, options.versions)
        var codes = try expander.codes(of: definition)
        if options.activeOnly { codes.removeAll(where: \.isInactive) }
        if options.excludesAbstract { codes.removeAll(where: \.isAbstract) }
        if let language = options.displayLanguage {
            for index in codes.indices { codes[index].translate(to: language) }
        }
        let words = (options.filter ?? "").lowercased().split(separator: " ")
        if !words.isEmpty { codes.removeAll { !$0.matches(words) } }
        let start = min(max(0, options.offset), codes.count)
        var page = Array(codes[start...].prefix(max(0, options.count ?? .max)))
        if !options.includesDesignations {
            for index in page.indices { page[index].designations = [] }
        }
        return ValueSetExpansion(definition: definition, options: options, codes: page, total: codes.count)
    }
}

extension ExpandedCode {
    fileprivate mutating func translate(to language: String) {
        let language = language.lowercased()
        let general = language.prefix { $0 != "-" }
        let found =
            designations.first { $0.language?.lowercased() == language }
            ?? designations.first { $0.language?.lowercased().hasPrefix(general) == true }
        if let found { display = found.value }
    }

    fileprivate func matches(_ words: [Substring]) -> Bool {
        let parts = (display ?? "").lowercased().split { !$0.isLetter && !$0.isNumber }
        let code = value.code.lowercased()
        return words.allSatisfy { word in code.hasPrefix(word) || parts.contains { $0.hasPrefix(word) } }
    }
}

extension ValueSetExpansion {
    /// The expansion as a resource.
    ///
    /// - Parameters:
    ///   - identifier: What identifies this expansion, a URI.
    ///   - timestamp: When it was made.
    public func resource(identifier: String, timestamp: FHIRDateTime) -> ValueSet {
        var resource = ValueSet(status: .active)
        if !definition.url.isEmpty { resource.tree["url"] = JSONValue(definition.url) }
        resource.version = definition.version
        resource.name = definition.name
        var expansion: JSONValue = ["identifier": JSONValue(identifier), "timestamp": timestamp.tree]
        expansion["total"] = JSONValue(total)
        if options.offset > 0 || options.count != nil { expansion["offset"] = JSONValue(options.offset) }
        let parameters = parameters
        if !parameters.isEmpty { expansion["parameter"] = JSONValue(parameters) }
        if !codes.isEmpty { expansion["contains"] = JSONValue(codes.map(\.json)) }
        resource.tree["expansion"] = expansion
        return resource
    }

    /// What the expansion was made with.
    private var parameters: [JSONValue] {
        var list: [JSONValue] = []
        func add(_ name: String, _ member: String, _ value: JSONValue) {
            list.append(["name": JSONValue(name), member: value])
        }
        if let filter = options.filter { add("filter", "valueString", JSONValue(filter)) }
        if let count = options.count { add("count", "valueInteger", JSONValue(count)) }
        if options.activeOnly { add("activeOnly", "valueBoolean", true) }
        if options.excludesAbstract { add("excludeNotForUI", "valueBoolean", true) }
        if let language = options.displayLanguage { add("displayLanguage", "valueCode", JSONValue(language)) }
        let versions = Set(
            codes.compactMap { code in code.version.map { "\(code.value.system ?? "")|\($0)" } }
        )
        for version in versions.sorted() { add("version", "valueUri", JSONValue(version)) }
        return list
    }
}

extension ExpandedCode {
    fileprivate var json: JSONValue {
        var json: JSONValue = [:]
        if let system = value.system { json["system"] = JSONValue(system) }
        if isAbstract { json["abstract"] = true }
        if isInactive { json["inactive"] = true }
        if let version { json["version"] = JSONValue(version) }
        json["code"] = JSONValue(value.code)
        if let display { json["display"] = JSONValue(display) }
        if !designations.isEmpty { json["designation"] = JSONValue(designations.map(\.json)) }
        return json
    }
}

extension CodeSystemContent.Designation {
    var json: JSONValue {
        var json: JSONValue = [:]
        if let language { json["language"] = JSONValue(language) }
        if let use {
            var coding: JSONValue = [:]
            if let system = use.system { coding["system"] = JSONValue(system) }
            coding["code"] = JSONValue(use.code)
            json["use"] = coding
        }
        json["value"] = JSONValue(value)
        return json
    }
}
