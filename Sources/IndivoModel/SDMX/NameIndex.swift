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

    /// Of equal length; `elementsEqual` is ten times slower here.
    private static func areEqual(_ a: [UInt8], _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in a.indices where a[index] != b[index] { return false }
        return true
    }

    /// FNV-1a. The names are a class's own, so nobody can choose them to collide.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ (hash >> 32)) & Int.max
    }
}
