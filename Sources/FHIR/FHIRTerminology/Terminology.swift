import FHIR
import Synchronization

/// Code systems and value sets that are available: R4's own, and those that were added.
///
/// ```swift
/// let terminology = Terminology.r4
/// terminology.validate("final", in: "http://hl7.org/fhir/ValueSet/observation-status")       // valid
/// terminology.validate("8867-4", system: "http://loinc.org", in:
/// "http://hl7.org/fhir/ValueSet/observation-codes") // notChecked: LOINC is not at hand
/// let page = try terminology.expand("http://hl7.org/fhir/ValueSet/observation-category", filter: "vital")
/// ```
/// Nothing is read before it is needed, and what was read is cached. A check never reports a code as valid if
/// it does not know.
public final class Terminology: Sendable {
    /// The most that one check or expansion may take.
    public struct Limits: Sendable, Hashable {
        /// The codes of an expansion, and of each value set that is a part of it.
        public var codes = 100_000
        /// The concepts and conditions that are examined, counted together.
        public var steps = 5_000_000
        /// How deeply value sets may be nested.
        public var depth = 50

        /// The default limits.
        public init() {}
    }

    /// R4's own code systems and value sets.
    public static let r4 = Terminology()

    /// The most that one check or expansion may take.
    public let limits: Limits
    private let added: Added
    private let resource: (@Sendable (String) -> AnyResource?)?
    private let read = Mutex(Read())

    /// What was added, by URL; of several versions, the newest is last.
    private struct Added: Sendable {
        var codeSystems: [String: [CodeSystemContent]] = [:]
        var valueSets: [String: [ValueSetDefinition]] = [:]
        var supplements: [String: [CodeSystemContent]] = [:]
        /// Value sets of all codes of a system, by URL: the system.
        var wholeSystems: [String: String] = [:]

        mutating func add(_ system: CodeSystemContent) {
            if system.completeness == .supplement, let original = system.supplements {
                supplements[original, default: []].append(system)
                return
            }
            var versions = codeSystems[system.url] ?? []
            versions.removeAll { $0.version == system.version }
            let index = versions.firstIndex { VersionPattern.precedes(system.version, $0.version) }
            versions.insert(system, at: index ?? versions.count)
            codeSystems[system.url] = versions
            if let valueSet = system.valueSet { wholeSystems[valueSet] = system.url }
        }

        mutating func add(_ definition: ValueSetDefinition) {
            var versions = valueSets[definition.url] ?? []
            versions.removeAll { $0.version == definition.version }
            let index = versions.firstIndex { VersionPattern.precedes(definition.version, $0.version) }
            versions.insert(definition, at: index ?? versions.count)
            valueSets[definition.url] = versions
        }

        /// Contained value sets are found by the container's URL, `#` and their id.
        mutating func add(containedIn valueSet: ValueSet, _ url: String) throws(TerminologyError) {
            for contained in valueSet.contained {
                if let system = contained.as(CodeSystem.self) {
                    add(try CodeSystemContent(system))
                } else if let set = contained.as(ValueSet.self), let id = set.id {
                    var definition = try ValueSetDefinition(set, container: url)
                    definition.url = "\(url)#\(id)"
                    add(definition)
                }
            }
        }
    }

    /// What was read of the tables and of other resources.
    private struct Read {
        var codeSystems: [String: CodeSystemContent?] = [:]
        var valueSets: [String: ValueSetDefinition?] = [:]
    }

    /// - Parameters:
    ///   - resources: CodeSystems, supplements to them and ValueSets, including contained ones. They take
    ///     precedence over R4's own. If several have the same URL, and no version is requested, the newest
    ///     one is used.
    ///   - limits: The most that one check or expansion may take.
    ///   - resource: Finds a resource that is neither among them nor R4's own, by its canonical URL, which
    ///     may have a version. The result is cached.
    /// - Throws: ``TerminologyError/malformed(reason:)`` for the first resource that cannot be read.
    public convenience init(
        adding resources: [AnyResource],
        limits: Limits = Limits(),
        resource: (@Sendable (String) -> AnyResource?)? = nil
    ) throws(TerminologyError) {
        var added = Added()
        for resource in resources {
            if let codeSystem = resource.as(CodeSystem.self) {
                added.add(try CodeSystemContent(codeSystem))
            } else if let valueSet = resource.as(ValueSet.self) {
                let definition = try ValueSetDefinition(valueSet)
                guard !definition.url.isEmpty else { throw .malformed(reason: "a ValueSet has no url") }
                added.add(definition)
                try added.add(containedIn: valueSet, definition.url)
            } else {
                let type = resource.resourceType ?? "resource"
                throw .malformed(reason: "a \(type) is no CodeSystem or ValueSet")
            }
        }
        self.init(added: added, limits: limits, resource: resource)
    }

    private init(
        added: Added = Added(),
        limits: Limits = Limits(),
        resource: (@Sendable (String) -> AnyResource?)? = nil
    ) {
        self.added = added
        self.limits = limits
        self.resource = resource
    }

    /// A copy with the resources that are contained in a given value set.
    func with(containedIn valueSet: ValueSet, as url: String) throws(TerminologyError) -> Terminology {
        guard valueSet.tree.member("contained") != nil else { return self }
        var added = added
        try added.add(containedIn: valueSet, url)
        return Terminology(added: added, limits: limits, resource: resource)
    }

