/// The stored properties of a type, as the runtime's reflection metadata lists them: a superclass's first.
///
/// `Mirror` sees the same but needs an instance every time and costs microseconds; these three functions of the
/// standard library (which `Mirror` itself calls) give name, type and offset once and for all.
/// Compiling with `-disable-reflection-metadata` takes the names away; ``Layout`` then says so.
struct RuntimeField {
    let name: String
    let type: Any.Type
    let offset: Int

    static func all(of type: Any.Type) -> [RuntimeField] {
        (0..<recursiveCount(type)).compactMap { index in
            var metadata = FieldMetadata(name: nil, free: nil, isStrong: false, isVar: false)
            let fieldType = recursiveChildMetadata(type, index: index, metadata: &metadata)
            defer { metadata.free?(metadata.name) }
            guard let name = metadata.name else { return nil }
            return RuntimeField(
                name: String(cString: name), type: fieldType, offset: recursiveChildOffset(type, index: index))
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
private func recursiveChildMetadata(
    _: Any.Type, index: Int, metadata: UnsafeMutablePointer<FieldMetadata>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func recursiveChildOffset(_: Any.Type, index: Int) -> Int
