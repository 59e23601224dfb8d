extension JSONValue: Hashable {
    /// Whether two values have the same content.
    ///
    /// Numbers are equal when their digits are: 1.0 is not 1.00. The order of an object's members does not count, but
    /// that of members with the same name. White space and the spelling of escapes do not count.
    public static func == (a: Self, b: Self) -> Bool {
        if case (.parsed(let arena, let index), .parsed(let other, let otherIndex)) = (a.storage, b.storage),
            arena === other, index == otherIndex
        {
            return true
        }
        let kind = a.kind
        guard kind == b.kind else { return false }
        switch kind {
        case .null: return true
        case .boolean: return a.boolean == b.boolean
        case .number, .string:
            return a.withUTF8 { text in b.withUTF8 { text.elementsEqual($0) } ?? false } ?? false
        case .array:
            guard let a = a.elements, let b = b.elements else { return false }
            return a.elementsEqual(b)
        case .object:
            guard let a = a.members, let b = b.members else { return false }
            return JSONMembers.haveSameContent(a, b)
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch kind {
        case .null: break
        case .boolean: hasher.combine(boolean)
        case .number, .string: _ = withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .array: elements?.forEach { hasher.combine($0) }
        case .object:
            // The same for every order of the members.
            var sum = 0
            for member in members ?? [] {
                var one = Hasher()
                one.combine(member.nameValue)
                one.combine(member.value)
                sum &+= one.finalize()
            }
            hasher.combine(sum)
        }
    }
}

extension JSONMembers {
    fileprivate static func haveSameContent(_ a: Self, _ b: Self) -> Bool {
        var first = a[...]
        var second = b[...]
        // The same order is the rule.
        while let one = first.first, let other = second.first, one.nameValue == other.nameValue {
            guard one.value == other.value else { return false }
            first = first.dropFirst()
            second = second.dropFirst()
        }
        if first.isEmpty || second.isEmpty { return first.isEmpty && second.isEmpty }
        let byName = Dictionary(grouping: first, by: \.nameValue)
        let otherByName = Dictionary(grouping: second, by: \.nameValue)
        return byName.count == otherByName.count
            && byName.allSatisfy { name, members in
                otherByName[name].map { others in members.map(\.value) == others.map(\.value) } ?? false
            }
    }
}
