import FHIRTables

/// What validation needs of the definitions, prepared once.
final class ValidationPlan: Sendable {
    static let r4 = ValidationPlan(.r4)

    /// By the index that the definitions have.
    let types: [TypePlan]
    private let definitions: Definitions

    private init(_ definitions: Definitions) {
        self.definitions = definitions
        let builder = PlanBuilder(definitions)
        types = definitions.types.map { TypePlan($0, plan: builder) }
    }

    func type(named name: String) -> TypePlan? { definitions.type(named: name).map { types[$0.id] } }

    /// The type of a resource; `nil` for a name that R4 does not have.
    func resource(named name: String) -> TypePlan? {
        guard let type = type(named: name), type.isResource, !type.definition.isAbstract else { return nil }
        return type
    }

    func isResource(_ name: String) -> Bool { definitions.resourceNames.contains(name) }
}

/// Makes a plan: keeps what several types share.
final class PlanBuilder {
    let definitions: Definitions
    private var expressions: [String: FHIRPath] = [:]
    private var codeSets: [String: CodeSet] = [:]

    init(_ definitions: Definitions) { self.definitions = definitions }

    /// The rules with these keys, for objects of a type; without those that the walk checks itself.
    func rules(_ keys: [String], of type: DefinedType) -> [ValidationRule] {
        keys.compactMap { key in
            guard !ValidationRule.checkedByWalk.contains(key), let rule = definitions.rules[key] else {
                return nil
            }
            let path: FHIRPath
            if let known = expressions[key] {
                path = known
            } else {
                // The expressions are checked when they are compiled in; a test reads them.
                guard let read = try? FHIRPath(RuleErrata.expressions[key] ?? rule.expression) else {
                    return nil
                }
                path = read
                expressions[key] = path
            }
            return ValidationRule(rule, path, of: type)
        }
    }

    /// The codes that a binding requires, where the tables have them.
    func requiredCodes(of element: DefinedElement, type: ElementType) -> ElementTypePlan.RequiredCodes? {
        guard let binding = element.binding, binding.strength == .required,
            let valueSet = definitions.valueSets[binding.valueSet]
        else { return nil }
        switch type.code {
        case "code":
            let set = codeSets[valueSet.name] ?? CodeSet(valueSet.codes.map(\.code))
            codeSets[valueSet.name] = set
            return .codes(set, valueSet: valueSet.name)
        case "CodeableConcept": return .concept(valueSet)
        default: return nil
        }
    }
}
