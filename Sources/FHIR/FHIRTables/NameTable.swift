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
            var slot = bytes[range(index)].withUnsafeBufferPointer(Self.hash) & (size - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int16(index)
        }
    }

    /// The index of the first name with these bytes.
    subscript(name: UnsafeBufferPointer<UInt8>) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            slots.withUnsafeBufferPointer { slots in
                var slot = Self.hash(name) & (slots.count - 1)
                while slots[slot] >= 0 {
                    let index = Int(slots[slot])
                    if Self.areEqual(bytes[range(index)], name) { return index }
                    slot = (slot + 1) & (slots.count - 1)
                }
                return nil
            }
        }
    }

    private static func areEqual(_ a: Slice<UnsafeBufferPointer<UInt8>>, _ b: UnsafeBufferPointer<UInt8>)
        -> Bool
    {
        guard a.count == b.count else { return false }
        for index in 0..<b.count where a[a.startIndex + index] != b[index] { return false }
        return true
    }

    private func range(_ index: Int) -> Range<Int> { Int(ends[index])..<Int(ends[index + 1]) }

    /// Of the length and five bytes: names are few and known, and untrusted ones are only searched for.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        let count = name.count
        guard count > 0 else { return 0 }
        var hash = UInt32(truncatingIfNeeded: count)
        hash = hash &* 31 &+ UInt32(name[0])
        hash = hash &* 31 &+ UInt32(name[count >> 2])
        hash = hash &* 31 &+ UInt32(name[count >> 1])
        hash = hash &* 31 &+ UInt32(name[count - 1 - count >> 2])
        hash = hash &* 31 &+ UInt32(name[count - 1])
        hash &*= 2_654_435_769
        return Int(hash >> 16)
    }
}
