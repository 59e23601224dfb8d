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
    /// Where the property lies in its object or value.
    var offset = 0
    var access: any FieldAccess.Type = Field<String?>.self

    /// Every name, today's first.
    var names: [String] { [name] + formerly }

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

    /// The stored properties, as the runtime's reflection metadata lists them: a superclass's first.
    /// `Mirror`, which calls the same three functions, needs an instance every time, and gives no offset.
    private static func all(of type: Any.Type, prototype: UnsafeRawPointer) -> [DeclaredField] {
        (0..<recursiveCount(type)).compactMap { index in
            var metadata = FieldMetadata(name: nil, free: nil, isStrong: false, isVar: false)
            let fieldType = recursiveChildMetadata(type, index: index, metadata: &metadata)
            defer { metadata.free?(metadata.name) }
            guard let access = fieldType as? any FieldAccess.Type, let name = metadata.name else {
                return nil
            }
            let property = String(String(cString: name).trimmingPrefix("_"))
            let offset = recursiveChildOffset(type, index: index)
            let options = access.options(at: prototype + offset)
            return DeclaredField(
                property: property,
                name: options.name.isEmpty ? property : options.name,
                formerly: options.formerly,
                place: options.place,
                rules: options.rules(),
                shape: access.shape,
                offset: offset,
                access: access
            )
        }
    }
}

/// The layout of the standard library's `_FieldReflectionMetadata`.
private struct FieldMetadata {
    var name: UnsafePointer<CChar>?
    var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
    var isStrong: Bool
    var isVar: Bool
}

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func recursiveCount(_: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func recursiveChildMetadata(_: Any.Type, index: Int, metadata: UnsafeMutablePointer<FieldMetadata>)
    -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func recursiveChildOffset(_: Any.Type, index: Int) -> Int
