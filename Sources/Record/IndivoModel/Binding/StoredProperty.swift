import Foundation

/// A stored property of an object or value: its name, its type, and where it lies in memory.
struct StoredProperty {
    let name: String
    let type: Any.Type
    let offset: Int

    /// The stored properties, a superclass's first.
    static func all(of instance: Any) -> [StoredProperty] {
        Runtime.known?.properties(of: Swift.type(of: instance)) ?? mirrored(instance)
    }

    /// The same with `Mirror`, which gives no offsets. They are computed: properties follow one another,
    /// aligned, after the header of an object.
    static func mirrored(_ instance: Any) -> [StoredProperty] {
        var mirrors = [Mirror(reflecting: instance)]
        while let superclass = mirrors[0].superclassMirror { mirrors.insert(superclass, at: 0) }
        var end = mirrors[0].displayStyle == .class ? 2 * MemoryLayout<Int>.size : 0
        return mirrors.flatMap(\.children).map { name, value in
            func layout<Value>(_: Value) -> (size: Int, alignment: Int) {
                (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
            }
            let (size, alignment) = _openExistential(value, do: layout)
            let offset = (end + alignment - 1) / alignment * alignment
            end = offset + size
            return StoredProperty(name: name ?? "", type: Swift.type(of: value), offset: offset)
        }
    }

    /// The functions of the standard library that `Mirror` calls, which give offsets. They are private: if a
    /// version lacks them, `Mirror` is used.
    private struct Runtime {
        typealias Count = @convention(c) (UnsafeRawPointer) -> Int
        typealias ChildType =
            @convention(c) (UnsafeRawPointer, Int, UnsafeMutableRawPointer) -> UnsafeRawPointer
        typealias ChildOffset = @convention(c) (UnsafeRawPointer, Int) -> Int

        let count: Count
        let childType: ChildType
        let childOffset: ChildOffset

        static let known: Runtime? = {
            func find(_ name: String) -> UnsafeMutableRawPointer? {
                dlsym(dlopen(nil, RTLD_NOW), "swift_reflectionMirror_recursive\(name)")
            }
            guard let count = find("Count"), let type = find("ChildMetadata"),
                let offset = find("ChildOffset")
            else { return nil }
            // Pointers and numbers are passed as in C; a type is a pointer to its metadata.
            return Runtime(
                count: unsafeBitCast(count, to: Count.self),
                childType: unsafeBitCast(type, to: ChildType.self),
                childOffset: unsafeBitCast(offset, to: ChildOffset.self)
            )
        }()

        /// The layout of `_FieldReflectionMetadata`.
        private struct Metadata {
            var name: UnsafePointer<CChar>?
            var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
            var isStrong = false
            var isVar = false
        }

        func properties(of type: Any.Type) -> [StoredProperty] {
            let pointer = unsafeBitCast(type, to: UnsafeRawPointer.self)
            return (0..<count(pointer)).map { index in
                var metadata = Metadata()
                let child = childType(pointer, index, &metadata)
                defer { metadata.free?(metadata.name) }
                return StoredProperty(
                    name: metadata.name.map { String(cString: $0) } ?? "",
                    type: unsafeBitCast(child, to: Any.Type.self),
                    offset: childOffset(pointer, index)
                )
            }
        }
    }
}
