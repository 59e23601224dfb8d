import FHIR
import FHIRPathEngine
import FHIRTables
import Synchronization

/// What validation needs of the definitions: each type is prepared when it is first met, and kept.
final class ValidationPlan: Sendable {
    static let r4 = ValidationPlan(.r4)

    private let definitions: Definitions
    private let builder: PlanBuilder
    // A slot for each type of the definitions. Slots are only used by their atomic operations, and the plan
    // is never freed.
    nonisolated(unsafe) private let slots: UnsafeMutablePointer<LazyObject<TypePlan>>

    private init(_ definitions: Definitions) {
        self.definitions = definitions
        builder = PlanBuilder(definitions)
        let count = definitions.types.count
        slots = .allocate(capacity: count)
        for id in 0..<count { (slots + id).initialize(to: LazyObject()) }
    }

    /// The type with the index that the definitions have for it.
    func type(id: Int) -> TypePlan {
        slots[id].load() ?? slots[id].storeIfNil(TypePlan(definitions.type(id: id), plan: builder))
    }

    func type(named name: String) -> TypePlan? { definitions.type(named: name).map { type(id: $0.id) } }

    /// The type of a resource; `nil` for a name that R4 does not have.
    func resource(named name: String) -> TypePlan? {
        var name = name
        return name.withUTF8 { definitions.id(ofResourceNamed: $0) }.map { type(id: $0) }
    }

    func isResource(_ name: String) -> Bool { definitions.resourceNames.contains(name) }
}

/// Makes plans of types: keeps what several share.
final class PlanBuilder: Sendable {
    let definitions: Definitions
    private let expressions = Mutex<[String: FHIRPath]>([:])
    private let codeSets = Mutex<[String: CodeSet]>([:])

    init(_ definitions: Definitions) { self.definitions = definitions }

    /// The rules with these keys, for objects of a type; without those that the walk checks itself.
    func rules(_ keys: [String], of type: DefinedType) -> [ValidationRule] {
        keys.compactMap { key in
            guard !ValidationRule.checkedByWalk.contains(key), let rule = RuleTable.r4[key],
                let path = expression(of: rule)
            else { return nil }
            return ValidationRule(rule, path, of: type)
        }
    }

    private func expression(of rule: DefinedRule) -> FHIRPath? {
        expressions.withLock { expressions in
            if let known = expressions[rule.key] { return known }
            // The expressions are checked when they are compiled in; a test reads them.
            let path = try? FHIRPath(RuleErrata.expressions[rule.key] ?? rule.expression)
            expressions[rule.key] = path
            return path
        }
    }

    /// The codes that a binding requires, where the tables have them.
    func requiredCodes(of element: DefinedElement, type: ElementType) -> ElementTypePlan.RequiredCodes? {
        guard let binding = element.binding, binding.strength == .required,
            let valueSet = ValueSetTable.r4[binding.valueSet]
        else { return nil }
        switch type.code {
        case "code":
            return codeSets.withLock { codeSets in
                let set = codeSets[valueSet.name] ?? CodeSet(valueSet.codes.map(\.code))
                codeSets[valueSet.name] = set
                return .codes(set, valueSet: valueSet.name)
            }
        case "CodeableConcept", "Coding": return .concept(valueSet)
        default: return nil
        }
    }
}
