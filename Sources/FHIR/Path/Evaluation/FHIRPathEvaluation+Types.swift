/// `is`, `as` and `ofType` (FHIRPath section 6.3).
extension FHIRPathEvaluation {
    private static let systemTypes: Set<String> = [
        "Any", "Boolean", "Integer", "Long", "Decimal", "String", "Date", "DateTime", "Time", "Quantity",
    ]

    /// The type that an expression names.
    struct NamedType {
        let specifier: FHIRPathSyntax.TypeSpecifier
        /// The type of FHIR; nil for one of FHIRPath's own.
        let fhirType: PathType?
    }

    /// Looks a name up, once for each that an expression has.
    mutating func named(
        _ specifier: FHIRPathSyntax.TypeSpecifier, _ reference: Reference, at node: FHIRPathSyntax.Node
    ) throws(FHIRPathError) -> NamedType {
        if let known = typeCache[Int(reference)] { return known }
        let isSystem = Self.systemTypes.contains(specifier.name) && specifier.namespace != "FHIR"
        let fhirType = specifier.namespace == "System" ? nil : PathType(named: specifier.name)
        guard isSystem || fhirType != nil || specifier.namespace == "System" else {
            throw FHIRPathError(.semantic, "There is no type \(specifier.name).", at: Int(node.offset))
        }
        let type = NamedType(specifier: specifier, fhirType: fhirType)
        typeCache[Int(reference)] = type
        return type
    }

    /// The type that a criterion asks of the item it is evaluated on, where it asks nothing else: `$this is Observation`.
    mutating func typeOfItem(asked criterion: Reference) throws(FHIRPathError) -> NamedType? {
        let node = syntax[criterion]
        guard case .type(.is, let operand, let specifier) = node.kind else { return nil }
        if let operand {
            guard case .this = syntax[operand].kind else { return nil }
        }
        return try named(specifier, criterion, at: node)
    }

    func apply(
        _ operation: FHIRPathSyntax.TypeOperator, to items: Items, _ type: NamedType, at node: FHIRPathSyntax.Node
    ) throws(FHIRPathError) -> Items {
        switch operation {
        case .is:
            guard let item = try single(items, at: node) else { return [] }
            return [FHIRPathItem(isOf(item, type))]
        case .as:
            guard let item = try single(items, at: node) else { return [] }
            return converted(item, type).map { [$0] } ?? []
        case .ofType:
            return items.compactMap { converted($0, type) }
        }
    }

    func isOf(_ item: FHIRPathItem, _ named: NamedType) -> Bool {
        let type = named.specifier
        switch item.storage {
        case .value(let value): return type.namespace != "FHIR" && (value.typeName == type.name || type.name == "Any")
        case .type: return type.name == "TypeInfo"
        case .node(let node):
            // JSON that the tables do not know has FHIRPath's own types.
            guard let own = node.type else {
                return type.namespace != "FHIR" && node.systemValue?.typeName == type.name
            }
            return named.fhirType.map { own.isA($0) } ?? false
        }
    }

    /// The item if it is of the type. A primitive must be of the very type: a `code` is no `string` here, as the official
    /// tests have it.
    private func converted(_ item: FHIRPathItem, _ named: NamedType) -> FHIRPathItem? {
        let (type, fhirType) = (named.specifier, named.fhirType)
        if case .node(let node) = item.storage, let own = node.type {
            if type.namespace == "System" || (fhirType == nil && own.isPrimitive) {
                guard let value = node.systemValue, value.typeName == type.name else { return nil }
                return FHIRPathItem(value)
            }
            if own.isPrimitive { return own == fhirType ? item : nil }
        }
        return isOf(item, named) ? item : nil
    }

    /// What `type()` gives.
    func typeInformation(of item: FHIRPathItem) -> FHIRPathItem {
        switch item.storage {
        case .value(let value): FHIRPathItem(.type(namespace: "System", name: value.typeName))
        case .type: FHIRPathItem(.type(namespace: "System", name: "TypeInfo"))
        case .node(let node):
            if let type = node.type {
                FHIRPathItem(.type(namespace: "FHIR", name: type.isBackbone ? "BackboneElement" : type.name))
            } else {
                FHIRPathItem(.type(namespace: "System", name: node.systemValue?.typeName ?? "Any"))
            }
        }
    }
}
