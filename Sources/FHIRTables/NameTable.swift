/// The indices of names, found by their bytes: a hash table that nothing changes after it was made.
struct NameTable: Sendable {
    private var bytes: [UInt8] = []
    /// Where each name ends in `bytes`; it begins where the one before ends.
    private var ends: [Int32] = [0]
    /// Indices of names, -1 for free slots; a power of two, at most half full.
    private var slots: [Int16]

    /// - Parameter names: Fewer than 32,768.
    init(_ names: [String]) {
        for name in names {
            bytes.append(contentsOf: name.utf8)
            ends.append(Int32(bytes.count))
        }
        var size = 4
        while size < names.count * 2 { size *= 2 }
        slots = Array(repeating: -1, count: size)
        for index in names.indices {
            var slot = Self.hash(bytes[range(index)]) & (size - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int16(index)
        }
    }

    /// The index of the first name with these bytes.
    subscript(name: UnsafeBufferPointer<UInt8>) -> Int? {
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot] >= 0 {
            let index = Int(slots[slot])
            let range = range(index)
            if range.count == name.count, bytes[range].elementsEqual(name) { return index }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private func range(_ index: Int) -> Range<Int> { Int(ends[index])..<Int(ends[index + 1]) }

    /// FNV-1a. Names are few and known, and untrusted ones are only looked up.
    private static func hash(_ name: some Sequence<UInt8>) -> Int {
        var hash: UInt32 = 2_166_136_261
        for byte in name { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int(hash ^ hash >> 16)
    }
}
