import OrderedJSON

// What the generated accessors call, two thousand of them. Out of line and not specialized, because the
// compiler would make a copy for each type, which takes long to build and hardly makes the code faster.
extension JSONValue {
    // MARK: One value

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func getOne<Value: FHIRValue>(_ name: StaticString) -> Value? { member(name).flatMap(Value.init(tree:)) }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    mutating func setOne(_ name: StaticString, _ value: (some FHIRValue)?) {
        self[name.description] = value?.tree
    }

    // MARK: Several values

    /// The values that can be read; a `null` holds the position of a primitive that has only extensions.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func getList<Value: FHIRValue>(_ name: StaticString) -> [Value] {
        member(name)?.elements?.compactMap(Value.init(tree:)) ?? []
    }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    mutating func setList(_ name: StaticString, _ values: [some FHIRValue]) {
        let name = name.description
        self[name] = values.isEmpty ? nil : JSONValue(values.map(\.tree))
        // Extensions of primitives belong to positions; those of positions that are gone go.
        if let siblings = self["_" + name]?.elements, siblings.count > values.count {
            let kept = JSONValue(siblings.prefix(values.count))
            self["_" + name] = kept.elements?.allSatisfy(\.isNull) == true ? nil : kept
        }
    }

    // MARK: A choice

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func getChoice<Choice: FHIRChoice>(_ name: StaticString) -> Choice? {
        for member in members ?? [] {
            if let suffix = member.suffix(after: name), let choice = Choice(suffix, member.value) {
                return choice
            }
        }
        return nil
    }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    mutating func setChoice<Choice: FHIRChoice>(_ name: StaticString, _ choice: Choice?) {
        let content = choice?.content
        let name = name.description
        for suffix in Choice.suffixes where suffix != content?.suffix {
            let member = name + suffix
            if self[member] != nil { self[member] = nil }
            if self["_" + member] != nil { self["_" + member] = nil }
        }
        if let content {
            self[name + content.suffix] = content.tree
        } else {
            removeChoice(name, of: Choice.self)
        }
    }

    private mutating func removeChoice<Choice: FHIRChoice>(_ name: String, of type: Choice.Type) {
        for suffix in Choice.suffixes { self[name + suffix] = nil }
    }
}

extension JSONMember {
    /// The end of the name, where it starts with another and continues with a capital letter.
    func suffix(after prefix: StaticString) -> String? {
        let start = UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
        return nameValue.withUTF8 { name -> String? in
            guard name.count > start.count, (0x41...0x5A).contains(name[start.count]),
                name.starts(with: start)
            else { return nil }
            return String(decoding: name[start.count...], as: UTF8.self)
        } ?? nil
    }
}
