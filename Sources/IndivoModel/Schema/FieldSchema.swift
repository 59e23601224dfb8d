/// One field of a model: its names, where it lies in memory, and which part of a `FieldTable` is its own.
///
/// A class, because it is passed along with every value that is read or written.
public final class FieldSchema: Sendable {
    /// The Swift property.
    let property: String
    /// The property with those around it, such as `quantitativeResult.normalRange`.
    let path: String
    /// The name in XML and JSON.
    let name: String
    /// Older names, in order of preference.
    let formerly: [String]
    /// Where nested XML holds the value.
    let place: FieldPlace
    let rules: [FieldRule]
    let shape: FieldShape
    /// Every name under which JSON or XML may hold the field, today's first.
    let names: [String]
    /// The same as bytes.
    let nameBytes: [[UInt8]]

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
    /// Whether the values of a list stand in a JSON object, each under a name that is one of its own fields.
    let isKeyed: Bool

    /// Where the property lies in its object or value.
    let offset: Int
    let access: any FieldAccess.Type
    /// Set when the value's type is one of the common ones.
    private let common: CommonField?

    init(
        _ declared: DeclaredField, path: String, index: Int, leaves: Range<Int>, group: Int?, relations: Range<Int>,
        inner: FieldGroup?, isKeyed: Bool
    ) {
        property = declared.property
        self.path = path
        name = declared.name
        formerly = declared.formerly
        place = declared.place
        rules = declared.rules
        shape = declared.shape
        names = declared.names
        nameBytes = names.map { Array($0.utf8) }
        self.index = index
        self.leaves = leaves
        self.group = group
        self.relations = relations
        self.inner = inner
        self.isKeyed = isKeyed
        offset = declared.offset
        access = declared.access
        common = CommonField(access)
    }

    /// The index of the one leaf that the field is.
    var leaf: Int { leaves.lowerBound }

    /// The index of the relation that the field is; `nil` for a single leaf or compound value.
    var relation: Int? { inner == nil && leaves.isEmpty ? relations.first : nil }

    func read(into place: UnsafeMutableRawPointer, _ reader: TableReader) throws {
        if let common { try common.read(into: place, reader, self) } else { try access.read(into: place, reader, self) }
    }

    func write(from place: UnsafeRawPointer, _ writer: TableWriter) {
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

    func read(into base: UnsafeMutableRawPointer, _ reader: TableReader) throws {
        for field in held {
            try field._withUnsafeGuaranteedRef { try $0.read(into: base + $0.offset, reader) }
        }
    }

    func write(from base: UnsafeRawPointer, _ writer: TableWriter) {
        for field in held {
            field._withUnsafeGuaranteedRef { $0.write(from: base + $0.offset, writer) }
        }
    }
}
