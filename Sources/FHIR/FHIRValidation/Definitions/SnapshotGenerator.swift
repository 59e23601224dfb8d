import FHIR
import FHIRTables
import OrderedJSON

extension FHIRDefinitions {
    /// The snapshot of a StructureDefinition: the elements of its base, with what its differential says
    /// (FHIR R4, “StructureDefinition”).
    ///
    /// Where the definitions of R4 are added as a package, the elements have the texts of the specification;
    /// without it they have what the tables know: cardinalities, types, bindings and rules.
    ///
    /// - Returns: The definition with its snapshot, and what is wrong with its differential.
    /// - Throws: ``SnapshotError``.
    public func snapshot(of definition: AnyResource) throws(SnapshotError) -> (
        definition: AnyResource, problems: [String]
    ) {
        var generator = SnapshotGenerator(definitions: self)
        let elements = try generator.elements(of: definition.tree, depth: 0)
        var tree = definition.tree
        tree["snapshot"] = ["element": JSONValue(elements.map(\.json))]
        return (AnyResource(view: tree), generator.problems)
    }
}

/// Why there is no snapshot.
public enum SnapshotError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The resource is no StructureDefinition with a type and a base.
    case notADefinition
    /// The base, or one that it is derived from, is not known.
    case unknownBase(String)
    /// The definitions are derived from each other in a circle, or too many.
    case tooDeep
    /// There would be too many elements.
    case tooLarge

    public var description: String {
        switch self {
        case .notADefinition: "the resource is no StructureDefinition with a type and a base"
        case .unknownBase(let url): "the base \(url) is not known: add its definition"
        case .tooDeep: "the definitions are derived from each other in a circle, or through more than 32"
        case .tooLarge: "the snapshot would have more than 50,000 elements"
        }
    }
}

private struct SnapshotGenerator {
    struct Element {
        var id: String
        var path: String
        var json: JSONValue
    }

    private static let prefix = "http://hl7.org/fhir/StructureDefinition/"
    let definitions: FHIRDefinitions
    var problems: [String] = []
    private var list: [Element] = []
    /// The definitions around whose snapshots are being made, by URL and version.
    private var open: Set<String>

    init(definitions: FHIRDefinitions, open: Set<String> = []) {
        self.definitions = definitions
        self.open = open
    }

    mutating func elements(of definition: JSONValue, depth: Int) throws(SnapshotError) -> [Element] {
        guard depth < 32 else { throw .tooDeep }
        guard let type = definition.member("type")?.string,
            let base = definition.member("baseDefinition")?.string ?? (depth > 0 ? Self.prefix + type : nil)
        else { throw .notADefinition }
        if let url = definition.member("url")?.string {
            let name = "\(url)|\(definition.member("version")?.string ?? "")"
            guard open.insert(name).inserted else { throw .tooDeep }
        }
        let name = type.hasPrefix(Self.prefix) ? String(type.dropFirst(Self.prefix.count)) : type
        var inner = SnapshotGenerator(definitions: definitions, open: open)
        list = try inner.snapshot(base, depth: depth + 1)
        list = list.map { Self.moved($0, from: $0.path.prefix { $0 != "." }, to: name) }
        var last: [String: String] = [:]
        for element in definition.member("differential")?.elements(of: "element") ?? [] {
            try apply(element, &last)
            guard list.count <= 50_000 else { throw .tooLarge }
        }
        return list
    }

    /// The elements of a definition with a canonical URL.
    private mutating func snapshot(_ url: String, depth: Int) throws(SnapshotError) -> [Element] {
        if let json = definitions.json(canonical: url), json.resourceType == "StructureDefinition" {
            if let elements = json.member("snapshot")?.member("element")?.elements, !elements.isEmpty {
                return elements.compactMap(Self.element)
            }
            return try elements(of: json, depth: depth)
        }
        guard url.hasPrefix(Self.prefix),
            let type = Definitions.r4.type(named: String(url.dropFirst(Self.prefix.count)))
        else { throw .unknownBase(url) }
        return Self.elements(of: type)
    }

    private static func element(_ json: JSONValue) -> Element? {
        guard let path = json.member("path")?.string else { return nil }
        return Element(id: json.member("id")?.string ?? path, path: path, json: json)
    }

    // MARK: From the tables

    private static func elements(of type: DefinedType) -> [Element] {
        var root: JSONValue = [
            "id": JSONValue(type.name), "path": JSONValue(type.name), "min": 0, "max": "*",
        ]
        add(rules: type.rules, to: &root)
        return [Element(id: type.name, path: type.name, json: root)] + children(of: type, at: type.name)
    }

