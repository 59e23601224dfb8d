import FHIR

/// `is`, `as` and `ofType` (FHIRPath section 6.3).
extension FHIRPathEvaluation {
    /// - Throws: where a type is named that does not exist.
    func check(_ type: TypeSpecifier, at node: Node) throws(FHIRPathError) {
        guard type.isKnown else {
            throw failure("There is no type \(type.name).", .semantic, at: node)
        }
    }

    /// The type that a criterion asks of the item it is evaluated on, where it asks nothing else: `$this is
    /// Observation`.
    func typeOfItem(asked criterion: Reference) -> TypeSpecifier? {
        syntax.typeOfItem(asked: criterion)
    }

    func apply(
        _ operation: FHIRPathSyntax.TypeOperator,
        to items: Items,
        _ type: TypeSpecifier,
        at node: Node
    ) throws(FHIRPathError) -> Items {
        try check(type, at: node)
        switch operation {
        case .is:
            guard let item = try single(items, at: node) else { return [] }
            return [FHIRPathItem(isOf(item, type))]
        case .as where !context.castsEachItem:
            guard let item = try single(items, at: node) else { return [] }
            return converted(item, type).map { [$0] } ?? []
        case .as, .ofType:
            return items.compactMap { converted($0, type) }
        }
    }

    func isOf(_ item: FHIRPathItem, _ type: TypeSpecifier) -> Bool {
        switch item.storage {
        case .value(let value):
            return type.namespace != "FHIR" && (value.typeName == type.name || type.name == "Any")
        case .type: return type.name == "TypeInfo"
        case .node(let node):
            // JSON that the tables do not know has FHIRPath's own types.
            guard let own = node.type else {
                return type.namespace != "FHIR" && node.systemValue?.typeName == type.name
            }
            return type.fhirType.map { own.isA($0) } ?? false
        }
    }

    func isOf(_ node: BorrowedNode, _ type: TypeSpecifier) -> Bool {
        guard let own = node.type else { return isOf(FHIRPathItem(PathNode(node)), type) }
        return type.fhirType.map { own.isA($0) } ?? false
    }

    /// The item if it is of the type. A primitive must be of the very type: a `code` is no `string` here, as
    /// the official tests have it.
    private func converted(_ item: FHIRPathItem, _ type: TypeSpecifier) -> FHIRPathItem? {
        let fhirType = type.fhirType
        if case .node(let node) = item.storage, let own = node.type {
            if type.namespace == "System" || (fhirType == nil && own.isPrimitive) {
                guard let value = node.systemValue, value.typeName == type.name else { return nil }
                return FHIRPathItem(value)
            }
            if own.isPrimitive { return own == fhirType ? item : nil }
        }
        return isOf(item, type) ? item : nil
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
