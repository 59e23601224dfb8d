/// The whole content of a document, in a few blocks of memory. Record 0 is the document node. Content and
/// attribute values are in `bytes`, each after its length; a value that is replaced is written again at the
/// end.
struct Arena {
    var nodes = Column<NodeRecord>()
    var attributes = Column<AttributeRecord>()
    var bytes = Column<UInt8>()
    var names = XMLNameTable()
    var lines = LineTable()
    /// `standalone` of the XML declaration.
    var standalone: Bool?

    /// An arena with the document node.
    init() { nodes.append(NodeRecord(kind: .document)) }

    mutating func apply(_ step: ColumnStep) {
        nodes.apply(step)
        attributes.apply(step)
        bytes.apply(step)
        names.apply(step)
        lines.apply(step)
    }

    /// Room for a document of the usual density; untouched memory costs nothing.
    mutating func reserve(forBytes count: Int) {
        nodes.reserve(count / 24 + 16)
        lines.reserve(count / 24 + 16)
        attributes.reserve(count / 32 + 16)
        bytes.reserve(count * 3 / 4 + 64)
        names.reserve()
    }

    /// Appends a record as a child of its parent: behind `sibling`, which has none behind it yet, or as the
    /// first.
    @inline(__always)
    mutating func append(_ record: NodeRecord, behind sibling: UInt32) -> UInt32 {
        let index = UInt32(truncatingIfNeeded: nodes.count)
        if sibling != noNode {
            nodes.base[Int(sibling)].next = index
        } else {
            nodes.base[Int(record.parent)].header |= NodeRecord.childrenFlag
        }
        nodes.append(record)
        return index
    }

    /// The bytes stored at `offset`.
    @inline(__always)
    func value(at offset: UInt32) -> UTF8Bytes {
        var pointer = bytes.base + Int(offset)
        var length = Int(pointer.pointee & 0x7F)
        var shift = 7
        while pointer.pointee >= 0x80 {
            pointer += 1
            length |= Int(pointer.pointee & 0x7F) << shift
            shift += 7
        }
        return UTF8Bytes(start: pointer + 1, count: length)
    }

    /// How many bytes the length of a value takes.
    @inline(__always)
    static func prefixSize(_ length: Int) -> Int {
        length < 0x80 ? 1 : (64 - length.leadingZeroBitCount + 6) / 7
    }

    @inline(__always)
    static func writePrefix(_ length: Int, to start: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<
        UInt8
    > {
        var pointer = start
        var rest = length
        while rest >= 0x80 {
            pointer.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            pointer += 1
            rest >>= 7
        }
        pointer.pointee = UInt8(truncatingIfNeeded: rest)
        return pointer + 1
    }

    /// Stores bytes and returns their offset.
    @inline(__always)
    mutating func store(_ source: UnsafePointer<UInt8>, count: Int) -> UInt32 {
        let offset = UInt32(truncatingIfNeeded: bytes.count)
        let prefix = Arena.prefixSize(count)
        let start = bytes.extend(by: prefix + count)
        Arena.writePrefix(count, to: start).update(from: source, count: count)
        return offset
    }

    mutating func store(_ source: UTF8Bytes) -> UInt32 {
        // For no bytes, any address will do.
        store(source.baseAddress ?? UnsafePointer(bytes.base), count: source.count)
    }

    /// Adds bytes to the value at `offset`, which is the last that was stored.
    mutating func extendLastValue(at offset: UInt32, by source: UnsafePointer<UInt8>, count: Int) {
        let old = value(at: offset).count
        let oldPrefix = Arena.prefixSize(old)
        let newPrefix = Arena.prefixSize(old + count)
        _ = bytes.extend(by: newPrefix - oldPrefix + count)
        let start = bytes.base + Int(offset)
        if newPrefix != oldPrefix {
            // The ranges overlap; `update` moves, it does not assume that they do not.
            (start + newPrefix).update(from: start + oldPrefix, count: old)
        }
        (Arena.writePrefix(old + count, to: start) + old).update(from: source, count: count)
    }
}

/// An arena that nobody changes any more, shared by snapshots and by the trees that read from it.
// Proven safe: the arena is immutable from `init` to `deinit`; its pointers are freed when the last owner is
// gone.
final class FrozenArena: @unchecked Sendable {
    let arena: Arena

    init(_ arena: Arena) { self.arena = arena }

    deinit {
        var arena = arena
        arena.apply(.deallocate)
    }
}
