import OrderedJSON

/// The position of a property of a profile's view in JSON: an element, a slice of one, or an extension.
///
/// Generated views read and write their properties with these; there is no need to make one by hand.
public struct FHIRProfileMember: Sendable {
    private enum Kind: Sendable {
        case element(StaticString, isList: Bool)
        case slice(StaticString, pattern: JSONValue)
        case extensions(StaticString, url: String, suffix: String?)
        case primitiveExtensions(StaticString, url: String, suffix: String?)
    }

    private let kind: Kind

    /// An element by its name in JSON.
    ///
    /// - Parameter isList: Whether JSON has it in an array, also where the profile allows only one.
    public static func element(_ name: StaticString, isList: Bool = false) -> Self {
        Self(kind: .element(name, isList: isList))
    }

    /// The elements of an array that match a pattern (FHIR R4, `ElementDefinition.pattern[x]`). A value that
    /// is set gets the pattern, too.
    public static func slice(of name: StaticString, _ pattern: JSONValue) -> Self {
        Self(kind: .slice(name, pattern: pattern))
    }

    /// Extensions with a URL.
    ///
    /// - Parameters:
    ///   - suffix: The type of the value as it ends its name, as in `valueCode`; `nil` for the extension
    ///     itself.
    ///   - isModifier: Whether they are modifier extensions.
    public static func `extension`(
        _ url: String,
        value suffix: String? = nil,
        isModifier: Bool = false
    ) -> Self {
        let list: StaticString = isModifier ? "modifierExtension" : "extension"
        return Self(kind: .extensions(list, url: url, suffix: suffix))
    }

    /// Extensions with a URL of a primitive element, which JSON keeps in `_name`.
    public static func `extension`(_ url: String, value suffix: String? = nil, of name: StaticString) -> Self
    {
        Self(kind: .primitiveExtensions(name, url: url, suffix: suffix))
    }

    // MARK: Reading

    /// The first value that can be read.
    public func one<Value: FHIRValue>(in tree: JSONValue) -> Value? {
        for value in values(in: tree) {
            if let value = Value(tree: value) { return value }
        }
        return nil
    }

    /// The values that can be read.
    public func list<Value: FHIRValue>(in tree: JSONValue) -> [Value] {
        values(in: tree).compactMap(Value.init(tree:))
    }

    /// The value of a choice: of the element itself, or of the first extension.
    public func choice<Choice: FHIRChoice>(in tree: JSONValue) -> Choice? {
        if case .element(let name, _) = kind { return tree.getChoice(name) }
        return values(in: tree).first?.getChoice("value")
    }

    /// The values of extensions that may be of several types.
    public func choices<Choice: FHIRChoice>(in tree: JSONValue) -> [Choice] {
        values(in: tree).compactMap { $0.getChoice("value") }
    }

    // MARK: Writing

    /// Sets the only value; `nil` removes it.
    public func set<Value: FHIRValue>(_ value: Value?, in tree: inout JSONValue) {
        replace(value.map { [$0.tree] } ?? [], in: &tree)
    }

    /// Sets all values.
    public func setList<Value: FHIRValue>(_ values: [Value], in tree: inout JSONValue) {
        replace(values.map(\.tree), in: &tree)
    }

    /// Sets the value of a choice; `nil` removes it.
    public func setChoice<Choice: FHIRChoice>(_ choice: Choice?, in tree: inout JSONValue) {
        if case .element(let name, _) = kind { return tree.setChoice(name.description, choice) }
        setChoices(choice.map { [$0] } ?? [], in: &tree)
    }

    /// Sets the values of extensions that may be of several types.
    public func setChoices<Choice: FHIRChoice>(_ choices: [Choice], in tree: inout JSONValue) {
        let old = values(in: tree)
        let new = choices.enumerated().map { index, choice in
            var part: JSONValue = old.indices.contains(index) ? old[index] : [:]
            part.setChoice("value", choice)
            return part
        }
        replace(new, in: &tree)
    }

