import OrderedJSON

// What the generated accessors call, two thousand of them. Who reads gets a copy for each type that it reads,
// since types that are looked up at run time take half of a read's time. What sets is out of line and not
// specialized: copies take long to build and hardly make the code faster.
extension JSONValue {
    // MARK: One value

    @_alwaysEmitIntoClient
    func getOne<Value: FHIRValue>(_ name: StaticString) -> Value? {
        guard let member = member(name) else { return nil }
        return Value(tree: member)
    }

    @usableFromInline @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    mutating func setOne(_ name: String, _ value: (some FHIRValue)?) { self[name] = value?.tree }

    // MARK: Several values

    /// The values that can be read; a `null` holds the position of a primitive that has only extensions.
    @_alwaysEmitIntoClient
    func getList<Value: FHIRValue>(_ name: StaticString) -> [Value] {
        // Most lists have one element, which needs no list of JSON.
        if let element = onlyElement(of: name) {
            guard let value = Value(tree: element) else { return [] }
            return [value]
        }
        var values: [Value] = []
        for element in elements(of: name) {
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

    @_alwaysEmitIntoClient
    func getChoice<Choice: FHIRChoice>(_ name: StaticString) -> Choice? {
        guard let first = firstChoice(of: name) else { return nil }
        if let choice = Choice(first.suffix, first.tree) { return choice }
        // A member that begins so may be another one, or of another type.
        for other in choices(of: name) {
            if let choice = Choice(other.suffix, other.tree) { return choice }
        }
        return nil
    }

    /// The first member that may be the choice: its name begins so, and goes on with a capital letter.
    @usableFromInline
    func firstChoice(of name: StaticString) -> (suffix: String, tree: JSONValue)? {
        firstMember { Self.isChoice($0, of: name) }.map { ($0.suffix(after: name), $0.value) }
    }

    @usableFromInline
    func choices(of name: StaticString) -> [(suffix: String, tree: JSONValue)] {
        let named = (members ?? []).filter { member in
            member.nameValue.withUTF8 { Self.isChoice($0, of: name) } == true
        }
        return named.map { ($0.suffix(after: name), $0.value) }
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
