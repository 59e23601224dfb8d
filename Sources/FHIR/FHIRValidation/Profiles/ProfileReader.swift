import FHIR
import FHIRPathEngine
import FHIRTables
import OrderedJSON

/// Builds a profile from a StructureDefinition: the base's nodes, changed by the differential.
struct ProfileReader {
    /// How many profiles may be derived from each other.
    private static let maximumDepth = 32
    /// How many nodes a profile may have.
    private static let maximumNodes = 10_000
    private static let prefix = "http://hl7.org/fhir/StructureDefinition/"

    private var profile: Profile
    private let definitions: FHIRDefinitions
    /// The last node with a path. Its children and further facts are added to it.
    private var current: [String: Profile.Index] = [:]
    /// The slices by the node that is sliced and their names: a profile may have thousands.
    private var slices: [SliceKey: Profile.Index] = [:]

    private struct SliceKey: Hashable {
        let owner: Profile.Index
        let name: String
    }

    /// The profile with a canonical URL; nil where it is not known.
    static func profile(_ canonical: String, in definitions: FHIRDefinitions, depth: Int) -> Profile? {
        guard let json = definitions.json(canonical: canonical) else { return ofType(canonical) }
        guard json.resourceType == "StructureDefinition" else { return nil }
        return profile(of: json, in: definitions, depth: depth)
    }

    /// A type of R4 is a profile that requires nothing more.
    private static func ofType(_ canonical: String) -> Profile? {
        let url = String(canonical.prefix { $0 != "|" })
        guard url.hasPrefix(prefix),
            let type = Definitions.r4.type(named: String(url.dropFirst(prefix.count))),
            type.kind != .nested
        else { return nil }
        return empty(url, type.kind == .profile ? type.base ?? type.name : type.name)
    }

    private static func empty(_ url: String, _ type: String) -> Profile {
        let root = ProfileNode(name: type, id: type, sliceName: nil, source: url)
        root.definedTypes = Definitions.r4.type(named: type).map { [$0.id] } ?? []
        return Profile(url: url, type: type, nodes: [root], nodesByPath: [type: 0])
    }

    static func profile(of json: JSONValue, in definitions: FHIRDefinitions, depth: Int) -> Profile {
        let url = json.member("url")?.string ?? ""
        let type = json.member("type")?.string ?? ""
        let typeName = type.hasPrefix(prefix) ? String(type.dropFirst(prefix.count)) : type
        // The definition of a type of R4: the tables have it.
        if url == prefix + typeName, Definitions.r4.type(named: typeName) != nil {
            return empty(url, typeName)
        }
        let start = empty(url, typeName)
        var elements = json.member("differential")?.member("element")?.elements.map(Array.init) ?? []
        let snapshot = json.member("snapshot")?.member("element")?.elements.map(Array.init)
        if let base = json.member("baseDefinition")?.string {
            if depth >= maximumDepth {
                start.problems.append(
                    .init(element: nil, text: "the profiles it is derived from are too many, or a circle")
                )
            } else if let known = Self.profile(base, in: definitions, depth: depth + 1) {
                start.nodes = known.nodes.map { $0.copy() }
                start.nodesByPath = known.nodesByPath
                start.imposed = known.imposed
                start.problems += known.problems.filter { $0.element == nil }
                if known.type != typeName, start.nodes.count == 1 { start.nodes = empty(url, typeName).nodes }
            } else if let snapshot {
                elements = snapshot
            } else {
                start.problems.append(
                    .init(
                        element: nil,
                        severity: .warning,
                        text: "its base\(LogicalURL.shown(base)) is not known"
                    )
                )
            }
        }
        if elements.isEmpty, let snapshot { elements = snapshot }
        var reader = ProfileReader(profile: start, definitions: definitions)
        for (index, element) in elements.enumerated() {
            guard reader.profile.nodes.count < maximumNodes else {
                reader.problem(index, "the profile has more than \(maximumNodes) elements")
                break
            }
            reader.read(element, at: index)
        }
        reader.finish(json)
        return reader.profile
    }

