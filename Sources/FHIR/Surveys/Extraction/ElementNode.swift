import FHIR
import FHIRTables
import OrderedJSON

/// An element of a resource that is being made, whose parts can be found by name however many there are.
final class ElementNode {
    enum Value {
        case json(JSONValue)
        case node(ElementNode)
    }

    struct Member {
        let element: DefinedElement
        /// The type; for a choice, the one that was chosen.
        let type: ElementType
        var values: [Value] = []

        var name: String { element.name + (element.isChoice ? type.suffix : "") }
    }

    let type: DefinedType
    /// Whether it is in another node.
    private(set) var isAttached = false
    private var members: [Member] = []
    private var indices: [String: Int] = [:]

    init(_ type: DefinedType) { self.type = type }

    var isEmpty: Bool { members.allSatisfy { $0.values.isEmpty } }

    /// The member of an element; nil where it is not set.
    func member(_ element: DefinedElement) -> Member? { indices[element.name].map { members[$0] } }

    /// Adds a value of an element.
    ///
    /// - Returns: nil, or why it cannot be added.
    func add(_ value: Value, of element: DefinedElement, type: ElementType) -> String? {
        if case .node(let node) = value { node.isAttached = true }
        guard let index = indices[element.name] else {
            indices[element.name] = members.count
            members.append(Member(element: element, type: type, values: [value]))
            return nil
        }
        guard members[index].type.id == type.id else {
            return
                "\(element.path) has one type, and two are set: \(members[index].type.code) and \(type.code)"
        }
        guard element.isList || members[index].values.isEmpty else {
            return "\(element.path) has one value, and several are set"
        }
        members[index].values.append(value)
        return nil
    }

    /// The JSON, with elements in the order of the definition; nil where nothing is set.
    func json() -> JSONValue? {
        var result: [(position: Int, member: JSONMember)] = []
        for member in members {
            let values = member.values.compactMap { value -> JSONValue? in
                switch value {
                case .json(let json): json
                case .node(let node): node.json()
                }
            }
            guard let first = values.first else { continue }
            let position = type.member(named: member.name)?.element ?? 0
            result.append(
                (
                    position,
                    JSONMember(name: member.name, value: member.element.isList ? JSONValue(values) : first)
                )
            )
        }
        guard !result.isEmpty else { return nil }
        return JSONValue(members: result.sorted { $0.position < $1.position }.map(\.member))
    }
}

/// Where a definition of an element leads:
/// `http://hl7.org/fhir/StructureDefinition/Patient#Patient.name.given`.
struct DefinitionPath {
    /// One step down: an element, its type where the definition says it, and the name of a slice.
    struct Step {
        let element: DefinedElement
        let type: ElementType?
        /// The name with the slice: what is found under the same key is the same instance.
        let key: String
    }

    /// The URL before the `#`, without a version.
    let canonical: String
    /// The type that the path begins with: `Patient`, `HumanName`.
    let root: String
    /// The names of the elements, as they are written.
    let names: [String]

    init?(_ text: String) {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.last, parts.count == 2, text.utf8.count <= 2_000 else { return nil }
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let root = names.first, !root.isEmpty, !names.contains("") else { return nil }
        canonical = String(parts[0].prefix { $0 != "|" })
        self.root = root
        self.names = Array(names.dropFirst())
    }

    /// The steps from a type down; nil where the type has no such elements.
    func steps(from type: DefinedType) -> [Step]? { Self.steps(names, from: type) }

    static func steps(_ names: [String], from type: DefinedType) -> [Step]? {
        var steps: [Step] = []
        var current: DefinedType? = type
        for written in names {
            guard let type = current else { return nil }
            let parts = written.split(separator: ":", maxSplits: 1).map(String.init)
            guard let first = parts.first else { return nil }
            let name = first.hasSuffix("[x]") ? String(first.dropLast(3)) : first
            var element = type.element(named: name)
            var chosen: ElementType?
            // The type of a choice is the slice's name, or part of the element's.
            let slice = parts.count == 2 ? parts[1] : nil
            for candidate in [slice, element == nil ? name : nil].compactMap({ $0 }) {
                guard let found = type.member(named: candidate), type.elements[found.element].isChoice else {
                    continue
                }
                element = type.elements[found.element]
                chosen = type.elements[found.element].types[found.type]
            }
            guard let element else { return nil }
            if chosen == nil, !element.isChoice { chosen = element.types.first }
            steps.append(Step(element: element, type: chosen, key: element.isChoice ? element.name : written))
            current = chosen.map { Definitions.r4.types[$0.id] }
        }
        return steps
    }
}
