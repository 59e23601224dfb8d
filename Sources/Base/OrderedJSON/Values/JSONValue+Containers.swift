extension JSONValue {
    /// The elements of an array; `nil` for other kinds.
    public var elements: JSONElements? {
        switch storage {
        case .parsed(let arena, let index):
            arena.words(in: Int(index), .array).map { JSONElements(items: .parsed(arena, $0)) }
        case .array(let elements): JSONElements(items: .made(elements))
        default: nil
        }
    }

    /// The members of an object; `nil` for other kinds.
    public var members: JSONMembers? {
        switch storage {
        case .parsed(let arena, let index):
            arena.words(in: Int(index), .object).map { JSONMembers(items: .parsed(arena, $0)) }
        case .object(let members): JSONMembers(items: .made(members))
        default: nil
        }
    }

    /// The value of an object's member, of several with the name the last; `nil` when there is none and for
    /// other kinds.
    ///
    /// Names are compared as UTF-8. This is what views with fixed names call: nothing is allocated.
    public func member(_ name: StaticString) -> JSONValue? { member(name.bytes) }

    /// The value of an object's member with a name in UTF-8.
    package func member(_ name: UnsafeBufferPointer<UInt8>) -> JSONValue? {
        switch storage {
        case .parsed(let arena, let index):
            arena.member(of: Int(index), named: name).map { JSONValue(arena, $0) }
        case .object(let members): members.lastIndex(named: name).map { members[$0].value }
        default: nil
        }
    }

    /// The element of an object's member that is an array of one; `nil` for other arrays and kinds.
    @usableFromInline package func onlyElement(of name: StaticString) -> JSONValue? {
        guard let list = member(name) else { return nil }
        switch list.storage {
        case .array(let elements): return elements.count == 1 ? elements[0] : nil
        case .parsed(let arena, let index):
            guard let words = arena.words(in: Int(index), .array), !words.isEmpty else { return nil }
            let isAlone = arena.end(of: words.lowerBound) == words.upperBound
            return isAlone ? JSONValue(arena, words.lowerBound) : nil
        default: return nil
        }
    }

    /// The elements of an object's member that is an array; empty for other kinds.
    @usableFromInline package func elements(of name: StaticString) -> [JSONValue] {
        guard let list = member(name) else { return [] }
        switch list.storage {
        case .array(let elements): return elements
        case .parsed(let arena, let index):
            guard let words = arena.words(in: Int(index), .array) else { return [] }
            var elements: [JSONValue] = []
            var position = words.lowerBound
            while position < words.upperBound {
                elements.append(JSONValue(arena, position))
                position = arena.end(of: position)
            }
            return elements
        default: return []
        }
    }

    /// The first member of an object whose name fulfils a condition on its UTF-8.
    package func firstMember(where isWanted: (UnsafeBufferPointer<UInt8>) -> Bool) -> JSONMember? {
        switch storage {
        case .object(let members): return members.first { $0.hasName(isWanted) }
        case .parsed(let arena, let index):
            guard let words = arena.words(in: Int(index), .object) else { return nil }
            var position = words.lowerBound
            while position < words.upperBound {
                let word = arena.word(position)
                if word.tag == .string
                    ? isWanted(arena.text(word)) : JSONMember(arena, position).hasName(isWanted)
                {
                    return JSONMember(arena, position)
                }
                position = arena.end(of: position + 1)
            }
            return nil
        default: return nil
        }
    }

    /// The value of an object's member, of several with the name the last; `nil` when there is none and for
    /// other kinds.
    ///
    /// Setting replaces the value where the member is and removes others of the same name, or appends a new
    /// member; setting `nil` removes all of the name. A value that is not an object becomes one: `null`, or a
    /// scalar, is replaced.
    public subscript(name: String) -> JSONValue? {
        get {
            var name = name
            return name.withUTF8 { member($0) }
        }
        set { setMember(name, newValue) }
        _modify {
            makeEditable()
            var value = takeMember(name)
            defer { setMember(name, value) }
            yield &value
        }
    }

    /// The element of an array; `nil` when the index is outside and for other kinds.
    ///
    /// Setting an element that is there replaces it, or with `nil` removes it; the index behind the last
    /// appends. A value at another index, and other kinds, are a programmer's error.
    public subscript(index: Int) -> JSONValue? {
        get {
            guard index >= 0 else { return nil }
            if case .array(let elements) = storage { return index < elements.count ? elements[index] : nil }
            return elements?.dropFirst(index).first
        }
        _modify {
            makeEditable()
            guard case .array(var elements) = storage else { preconditionFailure("not an array") }
            // The only reference to the element while it is changed: nothing is copied.
            storage = .null
            var value: JSONValue? = elements.indices.contains(index) ? elements[index] : nil
            if value != nil { elements[index] = .null }
            defer {
                if let value {
                    if index == elements.count { elements.append(value) } else { elements[index] = value }
                } else if elements.indices.contains(index) {
                    elements.remove(at: index)
                }
                storage = .array(elements)
            }
            yield &value
        }
    }

    /// Appends to an array; `null` becomes an array. Other kinds are a programmer's error.
    public mutating func append(_ element: JSONValue) {
        makeEditable()
        switch storage {
        case .null: storage = .array([element])
        case .array(var elements):
            storage = .null
            elements.append(element)
            storage = .array(elements)
        default: preconditionFailure("not an array")
        }
    }

    // MARK: Changing

    /// Makes a parsed array or object one that can change; what is in it stays parsed.
    mutating func makeEditable() {
        guard case .parsed = storage else { return }
        if let members {
            storage = .object(Array(members))
        } else if let elements {
            storage = .array(Array(elements))
        }
    }

    /// Takes out a member's value, to be put back with ``setMember(_:_:)``: the only reference while it is
    /// changed.
    private mutating func takeMember(_ name: String) -> JSONValue? {
        guard case .object(var members) = storage else { return nil }
        storage = .null
        defer { storage = .object(members) }
        guard let index = members.lastIndex(where: { $0.isNamed(equalTo: name) }) else { return nil }
        let value = members[index].value
        members[index] = JSONMember(name: name, value: .null)
        return value
    }

    /// Sets or removes a member, as the subscript does.
    mutating func setMember(_ name: String, _ value: JSONValue?) {
        makeEditable()
        var members: [JSONMember] = []
        if case .object(let current) = storage { members = current } else if value == nil { return }
        // The only reference while it is changed: nothing is copied.
        storage = .null
        defer { storage = .object(members) }
        var name = name
        guard let last = name.withUTF8({ members.lastIndex(named: $0) }) else {
            guard let value else { return }
            // Most elements have few members; growing one by one would take an allocation each.
            if members.count == members.capacity { members.reserveCapacity(members.count * 2 + 4) }
            members.append(JSONMember(name: name, value: value))
            return
        }
        guard let value else { return members.removeAll { $0.isNamed(equalTo: name) } }
        members[last] = JSONMember(name: name, value: value)
        // Others of the name go, in one pass: a stranger's object may have very many.
        guard members.firstIndex(where: { $0.isNamed(equalTo: name) }) != last else { return }
        members = members[..<last].filter { !$0.isNamed(equalTo: name) } + members[last...]
    }
}

extension [JSONMember] {
    /// The index of the last member with a name in UTF-8.
    func lastIndex(named name: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = count
        while index > 0 {
            index -= 1
            if self[index].nameValue.isString(name) { return index }
        }
        return nil
    }
}

extension JSONValue: Hashable {
    /// Whether two values have the same content.
    ///
    /// Numbers are equal when their digits are: 1.0 is not 1.00. The order of an object's members does not
    /// count, but that of members with the same name. White space and the spelling of escapes do not count.
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
        case .array: return (a.elements ?? []).elementsEqual(b.elements ?? [])
        case .object: return (a.members ?? []).hasSameContent(as: b.members ?? [])
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
    fileprivate func hasSameContent(as other: Self) -> Bool {
        var first = self[...]
        var second = other[...]
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