    private init(profile: Profile, definitions: FHIRDefinitions) {
        self.profile = profile
        self.definitions = definitions
        current = [profile.type: 0]
        for (owner, node) in profile.nodes.enumerated() {
            for slice in node.slices {
                slices[SliceKey(owner: owner, name: profile.nodes[slice].sliceName ?? "")] = slice
            }
        }
    }

    private mutating func problem(_ element: Int?, _ text: String) {
        profile.problems.append(.init(element: element, text: text))
    }

    /// Finds out in advance where a node's children are, and whether its value has to be checked.
    private func prepare(_ node: ProfileNode) {
        node.mayBeAbsent = mayBeAbsent(node)
        node.asksForValue =
            node.fixed != nil || node.pattern != nil || node.narrative != NarrativeControl()
            || node.mustHaveValue || !node.valueAlternatives.isEmpty || node.maximumLength != nil
            || node.minimumLength != nil || node.minimumValue != nil || node.maximumValue != nil
        guard node.definedTypes.count == 1 else { return }
        let type = Definitions.r4.type(id: node.definedTypes[0])
        for child in node.children.map({ profile.nodes[$0] }) {
            child.place = type.index(ofElementNamed: child.name).map { element in
                let own = type.typeID(ofElement: element).map { Definitions.r4.type(id: $0) }
                return ProfileNode.Place(
                    type: type.id,
                    element: element,
                    isChoice: type.isChoice(element),
                    isPrimitive: own?.kind == .primitive
                )
            }
        }
    }

    private func mayBeAbsent(_ node: ProfileNode) -> Bool {
        node.minimum ?? 0 <= 0 && node.slices.allSatisfy { mayBeAbsent(profile.nodes[$0]) }
    }

    private mutating func finish(_ json: JSONValue) {
        for node in profile.nodes { prepare(node) }
        for context in json.elements(of: "context") {
            if let type = context.member("type")?.string,
                let expression = context.member("expression")?.string
            {
                profile.contexts.append(ExtensionContext(type: type, expression: expression))
            }
        }
        for part in json.elements(of: "extension") {
            if part.member("url")?.string?.hasSuffix("imposeProfile") == true,
                let url = part.member("valueCanonical")?.string
            {
                profile.imposed.append(url)
            }
        }
        profile.isModifier =
            json.member("differential")?.member("element")?.elements?.first?.member("isModifier")?.boolean
            ?? json.member("snapshot")?.member("element")?.elements?.first?.member("isModifier")?.boolean
            ?? false
    }

    // MARK: Elements

    private mutating func read(_ element: JSONValue, at index: Int) {
        guard let path = element.member("path")?.string else { return }
        let names = path.split(separator: ".").map(String.init)
        guard let first = names.first, first == profile.type else {
            return problem(index, "the path \(path) does not begin with the type \(profile.type)")
        }
        guard names.count <= 64 else { return problem(index, "the path is longer than 64 elements") }
        guard var node = self.node(names, index) else { return }
        if let name = element.member("sliceName")?.string, names.count > 1 {
            // `valueQuantity` is already the slice of `value[x]`.
            if profile.nodes[node].sliceName != name {
                node = slice(name, of: mainNode(names, index) ?? node)
            }
        }
        set(path, to: node)
        apply(element, to: node, index)
    }

    private mutating func set(_ path: String, to node: Profile.Index) {
        current = current.filter { !$0.key.hasPrefix(path + ".") }
        current[path] = node
    }

    /// The node of a path, which is not a slice.
    private mutating func mainNode(_ names: [String], _ index: Int) -> Profile.Index? {
        guard names.count > 1, let parent = parent(of: names, index) else { return 0 }
        return child(names[names.count - 1], of: parent, index)
    }

    private mutating func node(_ names: [String], _ index: Int) -> Profile.Index? {
        guard names.count > 1 else { return 0 }
        guard let parent = parent(of: names, index) else { return nil }
        return child(names[names.count - 1], of: parent, index)
    }

    private mutating func parent(of names: [String], _ index: Int) -> Profile.Index? {
        let path = names.dropLast().joined(separator: ".")
        if let known = current[path] { return known }
        guard let node = node(Array(names.dropLast()), index) else { return nil }
        current[path] = node
        return node
    }