    // MARK: JSON

    private func values(in tree: JSONValue) -> [JSONValue] {
        switch kind {
        case .element(let name, let isList):
            guard let member = tree.member(name) else { return [] }
            return isList ? member.elements.map(Array.init) ?? [] : [member]
        case .slice(let name, let pattern):
            return (tree.member(name)?.elements ?? []).filter { $0.matches(pattern) }
        case .extensions(let list, let url, let suffix):
            return Self.extensions(in: tree.member(list), url, suffix)
        case .primitiveExtensions(let name, let url, let suffix):
            return Self.extensions(in: tree["_\(name)"]?.member("extension"), url, suffix)
        }
    }

    private static func extensions(in list: JSONValue?, _ url: String, _ suffix: String?) -> [JSONValue] {
        let known = (list?.elements ?? []).filter { $0.member("url")?.isString(equalTo: url) == true }
        guard let suffix else { return known }
        return known.compactMap { $0["value\(suffix)"] }
    }

    private func replace(_ values: [JSONValue], in tree: inout JSONValue) {
        switch kind {
        case .element(let name, let isList):
            if isList {
                tree.setTrees(name.description, values)
            } else {
                tree[name.description] = values.first
            }
        case .slice(let name, let pattern):
            let filled = values.map { $0.filled(with: pattern) }
            Self.replace(filled, in: &tree, name.description) { $0.matches(pattern) }
        case .extensions(let list, let url, let suffix):
            Self.replaceExtensions(values, in: &tree, list.description, url, suffix)
        case .primitiveExtensions(let name, let url, let suffix):
            let sibling = "_\(name)"
            var element = tree[sibling] ?? [:]
            Self.replaceExtensions(values, in: &element, "extension", url, suffix)
            tree[sibling] = element.members?.isEmpty == true ? nil : element
        }
    }

    private static func replaceExtensions(
        _ values: [JSONValue],
        in tree: inout JSONValue,
        _ list: String,
        _ url: String,
        _ suffix: String?
    ) {
        let new = values.map { value -> JSONValue in
            if let suffix { return ["url": JSONValue(url), "value\(suffix)": value] }
            return value.filled(with: ["url": JSONValue(url)])
        }
        replace(new, in: &tree, list) { $0.member("url")?.isString(equalTo: url) == true }
    }

    /// Replaces values where they are, and adds the remaining ones at the end.
    private static func replace(
        _ values: [JSONValue],
        in tree: inout JSONValue,
        _ name: String,
        _ isReplaced: (JSONValue) -> Bool
    ) {
        var rest = values[...]
        var elements: [JSONValue] = []
        for element in tree[name]?.elements ?? [] {
            if !isReplaced(element) {
                elements.append(element)
            } else if let value = rest.popFirst() {
                elements.append(value)
            }
        }
        tree.setTrees(name, elements + rest)
    }
}

extension JSONValue {
    /// Whether a value matches a pattern: an object in its members, an array in each element, at any index.
    fileprivate func matches(_ pattern: JSONValue) -> Bool {
        if let members = pattern.members {
            return members.allSatisfy { member in self[member.name]?.matches(member.value) ?? false }
        }
        if let elements = pattern.elements {
            let own = self.elements.map(Array.init) ?? []
            return elements.allSatisfy { element in own.contains { $0.matches(element) } }
        }
        return self == pattern
    }

    /// The value, completed with what it lacks of a pattern.
    fileprivate func filled(with pattern: JSONValue) -> JSONValue {
        if let members = pattern.members {
            guard kind == .object else { return pattern }
            var filled = self
            for member in members {
                filled[member.name] = filled[member.name]?.filled(with: member.value) ?? member.value
            }
            return filled
        }
        if let elements = pattern.elements {
            guard let own = self.elements else { return pattern }
            let missing = elements.filter { element in !own.contains { $0.matches(element) } }
            return missing.isEmpty ? self : JSONValue(Array(own) + missing)
        }
        return pattern
    }
}
