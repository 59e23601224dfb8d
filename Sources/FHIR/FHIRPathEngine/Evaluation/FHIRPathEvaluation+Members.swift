/// Going from elements to their parts (FHIRPath section 3).
extension FHIRPathEvaluation {
    mutating func members(
        _ name: String,
        of items: Items,
        isRoot: Bool,
        _ position: Node
    ) throws(FHIRPathError) -> Items {
        var result: Items = []
        result.reserveCapacity(items.count)
        if context.isStrict { try checkCast(before: name, position) }
        for item in items {
            try spend(at: position)
            switch item.storage {
            case .node(let node):
                // `Patient.name` on a patient begins with its own type, or one that that is based on.
                if isRoot, node.json?.kind == .object, node.isNamed(name) {
                    result.append(item)
                } else if isRoot, let resource = context.resource, resource.resourceType == name {
                    // At a part of a resource, a path from the resource's own type begins at the resource.
                    result.append(FHIRPathItem(resource))
                } else if !node.forEachPart(
                    named: name,
                    isStrict: context.isStrict,
                    { result.append(FHIRPathItem($0)) }
                ) {
                    let type = node.typeName ?? "The type"
                    throw failure("\(type) has no element \(name).", .semantic, at: position)
                }
            case .value(.quantity(let quantity)):
                if name == "value" { result.append(FHIRPathItem(.decimal(quantity.value))) }
                if name == "unit" || name == "code" {
                    switch quantity.unit {
                    case .ucum(let code): result.append(FHIRPathItem(code))
                    case .calendar(let unit): result.append(FHIRPathItem(unit.rawValue))
                    }
                }
            case .value: break
            case .type(let namespace, let typeName):
                if name == "namespace" { result.append(FHIRPathItem(namespace)) }
                if name == "name" { result.append(FHIRPathItem(typeName)) }
            }
        }
        return try checked(result, at: position)
    }

    /// What follows `as Type` is an element of that type, whatever comes at run time.
    private func checkCast(before name: String, _ position: Node) throws(FHIRPathError) {
        guard case .member(let base?, _) = position.kind,
            case .type(let operation, _, let specifier) = syntax[base].kind,
            operation != .is, let type = PathType(named: specifier.name), type.element(named: name) == nil
        else { return }
        throw failure("\(type.name) has no element \(name).", .semantic, at: position)
    }
}
