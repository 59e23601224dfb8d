/// A leaf of a model, with every name under which a data model's document may hold it, today's first.
struct SchemaLeaf: Sendable {
    let names: [String]
    /// The property's path, such as `drugName.title`.
    let property: String
    let type: any LexicalValue.Type
    /// The rules of the leaf itself, not those of the compound around it.
    let rules: [FieldRule]
    /// The text of the value that a property without one has, where its type is no optional.
    let defaultText: String?
    /// Whether nested XML has it in the text of the element itself.
    let isOwnText: Bool

    var name: String { names[0] }

    /// Whether a text is no value of the leaf. It stays where it is until a value replaces it.
    func cannotRead(_ text: String, isField: Bool) -> Bool {
        !text.isEmpty && (isField ? type.failure(ofField: text) : type.failure(of: text)) != nil
    }

    /// Whether a value is only the one a property has for want of a readable one: the original text, or that there is
    /// none, says more.
    func isDefault(_ value: String, for old: String?, isField: Bool) -> Bool {
        value == defaultText && (old.map { $0.isEmpty || cannotRead($0, isField: isField) } ?? true)
    }

    /// Whether two texts of a data model's leaf mean the same value; `nil` and empty are both none.
    func means(_ a: String?, _ b: String?) -> Bool {
        let (a, b) = (a ?? "", b ?? "")
        if a == b { return true }
        return !a.isEmpty && !b.isEmpty && type.isSameValue(a, b, isField: true)
    }
}

extension LexicalValue {
    /// Why a text is no such value.
    static func failure(of text: String) -> LexicalError? {
        do {
            _ = try Self(lexical: text)
            return nil
        } catch {
            return error
        }
    }

    /// Why a text of a data model's field is no such value.
    static func failure(ofField text: String) -> LexicalError? {
        do {
            _ = try fromField(text)
            return nil
        } catch {
            return error
        }
    }

    /// Whether two texts are the same value, perhaps in other spellings.
    static func isSameValue(_ a: String, _ b: String, isField: Bool) -> Bool {
        if isField {
            guard let a = try? fromField(a), let b = try? fromField(b) else { return false }
            return a == b
        }
        guard let a = try? Self(lexical: a), let b = try? Self(lexical: b) else { return false }
        return a == b
    }
}
