/// The names of a type's members in JSON, hashed.
struct MemberTable: Sendable {
    private struct Entry {
        let name: [UInt8]
        let member: DefinedMember
    }

    private var entries: [Entry] = []
    /// Indices of entries, -1 for free slots; a power of two, at most half full.
    private var slots: [Int16]

    init(_ elements: [DefinedElement]) {
        for (index, element) in elements.enumerated() where element.maximum != 0 {
            for (typeIndex, type) in element.types.enumerated() where element.isChoice || typeIndex == 0 {
                entries.append(
                    Entry(
                        name: Array((element.isChoice ? element.name + type.suffix : element.name).utf8),
                        member: DefinedMember(element: index, type: typeIndex)))
            }
        }
        var size = 4
        while size < entries.count * 2 { size *= 2 }
        slots = Array(repeating: -1, count: size)
        for (index, entry) in entries.enumerated() {
            var slot = entry.name.withUnsafeBufferPointer(Self.hash) & (size - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int16(index)
        }
    }

    subscript(name: UnsafeBufferPointer<UInt8>) -> DefinedMember? {
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot] >= 0 {
            let entry = entries[Int(slots[slot])]
            if entry.name.count == name.count, entry.name.elementsEqual(name) { return entry.member }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Of the length and three characters: names are few and known, and a stranger's are only looked up.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        guard let first = name.first, let last = name.last else { return 0 }
        let middle = name[name.count / 2]
        return name.count &* 31 &+ Int(first) &* 7 &+ Int(last) &* 13 &+ Int(middle) &* 3
    }
}