    /// The node of a child, made if it is missing. A choice may be named with its type.
    private mutating func child(_ text: String, of parent: Profile.Index, _ index: Int) -> Profile.Index? {
        let isChoice = text.hasSuffix("[x]")
        let name = isChoice ? String(text.dropLast(3)) : text
        if let known = profile.nodes[parent].children.first(where: { profile.nodes[$0].name == name }) {
            return known
        }
        let types = profile.nodes[parent].definedTypes.map { Definitions.r4.types[$0] }
        var found: (element: DefinedElement, type: ElementType?)?
        for type in types {
            if let element = type.element(named: name) {
                found = (element, nil)
            } else if let member = type.member(named: name), type.elements[member.element].isChoice {
                let element = type.elements[member.element]
                found = (element, element.types[member.type])
            }
            if found != nil { break }
        }
        if found == nil, !types.isEmpty, !types.contains(where: { $0.isAbstract }) {
            let owner = types.map(\.name).joined(separator: " or ")
            problem(index, "\(owner) has no element \(text)")
            return nil
        }
        guard let found, let type = found.type else {
            return add(name, to: parent, found?.element.types.map(\.id) ?? [], isChoice: isChoice)
        }
        // `valueQuantity` is the slice of `value[x]` whose values are quantities.
        let main =
            profile.nodes[parent].children.first { profile.nodes[$0].name == found.element.name }
            ?? add(found.element.name, to: parent, found.element.types.map(\.id), isChoice: true)
        let slice = slice(name, of: main)
        if profile.nodes[slice].types.isEmpty { profile.nodes[slice].types = [ProfileType(code: type.code)] }
        profile.nodes[slice].definedTypes = [type.id]
        return slice
    }

    private mutating func add(_ name: String, to parent: Profile.Index, _ types: [Int], isChoice: Bool)
        -> Profile.Index
    {
        let own = profile.nodes[parent]
        let node = ProfileNode(
            name: name,
            id: own.id + "." + name + (isChoice ? "[x]" : ""),
            sliceName: nil,
            source: profile.url
        )
        node.definedTypes = types
        let index = profile.nodes.count
        profile.nodes.append(node)
        profile.nodes[parent].children.append(index)
        if !node.id.contains(":") { profile.nodesByPath[own.id + "." + name] = index }
        return index
    }

    /// The slice with a name; `a/b` is a slice of the slice `a`.
    private mutating func slice(_ name: String, of main: Profile.Index) -> Profile.Index {
        var owner = main
        if let slash = name.lastIndex(of: "/"),
            let outer = findSlice(String(name[..<slash]), of: main)
        {
            owner = outer
        }
        let key = SliceKey(owner: owner, name: name)
        if let known = slices[key] { return known }
        let own = profile.nodes[main]
        let node = ProfileNode(
            name: own.name,
            id: own.id + ":" + name,
            sliceName: name,
            source: profile.url
        )
        node.definedTypes = own.definedTypes
        let index = profile.nodes.count
        profile.nodes.append(node)
        profile.nodes[owner].slices.append(index)
        slices[key] = index
        return index
    }

    private func findSlice(_ name: String, of node: Profile.Index) -> Profile.Index? {
        for slice in profile.nodes[node].slices {
            if profile.nodes[slice].sliceName == name { return slice }
            if name.hasPrefix((profile.nodes[slice].sliceName ?? "") + "/"),
                let found = findSlice(name, of: slice)
            {
                return found
            }
        }
        return nil
    }

    // MARK: Facts