    private static func children(of type: DefinedType, at path: String) -> [Element] {
        var elements: [Element] = []
        for element in type.elements {
            let own = path + "." + element.name + (element.isChoice ? "[x]" : "")
            let maximum = element.maximum.map(String.init) ?? "*"
            var json: JSONValue = [
                "id": JSONValue(own), "path": JSONValue(own), "min": JSONValue(element.minimum),
                "max": JSONValue(maximum),
                "base": [
                    "path": JSONValue(own), "min": JSONValue(element.minimum), "max": JSONValue(maximum),
                ],
            ]
            let nested = element.types.first.map { Definitions.r4.type(id: $0.id) }
            let isOwn = nested?.kind == .nested && nested?.name == type.name + "." + element.name
            if let nested, nested.kind == .nested, !isOwn {
                json["contentReference"] = JSONValue("#" + nested.name)
            } else {
                json["type"] = JSONValue(element.types.map(typeJSON))
            }
            if let binding = element.binding {
                let set =
                    binding.valueSet.contains(":")
                    ? binding.valueSet : "http://hl7.org/fhir/ValueSet/" + binding.valueSet
                json["binding"] = [
                    "strength": JSONValue(binding.strength.rawValue), "valueSet": JSONValue(set),
                ]
            }
            add(rules: element.rules, to: &json)
            if element.isModifier { json["isModifier"] = true }
            if element.isSummary { json["isSummary"] = true }
            elements.append(Element(id: own, path: own, json: json))
            if let nested, isOwn { elements += children(of: nested, at: own) }
        }
        return elements
    }

    private static func typeJSON(_ type: ElementType) -> JSONValue {
        var json: JSONValue = ["code": JSONValue(type.code)]
        if let profile = type.profile { json["profile"] = [JSONValue(prefix + profile)] }
        if !type.targets.isEmpty {
            json["targetProfile"] = JSONValue(type.targets.map { JSONValue(prefix + $0) })
        }
        return json
    }

    private static func add(rules keys: [String], to json: inout JSONValue) {
        let rules = keys.compactMap { key -> JSONValue? in
            guard let rule = RuleTable.r4[key] else { return nil }
            return [
                "key": JSONValue(String(key.prefix { $0 != "@" })),
                "severity": JSONValue(rule.severity.rawValue),
                "human": JSONValue(rule.human), "expression": JSONValue(rule.expression),
            ]
        }
        if !rules.isEmpty { json["constraint"] = JSONValue(rules) }
    }

    // MARK: The differential

    private static func moved(_ element: Element, from old: Substring, to new: String) -> Element {
        var element = element
        element.path = new + element.path.dropFirst(old.count)
        element.id = new + element.id.dropFirst(old.count)
        element.json["path"] = JSONValue(element.path)
        element.json["id"] = JSONValue(element.id)
        return element
    }

    /// - Parameter last: The ids of the elements that were met last, by path: parents of what follows.
    private mutating func apply(_ json: JSONValue, _ last: inout [String: String]) throws(SnapshotError) {
        guard let path = json.member("path")?.string else { return }
        let names = path.split(separator: ".").map(String.init)
        let slice = json.member("sliceName")?.string
        let parentPath = names.dropLast().joined(separator: ".")
        var element: Int?
        if names.count == 1 {
            element = list.isEmpty ? nil : 0
        } else if let parent = try index(of: last[parentPath] ?? parentPath) {
            element = try child(names[names.count - 1], of: parent)
        }
        guard var found = element else {
            problems.append("\(path): the type has no such element")
            return
        }
        if let slice, names.count > 1, list[found].json.member("sliceName")?.string != slice {
            found = try makeSlice(slice, of: found)
        }
        last = last.filter { !$0.key.hasPrefix(path + ".") }
        last[path] = list[found].id
        merge(json, into: found)
    }

    private mutating func index(of id: String) throws(SnapshotError) -> Int? {
        if let known = list.firstIndex(where: { $0.id == id }) { return known }
        guard let point = id.lastIndex(of: ".") else { return nil }
        guard let parent = try index(of: String(id[..<point])) else { return nil }
        return try child(String(id[id.index(after: point)...]), of: parent)
    }

