import FHIR
import OrderedJSON

extension CodeSystemContent {
    /// Reads a resource.
    ///
    /// - Throws: ``TerminologyError/malformed(reason:)`` where it has no URL or does not say how complete it
    ///   is, and for a code that is missing.
    public convenience init(_ resource: CodeSystem) throws(TerminologyError) {
        guard let url = resource.url?.description, !url.isEmpty else {
            throw .malformed(reason: "a CodeSystem has no url")
        }
        guard let completeness = resource.content.flatMap({ Completeness(rawValue: $0.code) }) else {
            throw .malformed(reason: "the CodeSystem \(url) does not say how complete it is (content)")
        }
        let head = Head(
            url: url,
            version: resource.version,
            name: resource.name,
            completeness: completeness,
            ignoresCase: resource.caseSensitive == false,
            supplements: resource.tree.member("supplements")?.string.map { CanonicalURL($0).url },
            valueSet: resource.tree.member("valueSet")?.string.map { CanonicalURL($0).url },
            propertyNames: Set(
                resource.tree.elements(of: "property").compactMap { $0.member("code")?.string }
            )
        )
        let standard = Self.standardNames(resource.tree)
        var rows: [Row] = []
        // Those that are open, in reverse: a concept's own come before its next sibling.
        var open: [(depth: Int, concept: JSONValue)] = []
        func push(_ concepts: JSONElements?, _ depth: Int) {
            open += (concepts ?? []).map { (depth, $0) }.reversed()
        }
        push(resource.tree.member("concept")?.elements, 0)
        while let (depth, concept) = open.popLast() {
            guard let code = concept.member("code")?.string else {
                throw .malformed(reason: "a concept of the CodeSystem \(url) has no code")
            }
            rows.append(
                Row(
                    depth: depth,
                    code: code,
                    display: concept.member("display")?.string,
                    definition: concept.member("definition")?.string,
                    properties: concept.elements(of: "property").compactMap(Property.init).flatMap {
                        property in
                        let name = standard[property.name]
                        return [property] + (name.map { [Property(name: $0, value: property.value)] } ?? [])
                    },
                    designations: concept.elements(of: "designation").compactMap(Designation.init)
                )
            )
            push(concept.member("concept")?.elements, depth + 1)
        }
        self.init(head, rows)
    }

    /// The names by which FHIR knows properties that the code system calls otherwise.
    private static func standardNames(_ resource: JSONValue) -> [String: String] {
        var names: [String: String] = [:]
        for property in resource.elements(of: "property") {
            guard let code = property.member("code")?.string, let uri = property.member("uri")?.string,
                uri.hasPrefix("http://hl7.org/fhir/concept-properties#")
            else { continue }
            let name = String(uri.split(separator: "#").last ?? "")
            if name != code { names[code] = name }
        }
        return names
    }
}

extension CodeSystemContent.Property {
    fileprivate init?(_ json: JSONValue) {
        guard let name = json.member("code")?.string,
            let value = json.members?.first(where: { $0.name.hasPrefix("value") })?.value
        else { return nil }
        self.name = name
        self.value =
            value.string ?? value.number ?? value.boolean.map(String.init) ?? value.member("code")?.string
            ?? ""
    }
}

extension CodeSystemContent.Designation {
    fileprivate init?(_ json: JSONValue) {
        guard let value = json.member("value")?.string else { return nil }
        self.value = value
        language = json.member("language")?.string
        use = json.member("use").flatMap { use in
            use.member("code")?.string.map { SystemCode(system: use.member("system")?.string, code: $0) }
        }
    }
}

extension ValueSetDefinition {
    /// Reads a resource.
    ///
    /// - Throws: ``TerminologyError/malformed(reason:)`` for a part, code or filter that is not whole.
    public init(_ resource: ValueSet) throws(TerminologyError) {
        try self.init(resource, container: resource.url?.description ?? "")
    }

    /// - Parameter container: What `#` in references is behind.
    init(_ resource: ValueSet, container: String) throws(TerminologyError) {
        url = resource.url?.description ?? ""
        supplements = resource.extensions(url: "http://hl7.org/fhir/StructureDefinition/valueset-supplement")
            .compactMap { $0.tree.member("valueCanonical")?.string }
        version = resource.version
        name = resource.name
        guard let compose = resource.tree.member("compose") else {
            expansion = try Self.expansion(resource.tree.member("expansion"), url)
            return
        }
        hasInactive = compose.member("inactive")?.boolean
        for part in compose.elements(of: "include") {
            included.append(try Self.part(part, container))
        }
        for part in compose.elements(of: "exclude") {
            excluded.append(try Self.part(part, container))
        }
    }

    private static func part(_ json: JSONValue, _ url: String) throws(TerminologyError) -> Part {
        var part = Part()
        part.system = json.member("system")?.string
        part.version = json.member("version")?.string
        part.valueSets = json.elements(of: "valueSet").compactMap(\.string).map {
            $0.hasPrefix("#") ? url + $0 : $0
        }
        for concept in json.elements(of: "concept") {
            guard let code = concept.member("code")?.string else {
                throw .malformed(reason: "the ValueSet \(url) lists a concept without a code")
            }
            part.concepts.append(Listed(code: code, display: concept.member("display")?.string))
        }
        for filter in json.elements(of: "filter") {
            guard let property = filter.member("property")?.string,
                let operation = filter.member("op")?.string,
                let value = filter.member("value")?.string
            else { throw .malformed(reason: "a filter of the ValueSet \(url) lacks property, op or value") }
            part.filters.append(
                Filter(property: property, operation: FilterOperator(operation), value: value)
            )
        }
        guard part.system != nil || !part.valueSets.isEmpty else {
            throw .malformed(reason: "the ValueSet \(url) includes neither a system nor a value set (vsd-1)")
        }
        return part
    }

    private static func expansion(_ json: JSONValue?, _ url: String) throws(TerminologyError)
        -> [ExpandedCode]
    {
        guard let json else {
            throw .malformed(reason: "the ValueSet \(url) has neither compose nor expansion")
        }
        var codes: [ExpandedCode] = []
        var open = Array(json.elements(of: "contains").reversed())
        while let contains = open.popLast() {
            if let code = contains.member("code")?.string {
                var expanded = ExpandedCode(
                    value: SystemCode(system: contains.member("system")?.string, code: code)
                )
                expanded.version = contains.member("version")?.string
                expanded.display = contains.member("display")?.string
                expanded.isAbstract = contains.member("abstract")?.boolean == true
                expanded.isInactive = contains.member("inactive")?.boolean == true
                codes.append(expanded)
            }
            open += contains.elements(of: "contains").reversed()
        }
        if let total = json.member("total")?.integer, total > codes.count {
            throw .malformed(reason: "the expansion of the ValueSet \(url) is not whole")
        }
        return codes
    }
}
