/// Remembers where attribute values were stored lately, so that what comes again and again is stored once. A
/// slot holds the offset of the last value with its hash; what stands there is compared before it is used.
struct ValueCache {
    private static let slotCount = 512
    /// Longer values seldom come again.
    private static let maximumLength = 64

    private let slots: UnsafeMutablePointer<UInt32>

    init() {
        slots = .allocate(capacity: ValueCache.slotCount)
        slots.initialize(repeating: noNode, count: ValueCache.slotCount)
    }

    func deallocate() { slots.deallocate() }

    /// Forgets all values, whose arena is gone.
    func removeAll() { slots.update(repeating: noNode, count: ValueCache.slotCount) }

    /// The offset of the bytes in the arena, which has them now or had them before.
    @inline(__always)
    func store(_ start: UnsafePointer<UInt8>, count: Int, in arena: inout Arena) -> UInt32 {
        if count > ValueCache.maximumLength { return arena.store(start, count: count) }
        let slot = ValueCache.hash(start, count)
        let known = slots[slot]
        // A length of up to 64 is one byte.
        if known != noNode, arena.bytes.base[Int(known)] == UInt8(truncatingIfNeeded: count),
            UTF8Bytes(start: arena.bytes.base + Int(known) + 1, count: count).equals(
                UTF8Bytes(start: start, count: count)
            )
        {
            return known
        }
        let offset = arena.store(start, count: count)
        slots[slot] = offset
        return offset
    }

    @inline(__always)
    private static func hash(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int {
        let bytes = UnsafeRawPointer(start)
        var mixed = UInt64(truncatingIfNeeded: count)
        if count >= 8 {
            mixed ^= bytes.loadUnaligned(as: UInt64.self)
            mixed =
                mixed &* 0x9E37_79B9_7F4A_7C15
                ^ bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        } else {
            for index in 0..<count { mixed = mixed << 8 ^ UInt64(start[index]) ^ mixed >> 56 }
        }
        return Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) >> 55)
    }
}
