/// Finds what belongs to a name by the name's bytes, without a `String` for each look-up.
struct NameIndex<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let name: [UInt8]
        let value: Value
    }

    /// A hash table with open addressing, at most half full.
    private var slots: [Entry?]

    init(_ values: [String: Value]) {
        var size = 8
        while size < values.count * 2 { size *= 2 }
        slots = Array(repeating: nil, count: size)
        for (name, value) in values {
            let bytes = Array(name.utf8)
            var slot = bytes.withUnsafeBufferPointer(Self.hash) & (size - 1)
            while slots[slot] != nil { slot = (slot + 1) & (size - 1) }
            slots[slot] = Entry(name: bytes, value: value)
        }
    }

    subscript(name: UnsafeBufferPointer<UInt8>) -> Value? {
        var slot = Self.hash(name) & (slots.count - 1)
        while let entry = slots[slot] {
            if entry.name.count == name.count, Self.areEqual(entry.name, name) { return entry.value }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Of equal length. Eight bytes at a time: this runs once for every field that is read.
    private static func areEqual(_ a: [UInt8], _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        a.withUnsafeBytes { a in
            let b = UnsafeRawBufferPointer(b)
            var index = 0
            while index + 8 <= a.count {
                guard word(a, index) == word(b, index) else { return false }
                index += 8
            }
            while index < a.count {
                guard a[index] == b[index] else { return false }
                index += 1
            }
            return true
        }
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    }

    /// Mixes the length with the first and the last eight bytes, in which the names of a model differ. They are a
    /// class's own, so nobody can choose them to collide.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        var hash = UInt64(name.count)
        if name.count >= 8 {
            let bytes = UnsafeRawBufferPointer(name)
            hash ^= word(bytes, 0) &* 0x9E37_79B9_7F4A_7C15
            hash = (hash ^ hash >> 29 ^ word(bytes, name.count - 8)) &* 0xBF58_476D_1CE4_E5B9
        } else {
            for byte in name { hash = hash << 8 | UInt64(byte) }
            hash = (hash ^ UInt64(name.count) << 56) &* 0xBF58_476D_1CE4_E5B9
        }
        return Int(truncatingIfNeeded: hash ^ (hash >> 32)) & Int.max
    }
}
