import FHIR
import FHIRPathEngine
import FHIRTables
import FHIRValidation
import Synchronization

/// A search parameter with its expression ready to be evaluated.
struct IndexedParameter: Sendable {
    struct Component: Sendable {
        let kind: SearchParameter.Kind
        let path: FHIRPath
    }

    let name: String
    let kind: SearchParameter.Kind
    /// The resources that a reference may be to.
    let targets: [String]
    let path: FHIRPath
    /// Those of the elements that the values are, of codes.
    let valueSets: [DefinedValueSet]
    /// The parts of a composite parameter.
    let components: [Component]
    /// What the index calls it: `Patient.name`.
    let key: String

    /// What the index calls one of the parts of a composite parameter.
    func key(ofComponent index: Int) -> String { "\(key)$\(index)" }
    /// What the index calls the identifiers of a reference parameter.
    var identifierKey: String { key + ":identifier" }
}

/// The search parameters by which each type of resource is indexed. Those of a type are compiled when they
/// are first asked for.
final class SearchCatalog: Sendable {
    /// Those of R4.
    static let r4 = SearchCatalog(SearchParameter.r4)

    private typealias Compiled = (parameters: [String: IndexedParameter], problems: [String])

    private let byResource: [String: [SearchParameter]]
    private let compiled = Mutex<[String: Compiled]>([:])

    /// All types of resources, in the order of the alphabet.
    let typeNames = Definitions.r4.resourceNames.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }

    /// Parameters whose expressions cannot be compiled, with the reason; a test says that there are none.
    var problems: [String] { typeNames.flatMap { compiled($0).problems } }

    private init(_ definitions: [SearchParameter]) {
        byResource = Dictionary(grouping: definitions, by: \.resource)
    }

    private func compiled(_ type: String) -> Compiled {
        if let known = compiled.withLock({ $0[type] }) { return known }
        let made = compile(type)
        return compiled.withLock { compiled in
            let first = compiled[type] ?? made
            compiled[type] = first
            return first
        }
    }

    private func compile(_ type: String) -> Compiled {
        var parameters: [String: IndexedParameter] = [:]
        var problems: [String] = []
        // Compared apart from the table: the row's own time and id.
        let common = (byResource["Resource"] ?? []).filter { $0.name != "_id" && $0.name != "_lastUpdated" }
        let own = byResource[type] ?? []
        let kinds = Dictionary(firstOf: (own + common).map { ($0.name, $0.kind) })
        for definition in own + common {
            guard let expression = definition.expression, definition.kind != .special else { continue }
            do throws(FHIRPathError) {
                var components: [IndexedParameter.Component] = []
                for component in definition.components {
                    guard let kind = kinds[component.name] else { continue }
                    components.append(
                        .init(kind: kind, path: try FHIRPath(Self.corrected(component.expression)))
                    )
                }
                guard definition.kind != .composite || components.count == definition.components.count,
                    definition.kind != .composite || components.count > 1
                else { continue }
                parameters[definition.name] = IndexedParameter(
                    name: definition.name,
                    kind: definition.kind,
                    targets: definition.targets,
                    path: try FHIRPath(Self.corrected(expression)),
                    valueSets: definition.kind == .token ? Self.valueSets(of: expression) : [],
                    components: components,
                    key: "\(type).\(definition.name)"
                )
            } catch {
                problems.append("\(type).\(definition.name): \(error)")
            }
        }
        return (parameters, problems)
    }

    /// The specification has `as(DateTime)` where the type is `dateTime`, and a function that FHIRPath does
    /// not have.
    private static func corrected(_ expression: String) -> String {
        expression.replacing("as(DateTime)", with: "as(dateTime)")
            .replacing(/hasExtension\(('[^']*')\)/) { "extension(\($0.1)).exists()" }
    }

    /// The value sets of the elements that an expression names by plain paths: `Patient.gender`.
    private static func valueSets(of expression: String) -> [DefinedValueSet] {
        expression.split(separator: "|").compactMap { path in
            var names = path.split(whereSeparator: { $0 == "." || $0 == " " })[...]
            var type = names.popFirst().flatMap { Definitions.r4.type(named: String($0)) }
            var element: DefinedElement?
            for name in names {
                element = type?.element(named: String(name))
                type = (element?.types.first?.id).map { Definitions.r4.types[$0] }
            }
            return element?.binding.flatMap { ValueSetTable.r4[$0.valueSet] }
        }
    }

    /// The parameters of a type by name; empty for what is not a type.
    func parameters(of type: String) -> [String: IndexedParameter] {
        isType(type) ? compiled(type).parameters : [:]
    }

    func isType(_ name: String) -> Bool { Definitions.r4.resourceNames.contains(name) }
}