    private mutating func apply(_ element: JSONValue, to index: Profile.Index, _ position: Int) {
        let node = profile.nodes[index]
        if index != 0 { cardinality(element, of: node, position) }
        let types = element.elements(of: "type").compactMap(Self.type)
        if !types.isEmpty, index != 0 {
            node.types = types
            let known = types.compactMap { Definitions.r4.type(named: $0.code)?.id }
            // A backbone element keeps its nested type.
            let isNested = ["BackboneElement", "Element"].contains(types[0].code)
            if !isNested, !known.isEmpty { node.definedTypes = resolved(types) ?? known }
        }
        for member in element.members ?? [] {
            let name = member.name
            if name.hasPrefix("fixed") {
                if let old = node.fixed, !ProfileValue.isEqual(member.value, old), node.source != profile.url
                {
                    problem(position, "the base fixes another value for \(node.id)")
                }
                node.fixed = member.value
            }
            if name.hasPrefix("pattern") { node.pattern = member.value }
            if name.hasPrefix("minValue") { node.minimumValue = member.value }
            if name.hasPrefix("maxValue") { node.maximumValue = member.value }
        }
        if let length = element.member("maxLength")?.integer { node.maximumLength = length }
        if let binding = element.member("binding"), let valueSet = binding.member("valueSet")?.string,
            let strength = binding.member("strength")?.string.flatMap(Binding.Strength.init)
        {
            let maximum = binding.elements(of: "extension").first {
                $0.member("url")?.string?.hasSuffix("elementdefinition-maxValueSet") == true
            }
            node.binding = ProfileBinding(
                strength: strength,
                valueSet: valueSet,
                maximum: maximum?.member("valueCanonical")?.string
            )
        }
        if element.member("mustSupport")?.boolean == true { node.isMustSupport = true }
        if element.member("mustHaveValue")?.boolean == true { node.mustHaveValue = true }
        node.valueAlternatives += element.elements(of: "valueAlternatives").compactMap(\.string)
        for part in element.elements(of: "extension") { Self.apply(extension: part, to: node) }
        for constraint in element.elements(of: "constraint") {
            guard let rule = rule(constraint, of: node) else { continue }
            if rule.path == nil, rule.severity == .error {
                problem(position, "the expression of the rule \(rule.key) is no FHIRPath")
            }
            node.rules.append(rule)
        }
        if let reference = element.member("contentReference")?.string {
            node.contentReference = String(reference.drop { $0 != "#" }.dropFirst())
        }
        if let slicing = element.member("slicing") {
            node.slicing = Self.slicing(slicing, over: node.slicing)
        }
        node.source = profile.url
        for discriminator in node.slicing?.discriminators ?? [] where element.member("slicing") != nil {
            guard case .element(let name)? = discriminator.path.first, !node.definedTypes.isEmpty else {
                continue
            }
            let types = node.definedTypes.map { Definitions.r4.types[$0] }
            if !types.contains(where: { $0.element(named: name) != nil || $0.isAbstract }) {
                problem(position, "the discriminator \(name) is no element of \(node.id)")
            }
        }
        if index == 0, element.member("slicing") != nil {
            problem(position, "slicing is not allowed at the root of a profile")
        }
    }

    /// Reads how many values are allowed. A profile may only narrow what its base allows.
    private mutating func cardinality(_ element: JSONValue, of node: ProfileNode, _ position: Int) {
        if let minimum = element.member("min")?.integer {
            if node.sliceName == nil, let old = node.minimum, minimum < old, node.source != profile.url {
                problem(position, "the base asks for at least \(old) of \(node.id)")
            }
            node.minimum = minimum
        }
        if let maximum = element.member("max")?.string {
            let new = maximum == "*" ? Int.max : max(0, Int(maximum) ?? 0)
            if let old = node.maximum, new > old, node.source != profile.url {
                problem(position, "the base allows at most \(old) of \(node.id)")
            }
            node.maximum = new
        }
        if let minimum = node.minimum, let maximum = node.maximum, minimum > maximum, maximum > 0 {
            problem(position, "\(node.id) would have at least \(minimum) and at most \(maximum)")
        }
    }

    /// The type that the profile of a type constrains, if it is known: an `entry.resource` with a profile of
    /// Patient is a Patient.
    private func resolved(_ types: [ProfileType]) -> [Int]? {
        guard types.count == 1, let profile = types[0].profiles.first, types[0].code != "Extension" else {
            return nil
        }
        let type = definitions.json(canonical: profile)?.member("type")?.string
        return type.flatMap { Definitions.r4.type(named: $0)?.id }.map { [$0] }
    }

