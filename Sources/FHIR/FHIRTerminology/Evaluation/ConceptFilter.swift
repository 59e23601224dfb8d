import FHIR
import FHIRPathEngine

/// A filter, made ready for the concepts of a code system.
struct ConceptFilter {
    private enum Test {
        case among(Set<Int>)
        case notAmong(Set<Int>)
        case values(Set<String>, isNegated: Bool)
        case pattern(BoundedRegex)
        case exists(Bool)
    }

    private let system: CodeSystemContent
    private let property: String
    /// Of each concept those directly below it; empty where no filter asks for them.
    private let children: [Int: [Int]]
    private let test: Test

    /// What every code system says of its concepts.
    private static let common: Set<String> = [
        "code", "concept", "display", "definition", "parent", "child", "inactive", "notSelectable",
        "abstract",
        "status",
    ]

    /// - Parameter only: The concept that alone is asked about, where it is one: then nothing is computed of
    ///   the others.
    /// - Throws: ``TerminologyError/filter(system:property:reason:)``.
    init(
        _ filter: ValueSetDefinition.Filter,
        of system: CodeSystemContent,
        only: Int?
    ) throws(TerminologyError) {
        self.system = system
        property = filter.property
        children = filter.property == "child" ? system.children : [:]
        func problem(_ reason: String) -> TerminologyError {
            .filter(system: system.url, property: filter.property, reason: reason)
        }
        guard Self.common.contains(filter.property) || system.propertyNames.contains(filter.property) else {
            throw problem("the code system does not have the property")
        }
        func named() throws(TerminologyError) -> Int {
            guard let index = system.index(of: filter.value) else {
                throw problem("the code system does not have the code \(filter.value)")
            }
            return index
        }
        func below(_ top: Int) -> Set<Int> {
            guard let only else { return system.descendants(of: top) }
            return system.lineage(of: only).contains(top) ? [only] : []
        }
        switch filter.operation {
        case .isA: test = .among(below(try named()))
        case .isNotA: test = .notAmong(below(try named()))
        case .descendentOf:
            let top = try named()
            test = .among(below(top).subtracting([top]))
        case .generalizes: test = .among(system.lineage(of: try named()))
        case .equals: test = .values([filter.value], isNegated: false)
        case .in: test = .values(Self.list(filter.value), isNegated: false)
        case .notIn: test = .values(Self.list(filter.value), isNegated: true)
        case .regex:
            do {
                test = .pattern(try BoundedRegex(filter.value))
            } catch {
                throw problem("\(error)")
            }
        case .exists: test = .exists(filter.value == "true")
        case .other("child-of"):
            let top = try named()
            let candidates = only.map { [$0] } ?? Array(system.concepts.indices)
            test = .among(Set(candidates.filter { system.concepts[$0].parents.contains(top) }))
        case .other(let code): throw problem("there is no operation \(code)")
        }
    }

    private static func list(_ text: String) -> Set<String> {
        Set(
            text.split(separator: ",").map { part in
                String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
        )
    }

    /// Whether the concept at an index fulfils it.
    func accepts(_ index: Int) throws(TerminologyError) -> Bool {
        switch test {
        case .among(let indices): return indices.contains(index)
        case .notAmong(let indices): return !indices.contains(index)
        case .values(let wanted, let isNegated):
            return values(index).contains(where: wanted.contains) != isNegated
        case .exists(let isWanted): return values(index).isEmpty != isWanted
        case .pattern(let pattern):
            do {
                for value in values(index) where try pattern.matchesWhole(value) { return true }
                return false
            } catch {
                throw .filter(system: system.url, property: property, reason: "\(error)")
            }
        }
    }

    private func values(_ index: Int) -> [String] {
        let concept = system.concepts[index]
        switch property {
        case "code", "concept": return [concept.code]
        case "display": return [concept.display]
        case "definition": return concept.definition.map { [$0] } ?? []
        case "parent": return concept.parents.map { system.concepts[$0].code }
        case "child":
            return (children[index] ?? []).map { system.concepts[$0].code }
        case "inactive": return ["\(concept.isInactive)"]
        default: return concept.properties.filter { $0.name == property }.map(\.value)
        }
    }
}
