import FHIRTables

/// `is`, `as` and `ofType` (FHIRPath section 6.3).
extension FHIRPathEvaluation {
    private static let systemTypes: Set<String> = [
        "Any", "Boolean", "Integer", "Long", "Decimal", "String", "Date", "DateTime", "Time", "Quantity",
    ]

    func apply(
        _ operation: FHIRPathSyntax.TypeOperator, to items: Items, _ type: FHIRPathSyntax.TypeSpecifier,
        at node: FHIRPathSyntax.Node
    ) throws(FHIRPathError) -> Items {
        let isSystem = Self.systemTypes.contains(type.name) && type.namespace != "FHIR"
        let fhirType = type.namespace == "System" ? nil : PathType(named: type.name)
        guard isSystem || fhirType != nil || type.namespace == "System" || Self.isUndefinedResource(type) else {
            throw FHIRPathError(.semantic, "There is no type \(type.name).", at: Int(node.offset))
        }
        switch operation {
        case .is:
            guard let item = try single(items, at: node) else { return [] }
            return [FHIRPathItem(isOf(item, type, fhirType))]
        case .as:
            guard let item = try single(items, at: node) else { return [] }
            return converted(item, type, fhirType).map { [$0] } ?? []
        case .ofType:
            return items.compactMap { converted($0, type, fhirType) }
        }
    }

    /// Whether it is a resource of R4 that the tables only know by name.
    private static func isUndefinedResource(_ type: FHIRPathSyntax.TypeSpecifier) -> Bool {
        type.namespace != "System" && Definitions.r4.resourceNames.contains(type.name)
    }

    private func isOf(
        _ item: FHIRPathItem, _ type: FHIRPathSyntax.TypeSpecifier, _ fhirType: PathType?
    ) -> Bool {
        switch item.storage {
        case .value(let value): return type.namespace != "FHIR" && (value.typeName == type.name || type.name == "Any")
        case .type: return type.name == "TypeInfo"
        case .node(let node):
            if fhirType == nil, Self.isUndefinedResource(type) { return node.json?.resourceType == type.name }
            // JSON that the tables do not know has FHIRPath's own types.
            guard let own = node.type else {
                return type.namespace != "FHIR" && node.systemValue?.typeName == type.name
            }
            guard let fhirType else { return false }
            var current: PathType? = own
            while let candidate = current {
                if candidate == fhirType { return true }
                current = candidate.base
            }
            return false
        }
    }

    /// The item if it is of the type. A primitive must be of the very type: a `code` is no `string` here, as the official
    /// tests have it.
    private func converted(
        _ item: FHIRPathItem, _ type: FHIRPathSyntax.TypeSpecifier, _ fhirType: PathType?
    ) -> FHIRPathItem? {
        if case .node(let node) = item.storage, let own = node.type {
            if type.namespace == "System" || (fhirType == nil && own.isPrimitive) {
                guard let value = node.systemValue, value.typeName == type.name else { return nil }
                return FHIRPathItem(value)
            }
            if own.isPrimitive { return own == fhirType ? item : nil }
        }
        return isOf(item, type, fhirType) ? item : nil
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