    private static func apply(extension part: JSONValue, to node: ProfileNode) {
        // Elements of R5 are extensions in R4.
        let later = "http://hl7.org/fhir/5.0/StructureDefinition/extension-ElementDefinition."
        switch part.member("url")?.string {
        case prefix + "narrative-source-control": node.narrative.asksForSource = true
        case prefix + "narrative-language-control":
            if let code = part.member("valueCode")?.string { node.narrative.languages.append(code) }
        case prefix + "minLength": node.minimumLength = part.member("valueInteger")?.integer
        case later + "mustHaveValue": node.mustHaveValue = part.member("valueBoolean")?.boolean ?? false
        case later + "valueAlternatives":
            if let url = (part.member("valueCanonical") ?? part.member("valueUri"))?.string {
                node.valueAlternatives.append(url)
            }
        default: break
        }
    }

    private static func type(_ json: JSONValue) -> ProfileType? {
        guard var code = json.member("code")?.string else { return nil }
        if code.hasPrefix("http://hl7.org/fhirpath/System.") {
            let known = json.elements(of: "extension").first {
                $0.member("url")?.string?.hasSuffix("structuredefinition-fhir-type") == true
            }
            code =
                known?.member("valueUrl")?.string ?? known?.member("valueUri")?.string
                ?? String(code.dropFirst("http://hl7.org/fhirpath/System.".count)).lowercased()
        }
        if code.hasPrefix(prefix) { code = String(code.dropFirst(prefix.count)) }
        func list(_ name: StaticString) -> [String] {
            (json.member(name)?.elements ?? []).compactMap(\.string)
        }
        // A type may name the element of a profile to start from.
        let siblings = json.elements(of: "_profile")
        let profiles = list("profile").enumerated().map { index, url in
            let parts = siblings.indices.contains(index) ? siblings[index].member("extension")?.elements : nil
            let part = parts?.first {
                $0.member("url")?.string?.hasSuffix("elementdefinition-profile-element") == true
            }
            return part?.member("valueString")?.string.map { "\(url)#\($0)" } ?? url
        }
        return ProfileType(
            code: code,
            profiles: profiles.filter { $0 != prefix + code },
            targets: list("targetProfile"),
            aggregation: list("aggregation")
        )
    }

    private func rule(_ json: JSONValue, of node: ProfileNode) -> ProfileRule? {
        guard let key = json.member("key")?.string, let expression = json.member("expression")?.string else {
            return nil
        }
        // The type's own rules are applied to it anyway; snapshots repeat them.
        if ValidationRule.checkedByWalk.contains(key) { return nil }
        if let own = RuleTable.r4[key],
            own.expression
                == expression.split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
        {
            return nil
        }
        if node.rules.contains(where: { $0.key == key && $0.expression == expression }) { return nil }
        return ProfileRule(
            key: key,
            severity: json.member("severity")?.string == "warning" ? .warning : .error,
            text: ValidationRule.text(key, json.member("human")?.string ?? "", expression),
            expression: expression,
            path: try? FHIRPath(RuleErrata.profileExpressions[key] ?? expression),
            source: json.member("source")?.string ?? profile.url
        )
    }

    private static func slicing(_ json: JSONValue, over old: ProfileSlicing?) -> ProfileSlicing {
        let discriminators = json.elements(of: "discriminator").compactMap {
            part -> ProfileSlicing.Discriminator? in
            guard let kind = part.member("type")?.string.flatMap(ProfileSlicing.Kind.init),
                let path = part.member("path")?.string.flatMap(DiscriminatorStep.steps)
            else { return nil }
            return ProfileSlicing.Discriminator(kind: kind, path: path)
        }
        return ProfileSlicing(
            discriminators: discriminators.isEmpty ? old?.discriminators ?? [] : discriminators,
            rules: json.member("rules")?.string.flatMap(ProfileSlicing.Rules.init) ?? old?.rules ?? .open,
            isOrdered: json.member("ordered")?.boolean ?? old?.isOrdered ?? false
        )
    }
}
