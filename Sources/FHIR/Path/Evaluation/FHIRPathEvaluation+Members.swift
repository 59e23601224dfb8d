import OrderedJSON

/// Going from elements to their parts (FHIRPath section 3).
extension FHIRPathEvaluation {
    mutating func members(
        _ name: String, of items: Items, isRoot: Bool, _ reference: Reference, _ position: FHIRPathSyntax.Node
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
                } else {
                    try append(member: name, of: node, to: &result, reference, position)
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
    private func checkCast(before name: String, _ position: FHIRPathSyntax.Node) throws(FHIRPathError) {
        guard case .member(let base?, _) = position.kind, case .type(let operation, _, let specifier) = syntax[base].kind,
            operation != .is, let type = PathType(named: specifier.name), type.element(named: name) == nil
        else { return }
        throw FHIRPathError(.semantic, "\(type.name) has no element \(name).", at: Int(position.offset))
    }

    private mutating func append(
        member name: String, of node: PathNode, to result: inout Items, _ reference: Reference,
        _ position: FHIRPathSyntax.Node
    ) throws(FHIRPathError) {
        guard let json = node.json, json.kind == .object else {
            // A primitive: its id and extensions are in the sibling.
            if let sibling = node.sibling {
                node.forEachChild(of: sibling, named: name, element: PathType.primitivePart(name)) { child in
                    result.append(FHIRPathItem(child))
                }
            }
            return
        }
        let element = node.type.flatMap { cachedElement(name, of: $0, reference) }
        if let element, element.isChoice {
            node.forEachChoice(of: json, element) { result.append(FHIRPathItem($0)) }
            return
        }
        if element == nil, let type = node.type, name != "resourceType" {
            guard !context.isStrict else {
                throw FHIRPathError(.semantic, "\(type.name) has no element \(name).", at: Int(position.offset))
            }
            // `valueQuantity`, as JSON writes the choice `value`.
            if let choice = type.choice(writtenAs: name) {
                node.forEachChild(of: json, named: name, element: choice) { result.append(FHIRPathItem($0)) }
                return
            }
        }
        node.forEachChild(of: json, named: name, element: element) { result.append(FHIRPathItem($0)) }
    }

    private mutating func cachedElement(
        _ name: String, of type: PathType, _ reference: Reference
    ) -> PathElement? {
        if let cached = elementCache[Int(reference)], cached.type == type { return cached.element }
        let element = type.element(named: name)
        elementCache[Int(reference)] = (type, element)
        return element
    }
}

extension PathNode {
    /// Whether the node's type, or one that it is based on, has the name.
    func isNamed(_ name: String) -> Bool {
        guard let type else { return json?.resourceType == name }
        return type.name == name || PathType(named: name).map { type.isA($0) } ?? false
    }

    /// The parts with a JSON name: one, or those of an array, each with its own sibling.
    func forEachChild(
        of json: JSONValue, named name: String, element: PathElement?, _ body: (PathNode) -> Void
    ) {
        let value = json[name]
        let type = element?.type
        // Only primitives have siblings.
        let sibling = type?.isPrimitive ?? true ? json["_" + name] : nil
        forEachChild(value, sibling, type: type, body)
    }

    private func forEachChild(
        _ value: JSONValue?, _ sibling: JSONValue?, type: PathType?, _ body: (PathNode) -> Void
    ) {
        guard let elements = value?.elements ?? (value == nil || value?.isNull == true ? sibling?.elements : nil) else {
            let value = value?.isNull == true ? nil : value
            if value != nil || sibling?.kind == .object { body(PathNode(json: value, sibling: sibling, type: type)) }
            return
        }
        guard let siblings = sibling?.elements else {
            for element in elements where !element.isNull { body(PathNode(json: element, sibling: nil, type: type)) }
            return
        }
        // The arrays run side by side, with null where one has nothing.
        let values = value?.elements.map(Array.init) ?? []
        let others = Array(siblings)
        for index in 0..<max(values.count, others.count) {
            let value = index < values.count && !values[index].isNull ? values[index] : nil
            let other = index < others.count && !others[index].isNull ? others[index] : nil
            if value != nil || other != nil { body(PathNode(json: value, sibling: other, type: type)) }
        }
    }

    /// The part that is one of several types, whichever is there.
    func forEachChoice(of json: JSONValue, _ element: PathElement, _ body: (PathNode) -> Void) {
        guard let members = json.members else { return }
        for member in members where member.begins(with: element.nameBytes) {
            let found = member.nameValue.withUTF8 { name -> (isSibling: Bool, type: PathType)? in
                let isSibling = name.first == UInt8(ascii: "_")
                let bare = UnsafeBufferPointer(rebasing: name[(isSibling ? 1 : 0)...])
                return element.type(writtenAs: bare).map { (isSibling, $0) }
            }
            guard let (isSibling, type) = found ?? nil else { continue }
            let name = member.name
            // With both a value and a sibling the value comes by, with its sibling.
            if isSibling {
                if json[String(name.dropFirst())] == nil { forEachChild(nil, member.value, type: type, body) }
            } else {
                forEachChild(member.value, type.isPrimitive ? json["_" + name] : nil, type: type, body)
            }
        }
    }

    /// All parts in the order in which they are written.
    func forEachChild(_ body: (PathNode) -> Void) {
        guard let object = json?.kind == .object ? json : sibling, let members = object.members else { return }
        let isSibling = json?.kind != .object
        for member in members {
            let name = member.name
            if name == "resourceType" { continue }
            if name.first == "_" {
                let bare = String(name.dropFirst())
                if object[bare] == nil { forEachChild(nil, member.value, type: childType(bare, isSibling), body) }
                continue
            }
            let type = childType(name, isSibling)
            forEachChild(member.value, type?.isPrimitive ?? true ? object["_" + name] : nil, type: type, body)
        }
    }

    private func childType(_ name: String, _ isSibling: Bool) -> PathType? {
        if isSibling { return PathType.primitivePart(name)?.type }
        guard let type else { return nil }
        return (type.element(named: name) ?? type.choice(writtenAs: name))?.type
    }
}
