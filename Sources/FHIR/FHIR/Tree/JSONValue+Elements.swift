import OrderedJSON

// What the generated accessors call, two thousand of them. Out of line and not specialized, because the
// compiler would make a copy for each type, which takes long to build and hardly makes the code faster.
extension JSONValue {
    // MARK: One value

    @usableFromInline @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func getOne<Value: FHIRValue>(_ name: StaticString) -> Value? {
        guard let member = member(name) else { return nil }
        return Value(tree: member)
    }

    @usableFromInline @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    mutating func setOne(_ name: String, _ value: (some FHIRValue)?) { self[name] = value?.tree }

    // MARK: Several values

    /// The values that can be read; a `null` holds the position of a primitive that has only extensions.
    @usableFromInline @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func getList<Value: FHIRValue>(_ name: StaticString) -> [Value] {
        let elements = elements(of: name)
        // Most lists have one element; growing an array of an unknown type takes longer than reading it.
        if elements.count == 1 {
            guard let value = Value(tree: elements[0]) else { return [] }
            return [value]
        }
        var values: [Value] = []
        for element in elements {
            if let value = Value(tree: element) { values.append(value) }
        }
        return values
    }

    @usableFromInline @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    mutating func setList(_ name: String, _ values: [some FHIRValue]) {
        var trees: [JSONValue] = []
        trees.reserveCapacity(values.count)
        for value in values { trees.append(value.tree) }
        setTrees(name, trees)
    }

    mutating func setTrees(_ name: String, _ trees: [JSONValue]) {
        self[name] = trees.isEmpty ? nil : JSONValue(trees)
        // Extensions of primitives belong to positions; those of positions that are gone go.
        if let siblings = self["_" + name]?.elements, siblings.count > trees.count {
            let kept = JSONValue(siblings.prefix(trees.count))
            self["_" + name] = kept.elements?.allSatisfy(\.isNull) == true ? nil : kept
        }
    }

    // MARK: A choice

    @usableFromInline @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func getChoice<Choice: FHIRChoice>(_ name: StaticString) -> Choice? {
        guard let first = firstMember(where: { Self.isChoice($0, of: name) }) else { return nil }
        if let choice = Choice(first.suffix(after: name), first.value) { return choice }
        // A member that begins so may be another one, or of another type.
        for member in members ?? [] where member.nameValue.withUTF8({ Self.isChoice($0, of: name) }) == true {
            if let choice = Choice(member.suffix(after: name), member.value) { return choice }
        }
        return nil
    }

    @usableFromInline @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    mutating func setChoice<Choice: FHIRChoice>(_ name: String, _ choice: Choice?) {
        let content = choice?.content
        // Names of all types are only made where some member begins as they do.
        if hasMember(beginningWith: name) {
            for suffix in Choice.suffixes where suffix != content?.suffix {
                self[name + suffix] = nil
                self["_" + name + suffix] = nil
            }
        }
        if let content { self[name + content.suffix] = content.tree }
    }

    /// Whether a member's name begins so, after an underscore that it may have.
    private func hasMember(beginningWith name: String) -> Bool {
        var name = name
        return name.withUTF8 { prefix in
            firstMember { member in
                member.dropFirst(member.first == UInt8(ascii: "_") ? 1 : 0).starts(with: prefix)
            } != nil
        }
    }

    /// Whether a name starts with another and continues with a capital letter.
    private static func isChoice(_ name: UnsafeBufferPointer<UInt8>, of prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard name.count > count, (0x41...0x5A).contains(name[count]) else { return false }
        for index in 0..<count where name[index] != prefix.utf8Start[index] { return false }
        return true
    }
}

extension JSONMember {
    /// The end of the name, behind another that it starts with.
    func suffix(after prefix: StaticString) -> String {
        let count = prefix.utf8CodeUnitCount
        return nameValue.withUTF8 { String(decoding: $0.dropFirst(count), as: UTF8.self) } ?? ""
    }
}