    /// Whether a supplement was added.
    func hasSupplement(_ canonical: String) -> Bool {
        let asked = CanonicalURL(canonical)
        return added.supplements.values.joined().contains {
            $0.url == asked.url && VersionPattern.matches($0.version, asked.version)
        }
    }

    private static let tables = (
        codeSystems: TerminologyTable(TerminologyFiles.codeSystems),
        valueSets: TerminologyTable(TerminologyFiles.valueSets)
    )

    /// The URLs of R4's own code systems, in alphabetical order.
    public static var codeSystemsOfR4: [String] { tables.codeSystems.urls }
    /// The URLs of R4's own value sets, in alphabetical order.
    public static var valueSetsOfR4: [String] { tables.valueSets.urls }

    // MARK: Finding

    /// The code system of a URL, which may have a version after `|`, including what supplements add; `nil` if
    /// it is not available.
    ///
    /// - Throws: ``TerminologyError/otherVersion(url:asked:found:)`` and, for a resource that is found,
    ///   ``TerminologyError/malformed(reason:)``.
    public func codeSystem(_ canonical: String) throws(TerminologyError) -> CodeSystemContent? {
        if let known = read.withLock({ $0.codeSystems[canonical] }) { return known }
        let asked = CanonicalURL(canonical)
        var found =
            added.codeSystems[asked.url]?.last { VersionPattern.matches($0.version, asked.version) }
            ?? added.codeSystems[asked.url]?.last
            ?? Self.tables.codeSystems.codeSystem(canonical) ?? Self.tables.codeSystems.codeSystem(asked.url)
        if found.map({ !Self.isAsked($0.version, $0.url, asked, canonical) }) ?? true,
            let other = resource?(canonical)?.as(CodeSystem.self)
        {
            found = try CodeSystemContent(other)
        }
        if let version = asked.version, let found, !Self.isAsked(found.version, found.url, asked, canonical) {
            throw .otherVersion(url: asked.url, asked: version, found: found.version)
        }
        for supplement in added.supplements[asked.url] ?? [] {
            found = found.map { CodeSystemContent($0, supplementedBy: supplement) }
        }
        keep(found, \.codeSystems, canonical)
        return found
    }

    /// The definition of a value set by its URL, which may have a version after `|`; `nil` if it is not
    /// available.
    ///
    /// - Throws: ``TerminologyError/otherVersion(url:asked:found:)`` and, for a resource that is found,
    ///   ``TerminologyError/malformed(reason:)``.
    public func valueSet(_ canonical: String) throws(TerminologyError) -> ValueSetDefinition? {
        if let known = read.withLock({ $0.valueSets[canonical] }) { return known }
        let asked = CanonicalURL(canonical)
        var found =
            added.valueSets[asked.url]?.last { VersionPattern.matches($0.version, asked.version) }
            ?? added.valueSets[asked.url]?.last
            ?? Self.tables.valueSets.valueSet(canonical) ?? Self.tables.valueSets.valueSet(asked.url)
        if found.map({ !Self.isAsked($0.version, $0.url, asked, canonical) }) ?? true,
            let other = resource?(canonical)?.as(ValueSet.self)
        {
            found = try ValueSetDefinition(other)
        }
        found = found ?? implicitValueSet(asked.url)
        if let version = asked.version, let found, !Self.isAsked(found.version, found.url, asked, canonical) {
            throw .otherVersion(url: asked.url, asked: version, found: found.version)
        }
        keep(found, \.valueSets, canonical)
        return found
    }

    /// Whether what was found is the version that was requested. A few code systems of R4 have a URL with
    /// `|`.
    private static func isAsked(_ version: String?, _ url: String, _ asked: CanonicalURL, _ text: String)
        -> Bool
    {
        url == text || VersionPattern.matches(version, asked.version)
    }

    /// Caches what was read, within a limit: a stranger may ask for any number of URLs.
    private func keep<Value>(_ value: Value?, _ path: WritableKeyPath<Read, [String: Value?]>, _ url: String)
    {
        read.withLock { read in
            if read[keyPath: path].count >= 4_000 { read[keyPath: path] = [:] }
            read[keyPath: path][url] = .some(value)
        }
    }

    /// Value sets that a code system's URL implies (FHIR R4, “Using LOINC”, “Using SNOMED CT”, “Using UCUM”),
    /// and those that a code system names for all its codes.
    private func implicitValueSet(_ url: String) -> ValueSetDefinition? {
        var part = ValueSetDefinition.Part()
        switch url {
        case "http://loinc.org/vs": part.system = "http://loinc.org"
        case "http://unitsofmeasure.org/vs": part.system = "http://unitsofmeasure.org"
        case "http://snomed.info/sct?fhir_vs": part.system = "http://snomed.info/sct"
        default:
            let prefix = "http://snomed.info/sct?fhir_vs=isa/"
            if url.hasPrefix(prefix) {
                part.system = "http://snomed.info/sct"
                let code = String(url.dropFirst(prefix.count))
                part.filters = [ValueSetDefinition.Filter(property: "concept", operation: .isA, value: code)]
            } else if let system = added.wholeSystems[url] {
                part.system = system
            } else {
                return nil
            }
        }
        return ValueSetDefinition(url: url, included: [part])
    }
}
