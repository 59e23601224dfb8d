import OrderedJSON

/// The parts of elements.
extension TreeNode {
    /// Whether the node's type, or one that it is based on, has the name.
    func isNamed(_ name: String) -> Bool {
        guard let type else {
            return json?.typeMember?.read { $0.elementsEqual(name.utf8) } ?? false
        }
        return type.name == name || PathType(named: name).map { type.isA($0) } ?? false
    }

    /// Calls `body` with the parts that a name in an expression stands for.
    ///
    /// - Parameter isStrict: Whether a name that the node's type does not have is not searched for.
    /// - Returns: False for such a name.
    @discardableResult
    func forEachPart(named name: String, isStrict: Bool = false, _ body: (TreeNode) -> Void) -> Bool {
        guard let json, json.kind == .object else {
            // A primitive: its id and extensions are in the sibling.
            if let sibling {
                forEachChild(of: sibling, named: name, type: PathType.primitivePart(name)?.type, body)
            }
            return true
        }
        let element = type?.element(named: name)
        if let element, element.isChoice {
            forEachChoice(of: json, element, body)
            return true
        }
        if element == nil, let type, name != "resourceType" {
            if isStrict { return false }
            // `valueQuantity`, as JSON writes the choice `value`.
            forEachChild(of: json, named: name, type: type.choice(writtenAs: name)?.type, body)
            return true
        }
        forEachChild(of: json, named: name, type: element?.type, body)
        return true
    }

    /// The parts with a JSON name: one, or those of an array, each with its own sibling.
    private func forEachChild(of json: Tree, named name: String, type: PathType?, _ body: (TreeNode) -> Void)
    {
        // Only primitives have siblings.
        let sibling = type?.isPrimitive ?? true ? json.sibling(named: name) : nil
        Self.forEachChild(json.member(named: name), sibling, type: type, body)
    }

    private static func forEachChild(
        _ value: Tree?,
        _ sibling: Tree?,
        type: PathType?,
        _ body: (TreeNode) -> Void
    ) {
        let value = value?.kind == .null ? nil : value
        guard (value ?? sibling)?.kind == .array else {
            if value != nil || sibling?.kind == .object {
                body(TreeNode(json: value, sibling: sibling, type: type))
            }
            return
        }
        guard let others = sibling?.list else {
            value?.forEachElement { element in
                if element.kind != .null { body(TreeNode(json: element, sibling: nil, type: type)) }
            }
            return
        }
        // The arrays run side by side, with null where one has nothing.
        let values = value?.list ?? []
        for index in 0..<max(values.count, others.count) {
            let value = index < values.count && values[index].kind != .null ? values[index] : nil
            let other = index < others.count && others[index].kind != .null ? others[index] : nil
            if value != nil || other != nil { body(TreeNode(json: value, sibling: other, type: type)) }
        }
    }

    /// The part that is one of several types, whichever is there.
    private func forEachChoice(of json: Tree, _ element: PathElement, _ body: (TreeNode) -> Void) {
        var prefix = element.name
        prefix.withUTF8 { prefix in
            json.forEachMember(beginningWith: prefix) { name, value in
                choice(name, value, of: json, element, body)
            }
        }
    }

    private func choice(
        _ name: Tree,
        _ value: Tree,
        of json: Tree,
        _ element: PathElement,
        _ body: (TreeNode) -> Void
    ) {
        let found = name.read { name -> (isSibling: Bool, type: PathType)? in
            let isSibling = name.first == UInt8(ascii: "_")
            return element.type(writtenAs: isSibling ? UnsafeBufferPointer(rebasing: name.dropFirst()) : name)
                .map { (isSibling, $0) }
        }
        guard let (isSibling, type) = found ?? nil else { return }
        if isSibling {
            // With both a value and a sibling the value comes by, with its sibling.
            let hasValue =
                name.read { json.member(UnsafeBufferPointer(rebasing: $0.dropFirst())) != nil } ?? false
            if !hasValue { Self.forEachChild(nil, value, type: type, body) }
        } else {
            let sibling =
                type.isPrimitive
                ? name.read { json.sibling(named: String(decoding: $0, as: UTF8.self)) } ?? nil : nil
            Self.forEachChild(value, sibling, type: type, body)
        }
    }

    /// All parts in the order in which they are written.
    func forEachChild(_ body: (TreeNode) -> Void) {
        guard let object = json?.kind == .object ? json : sibling else { return }
        let isSibling = json?.kind != .object
        // Siblings by name, so that an untrusted object of very many members does not take quadratic time.
        var members: [(name: String, value: Tree)] = []
        var siblings: [String: Tree] = [:]
        object.forEachMember(beginningWith: UnsafeBufferPointer(start: nil, count: 0)) { name, value in
            guard let name = name.read({ String(decoding: $0, as: UTF8.self) }), name != "resourceType" else {
                return
            }
            members.append((name, value))
            if name.utf8.first == UInt8(ascii: "_") { siblings[String(name.dropFirst())] = value }
        }
        let names: Set<String> = siblings.isEmpty ? [] : Set(members.lazy.map(\.name))
        for (name, value) in members {
            if name.utf8.first == UInt8(ascii: "_") {
                let bare = String(name.dropFirst())
                if !names.contains(bare) {
                    Self.forEachChild(nil, value, type: childType(bare, isSibling), body)
                }
                continue
            }
            let type = childType(name, isSibling)
            Self.forEachChild(value, type?.isPrimitive ?? true ? siblings[name] : nil, type: type, body)
        }
    }

    private func childType(_ name: String, _ isSibling: Bool) -> PathType? {
        if isSibling { return PathType.primitivePart(name)?.type }
        guard let type else { return nil }
        return (type.element(named: name) ?? type.choice(writtenAs: name))?.type
    }
}
