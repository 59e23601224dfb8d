/// Finds the id of a name by the pointers libxml2 gives for its parts. libxml2 keeps each name once in its
/// dictionary, so equal pointers are equal names: no byte is compared or hashed.
struct PointerNames {
    private struct Slot: BitwiseCopyable {
        /// 0 in a slot that is free.
        var local: UInt = 0
        var prefix: UInt = 0
        var uri: UInt = 0
        var id: UInt32 = 0
    }

    /// Stands in `prefix` for slots that are about a namespace declaration or a namespace; no pointer has
    /// these values.
    private static let declarationMark: UInt = 1
    private static let namespaceMark: UInt = 2

    private var slots = PointerNames.free(64)
    private var mask = 63
    private var used = 0

    private static func free(_ count: Int) -> UnsafeMutablePointer<Slot> {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
        slots.initialize(repeating: Slot(), count: count)
        return slots
    }

    /// Forgets all names.
    mutating func removeAll() {
        slots.update(repeating: Slot(), count: mask + 1)
        used = 0
    }

    func deallocate() { slots.deallocate() }

    @inline(__always)
    mutating func id(
        local: UnsafePointer<UInt8>,
        prefix: UnsafePointer<UInt8>?,
        uri: UnsafePointer<UInt8>?,
        in table: inout XMLNameTable
    ) -> UInt32 {
        let key = Slot(
            local: UInt(bitPattern: local),
            prefix: UInt(bitPattern: prefix),
            uri: UInt(bitPattern: uri)
        )
        let slot = slots[place(of: key)]
        return slot.local != 0 ? slot.id : add(key, local: local, prefix: prefix, uri: uri, in: &table)
    }

    /// The id of `xmlns` or `xmlns:prefix`.
    mutating func declarationID(prefix: UnsafePointer<UInt8>?, in table: inout XMLNameTable) -> UInt32 {
        let mark = PointerNames.declarationMark
        let xmlns: StaticString = "xmlns"
        return id(of: Slot(local: prefix.map { UInt(bitPattern: $0) } ?? mark, prefix: mark)) {
            prefix == nil
                ? table.add(prefix: .none, local: xmlns.utf8Buffer, namespace: 0)
                : table.add(prefix: xmlns.utf8Buffer, local: zeroTerminated(prefix), namespace: 0)
        }
    }

    @inline(never)
    private mutating func add(
        _ key: Slot,
        local: UnsafePointer<UInt8>,
        prefix: UnsafePointer<UInt8>?,
        uri: UnsafePointer<UInt8>?,
        in table: inout XMLNameTable
    ) -> UInt32 {
        let uri = zeroTerminated(uri)
        let namespaceKey = Slot(local: key.uri, prefix: PointerNames.namespaceMark)
        let namespace = uri.isEmpty ? 0 : id(of: namespaceKey) { table.addNamespace(uri) }
        return id(of: key) {
            table.add(prefix: zeroTerminated(prefix), local: zeroTerminated(local), namespace: namespace)
        }
    }

    private mutating func id(of key: Slot, _ make: () -> UInt32) -> UInt32 {
        if used * 2 > mask { grow() }
        let place = place(of: key)
        if slots[place].local == 0 {
            slots[place] = key
            slots[place].id = make()
            used += 1
        }
        return slots[place].id
    }

    /// Where a name's slot is, or is to be.
    @inline(__always)
    private func place(of key: Slot) -> Int {
        let mixed = (key.local ^ key.prefix &* 31 ^ key.uri &* 131) &* 0x9E37_79B9_7F4A_7C15
        var place = Int(bitPattern: mixed >> 40) & mask
        while true {
            let slot = slots[place]
            if slot.local == 0 || slot.local == key.local && slot.prefix == key.prefix && slot.uri == key.uri
            {
                return place
            }
            place = (place + 1) & mask
        }
    }

    private mutating func grow() {
        let old = UnsafeMutableBufferPointer(start: slots, count: mask + 1)
        mask = mask * 2 + 1
        slots = PointerNames.free(mask + 1)
        for slot in old where slot.local != 0 { slots[place(of: slot)] = slot }
        old.deallocate()
    }
}
