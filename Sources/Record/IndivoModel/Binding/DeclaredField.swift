/// A ``Field`` as a type declares it.
struct DeclaredField: Sendable {
    let property: String
    /// The name in XML and JSON.
    let name: String
    /// Older names, in order of preference.
    var formerly: [String] = []
    var place = FieldSchema.Place.element
    var rules: [FieldRule] = []
    let shape: FieldSchema.Shape
    /// The property's offset in its object or value, in bytes.
    var offset = 0

    /// Every name, today's first.
    var names: [String] { [name] + formerly }

    /// The fields of a compound value.
    static func all<Value: CompoundValue>(of type: Value.Type) -> [DeclaredField] {
        var prototype = Value()
        let properties = StoredProperty.all(of: prototype)
        return withUnsafePointer(to: &prototype) { pointer in
            properties.compactMap { DeclaredField($0, of: UnsafeRawPointer(pointer)) }
        }
    }

    /// The fields of a class of documents, its superclasses' first.
    static func all(of type: IndivoDocument.Type) -> [DeclaredField] {
        let prototype = type.init()
        return withExtendedLifetime(prototype) {
            StoredProperty.all(of: prototype).compactMap { DeclaredField($0, of: prototype.storage) }
        }
    }
}

extension DeclaredField {
    /// `nil` for a property that is not a ``Field``.
    private init?(_ stored: StoredProperty, of prototype: UnsafeRawPointer) {
        guard let type = stored.type as? any AnyField.Type else { return nil }
        let options = type.options(at: prototype + stored.offset)
        let shape = type.shape
        let property = String(stored.name.trimmingPrefix("_"))
        precondition(FieldAccess(shape).type == type, "the shape of \(property) is not its type's")
        self.init(
            property: property,
            name: options.name.isEmpty ? property : options.name,
            formerly: options.formerly,
            place: options.place,
            rules: options.rules(),
            shape: shape,
            offset: stored.offset
        )
    }
}

/// A ``Field``, whatever its value.
private protocol AnyField {
    static var shape: FieldSchema.Shape { get }
    static func options(at place: UnsafeRawPointer) -> FieldOptions
}

extension Field: AnyField {
    fileprivate static var shape: FieldSchema.Shape { Value._shape }

    fileprivate static func options(at place: UnsafeRawPointer) -> FieldOptions {
        // A property of exactly this type lies there, initialised as all are.
        place.assumingMemoryBound(to: Self.self).pointee.options ?? FieldOptions()
    }
}
