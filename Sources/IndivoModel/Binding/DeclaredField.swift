/// A ``Field`` as a type declares it.
struct DeclaredField {
    let property: String
    /// The name in XML and JSON.
    let name: String
    /// Older names, in order of preference.
    var formerly: [String] = []
    var place = FieldPlace.element
    var rules: [FieldRule] = []
    let shape: FieldShape
    /// Where the property lies in its object or value.
    var offset = 0
    var access: any FieldAccess.Type = Field<String?>.self

    /// Every name, today's first.
    var names: [String] { [name] + formerly }

    /// Whether it holds a list of values that stand in a JSON object, each under a name that is one of its own fields.
    var isKeyed: Bool {
        guard shape.isList, case .compound(let type) = shape.kind else { return false }
        return Self.all(of: type).contains { $0.place == .key }
    }

    /// The fields of a compound value.
    static func all<Value: CompoundValue>(of type: Value.Type) -> [DeclaredField] {
        var prototype = Value()
        return withUnsafePointer(to: &prototype) { all(of: type, prototype: UnsafeRawPointer($0)) }
    }

    /// The fields of a class of documents, its superclasses' first.
    static func all(of type: IndivoDocument.Type) -> [DeclaredField] {
        let prototype = type.init()
        return withExtendedLifetime(prototype) { all(of: type, prototype: prototype.storage) }
    }

    private static func all(of type: Any.Type, prototype: UnsafeRawPointer) -> [DeclaredField] {
        RuntimeField.all(of: type).compactMap { field in
            guard let access = field.type as? any FieldAccess.Type else { return nil }
            let property = field.name.hasPrefix("_") ? String(field.name.dropFirst()) : field.name
            let options = access.options(at: prototype + field.offset)
            return DeclaredField(
                property: property, name: options.name.isEmpty ? property : options.name, formerly: options.formerly,
                place: options.place, rules: options.rules(), shape: access.shape, offset: field.offset, access: access)
        }
    }
}

extension IndivoDocument {
    /// Where the object's stored properties are counted from. Valid while the object lives.
    var storage: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}
