/// One field of a model: its names, where it lies in memory, and which part of a `FieldTable` is its own.
///
/// A class, because it is passed along with every value that is read or written.
public final class FieldSchema: Sendable {
    let declared: DeclaredField
    /// The property with those around it, such as `quantitativeResult.normalRange`.
    let path: String
    /// Every name under which XML may hold the field, today's first.
    let names: [String]
    /// The same as bytes.
    let nameBytes: [[UInt8]]

    var property: String { declared.property }
    var name: String { declared.name }
    var place: Place { declared.place }
    var rules: [FieldRule] { declared.rules }
    var shape: Shape { declared.shape }
    var offset: Int { declared.offset }
    var access: any FieldAccess.Type { declared.access }

    /// The field's index in its group.
    let index: Int
    /// Its leaves in the table: one, or those of a compound value; none for a relation.
    let leaves: Range<Int>
    /// The compound value's own cell in the table's groups.
    let group: Int?
    /// The lists and documents in the field: itself, or those inside a compound value.
    let relations: Range<Int>
    /// The fields of a compound value that is not in a list.
    let inner: FieldGroup?
    /// Set when the value's type is one of the common ones.
    private let common: CommonField?

    init(
        _ declared: DeclaredField, path: String, index: Int, leaves: Range<Int>, group: Int?, relations: Range<Int>,
        inner: FieldGroup?
    ) {
        self.declared = declared
        self.path = path
        names = declared.names
        nameBytes = names.map { Array($0.utf8) }
        self.index = index
        self.leaves = leaves
        self.group = group
        self.relations = relations
        self.inner = inner
        common = CommonField(declared.access)
    }

    /// The index of the one leaf that the field is.
    var leaf: Int { leaves.lowerBound }

    /// The index of the relation that the field is; `nil` for a single leaf or compound value.
    var relation: Int? { inner == nil && leaves.isEmpty ? relations.first : nil }

    func read(into place: UnsafeMutableRawPointer, _ reader: FieldSchema.Reader) throws {
        if let common { try common.read(into: place, reader, self) } else { try access.read(into: place, reader, self) }
    }

    func write(from place: UnsafeRawPointer, _ writer: FieldSchema.Writer) {
        if let common { common.write(from: place, writer, self) } else { access.write(from: place, writer, self) }
    }
}

/// The fields of one type where it stands in a model: those of the model itself, or of a compound value in it.
final class FieldGroup: Sendable {
    let fields: [FieldSchema]
    /// ``fields`` without counting references, which millions of fields a second would notice. Safe: the group holds
    /// them as long as it lives.
    private let held: [Unmanaged<FieldSchema>]
    /// What the name of an element stands for in nested XML: the field, and the name's rank among the field's names.
    let elements: NameIndex<(field: Int, rank: Int)>
    /// The fields that are attributes, or the element's own text.
    let otherPlaces: [FieldSchema]
    /// In the order of ``fields``: the cell or relation of each.
    let targets: [Target]

    /// The part of a table that is a field's.
    enum Target: BitwiseCopyable {
        case leaf(Int), group(Int), relation(Int)
    }

    init(_ fields: [FieldSchema]) {
        self.fields = fields
        held = fields.map { Unmanaged.passUnretained($0) }
        otherPlaces = fields.filter { $0.place != .element }
        targets = fields.map { field in
            if let group = field.group { return .group(group) }
            return field.leaves.isEmpty ? .relation(field.relations.lowerBound) : .leaf(field.leaf)
        }
        var elements: [String: (field: Int, rank: Int)] = [:]
        for field in fields where field.place == .element {
            for (rank, name) in field.names.enumerated() {
                // Today's names first: an older name of one field may be today's of another.
                if rank < elements[name]?.rank ?? .max { elements[name] = (field.index, rank) }
            }
        }
        self.elements = NameIndex(elements)
    }

    func read(into base: UnsafeMutableRawPointer, _ reader: FieldSchema.Reader) throws {
        for field in held {
            try field._withUnsafeGuaranteedRef { try $0.read(into: base + $0.offset, reader) }
        }
    }

    func write(from base: UnsafeRawPointer, _ writer: FieldSchema.Writer) {
        for field in held {
            field._withUnsafeGuaranteedRef { $0.write(from: base + $0.offset, writer) }
        }
    }
}

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
