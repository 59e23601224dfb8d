/// Finds the id of a name by the pointers libxml2 gives for its parts.
///
/// libxml2 keeps each name once in its dictionary, so equal pointers are equal names: no byte is compared or hashed.
struct PointerNames {
    private struct Slot: BitwiseCopyable {
        var local: UInt
        var prefix: UInt
        var uri: UInt
        var id: UInt32
    }

    /// Stands in `prefix` for slots that are about a namespace declaration or a namespace; no pointer has these values.
    private static let declarationMark: UInt = 1
    private static let namespaceMark: UInt = 2

    private var slots: UnsafeMutablePointer<Slot>
    private var mask: Int
    private var used = 0

    init() {
        mask = 63
        slots = .allocate(capacity: 64)
        slots.initialize(repeating: Slot(local: 0, prefix: 0, uri: 0, id: 0), count: 64)
    }

    /// Forgets all names.
    mutating func removeAll() {
        slots.update(repeating: Slot(local: 0, prefix: 0, uri: 0, id: 0), count: mask + 1)
        used = 0
    }

    func deallocate() { slots.deallocate() }

    @inline(__always)
    mutating func id(
        local: UnsafePointer<UInt8>, prefix: UnsafePointer<UInt8>?, uri: UnsafePointer<UInt8>?,
        in table: inout NameTable
    ) -> UInt32 {
        let (l, p, u) = (UInt(bitPattern: local), UInt(bitPattern: prefix), UInt(bitPattern: uri))
        var place = PointerNames.hash(l, p, u) & mask
        while slots[place].local != 0 {
            if slots[place].local == l && slots[place].prefix == p && slots[place].uri == u { return slots[place].id }
            place = (place + 1) & mask
        }
        return add(local: local, prefix: prefix, uri: uri, in: &table)
    }

    /// The id of `xmlns` or `xmlns:prefix`.
    mutating func declarationID(prefix: UnsafePointer<UInt8>?, in table: inout NameTable) -> UInt32 {
        let key = prefix.map { UInt(bitPattern: $0) } ?? PointerNames.declarationMark
        if let id = find(key, PointerNames.declarationMark, 0) { return id }
        let xmlns: StaticString = "xmlns"
        let keyword = UnsafeBufferPointer(start: xmlns.utf8Start, count: xmlns.utf8CodeUnitCount)
        let id: UInt32
        if let prefix {
            id = table.add(prefix: keyword, local: UnsafeBufferPointer(start: prefix, count: length(prefix)), namespace: 0)
        } else {
            id = table.add(prefix: UnsafeBufferPointer(start: nil, count: 0), local: keyword, namespace: 0)
        }
        insert(key, PointerNames.declarationMark, 0, id)
        return id
    }

    @inline(never)
    private mutating func add(
        local: UnsafePointer<UInt8>, prefix: UnsafePointer<UInt8>?, uri: UnsafePointer<UInt8>?,
        in table: inout NameTable
    ) -> UInt32 {
        var namespace: UInt32 = 0
        if let uri, uri.pointee != 0 {
            let key = UInt(bitPattern: uri)
            if let known = find(key, PointerNames.namespaceMark, 0) {
                namespace = known
            } else {
                namespace = table.addNamespace(UnsafeBufferPointer(start: uri, count: length(uri)))
                insert(key, PointerNames.namespaceMark, 0, namespace)
            }
        }
        let id = table.add(
            prefix: UnsafeBufferPointer(start: prefix, count: prefix.map(length) ?? 0),
            local: UnsafeBufferPointer(start: local, count: length(local)), namespace: namespace)
        insert(UInt(bitPattern: local), UInt(bitPattern: prefix), UInt(bitPattern: uri), id)
        return id
    }

    private func find(_ local: UInt, _ prefix: UInt, _ uri: UInt) -> UInt32? {
        var place = PointerNames.hash(local, prefix, uri) & mask
        while slots[place].local != 0 {
            let slot = slots[place]
            if slot.local == local && slot.prefix == prefix && slot.uri == uri { return slot.id }
            place = (place + 1) & mask
        }
        return nil
    }

    private mutating func insert(_ local: UInt, _ prefix: UInt, _ uri: UInt, _ id: UInt32) {
        if used * 2 > mask { grow() }
        var place = PointerNames.hash(local, prefix, uri) & mask
        while slots[place].local != 0 { place = (place + 1) & mask }
        slots[place] = Slot(local: local, prefix: prefix, uri: uri, id: id)
        used += 1
    }

    private mutating func grow() {
        let old = UnsafeMutableBufferPointer(start: slots, count: mask + 1)
        mask = mask * 2 + 1
        slots = .allocate(capacity: mask + 1)
        slots.initialize(repeating: Slot(local: 0, prefix: 0, uri: 0, id: 0), count: mask + 1)
        used = 0
        for slot in old where slot.local != 0 { insert(slot.local, slot.prefix, slot.uri, slot.id) }
        old.deallocate()
    }

    @inline(__always)
    private static func hash(_ local: UInt, _ prefix: UInt, _ uri: UInt) -> Int {
        let mixed = (local ^ prefix &* 31 ^ uri &* 131) &* 0x9E37_79B9_7F4A_7C15
        return Int(bitPattern: mixed >> 40)
    }
}