    /// The child of an element, which gets the elements of its type where it has none yet.
    private mutating func child(_ name: String, of parent: Int) throws(SnapshotError) -> Int? {
        let id = list[parent].id
        if !list.contains(where: { $0.id.hasPrefix(id + ".") }) { try expand(parent) }
        if let known = list.firstIndex(where: { $0.id == "\(id).\(name)" || $0.id == "\(id).\(name)[x]" }) {
            return known
        }
        // `valueQuantity` is the slice of `value[x]` whose values are quantities.
        for (index, element) in list.enumerated()
        where element.id.hasPrefix(id + ".") && element.id.hasSuffix("[x]") {
            let base = element.id.dropFirst(id.count + 1).dropLast(3)
            guard !base.contains("."), name.hasPrefix(base) else { continue }
            let suffix = name.dropFirst(base.count)
            guard
                let type = element.json.member("type")?.elements?.first(where: { type in
                    type.member("code")?.string.map { $0.lowercased() == suffix.lowercased() } ?? false
                })
            else { continue }
            if let known = list.firstIndex(where: { $0.id == "\(element.id):\(name)" }) { return known }
            list[index].json["slicing"] = [
                "discriminator": [["type": "type", "path": "$this"]], "ordered": false, "rules": "open",
            ]
            let made = try makeSlice(name, of: index)
            list[made].json["type"] = [type]
            return made
        }
        return nil
    }

    private mutating func makeSlice(_ name: String, of index: Int) throws(SnapshotError) -> Int {
        let main = list[index].id
        let id = "\(main):\(name)"
        if let known = list.firstIndex(where: { $0.id == id }) { return known }
        var element = list[index]
        element.id = id
        element.json["id"] = JSONValue(id)
        element.json["sliceName"] = JSONValue(name)
        element.json["slicing"] = nil
        element.json["min"] = 0
        if list[index].json.member("slicing") == nil {
            let isExtension = list[index].path.hasSuffix("xtension")
            list[index].json["slicing"] = [
                "discriminator": [["type": "value", "path": isExtension ? "url" : "$this"]], "ordered": false,
                "rules": "open",
            ]
        }
        // Behind the element, what is in it, and its other slices.
        let end =
            list[index...].dropFirst().firstIndex {
                !$0.id.hasPrefix(main + ".") && !$0.id.hasPrefix(main + ":")
            } ?? list.count
        list.insert(element, at: end)
        return end
    }

    /// Gives an element the elements of its type, or of the profile of its type.
    private mutating func expand(_ index: Int) throws(SnapshotError) {
        let element = list[index]
        var children: [Element] = []
        if let reference = element.json.member("contentReference")?.string {
            let id = String(reference.drop { $0 != "#" }.dropFirst())
            children = list.filter { $0.id == id || $0.id.hasPrefix(id + ".") }
        } else if let sliced = element.id.lastIndex(of: ":"),
            list.contains(where: { $0.id.hasPrefix(element.id[..<sliced] + ".") })
        {
            let id = String(element.id[..<sliced])
            children = list.filter { $0.id == id || $0.id.hasPrefix(id + ".") }
        } else if let type = element.json.member("type")?.elements?.first,
            let code = type.member("code")?.string
        {
            let profile = type.member("profile")?.elements?.first?.string
            var inner = SnapshotGenerator(definitions: definitions, open: open)
            do throws(SnapshotError) {
                children = try inner.snapshot(profile ?? Self.prefix + code, depth: max(1, open.count))
            } catch {
                switch error {
                case .tooDeep, .tooLarge: throw error
                // An element of a type that is not known has no children, which is told as a problem.
                case .notADefinition, .unknownBase: break
                }
            }
        }
        guard let root = children.first else { return }
        guard list.count + children.count <= 50_000 else { throw .tooLarge }
        let moved = children.dropFirst().map { child in
            var child = child
            child.id = element.id + child.id.dropFirst(root.id.count)
            child.path = element.path + child.path.dropFirst(root.path.count)
            child.json["id"] = JSONValue(child.id)
            child.json["path"] = JSONValue(child.path)
            return child
        }
        list.insert(contentsOf: moved, at: index + 1)
    }

    private mutating func merge(_ json: JSONValue, into index: Int) {
        var own = list[index].json
        for member in json.members ?? [] {
            switch member.name {
            case "id", "path": continue
            case "constraint":
                let old = own.elements(of: "constraint")
                let new = (member.value.elements.map(Array.init) ?? []).filter { rule in
                    !old.contains { $0.member("key") == rule.member("key") }
                }
                own["constraint"] = JSONValue(old + new)
            default: own[member.name] = member.value
            }
        }
        list[index].json = own
    }
}
