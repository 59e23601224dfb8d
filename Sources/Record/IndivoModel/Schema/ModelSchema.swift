import Synchronization

/// A type's leaves and relations with their names, found by reflection the first time the type is used and
/// kept. Compound values are flattened into leaves; lists and related documents are relations.
final class ModelSchema: Sendable {
    let typeName: String
    /// The name of the data model, of a class of documents; else the type's.
    let modelName: String
    /// The type's own fields.
    let group: FieldGroup
    let leaves: [SchemaLeaf]
    /// The leaves of each compound value.
    let leavesOfGroups: [Range<Int>]
    /// Lists and related documents, in order of declaration.
    let relations: [FieldSchema]
    /// The leaves and relations of a data model.
    let fieldByName: NameIndex

    var fields: [FieldSchema] { group.fields }

    init(typeName: String, modelName: String, _ declared: [DeclaredField]) {
        self.typeName = typeName
        self.modelName = modelName
        var builder = SchemaBuilder()
        group = FieldGroup(declared.map { builder.field($0) })
        leaves = builder.leaves
        leavesOfGroups = builder.groups
        relations = builder.relations
        fieldByName = NameIndex(
            leaves.enumerated().map { ($1.names, .leaf($0)) }
                + relations.enumerated().filter(\.element.isModelRelation).map { ($1.names, .relation($0)) }
        )
    }

    /// What a name stands for in SDMX.
    func field(named name: String) -> NameIndex.Found? { name.withBytes { fieldByName[$0] } }

    /// The relation of this name.
    func relation(named name: String) -> FieldSchema? {
        if case .relation(let index)? = field(named: name)?.target { relations[index] } else { nil }
    }

    private static let known = Mutex<[ObjectIdentifier: ModelSchema]>([:])

    /// The schema of a compound value's type.
    static func of<Value: CompoundValue>(_ type: Value.Type) -> ModelSchema {
        known(ObjectIdentifier(type)) {
            ModelSchema(typeName: "\(type)", modelName: "\(type)", DeclaredField.all(of: type))
        }
    }

    /// The schema of a class of documents.
    static func of(_ type: IndivoDocument.Type) -> ModelSchema {
        known(ObjectIdentifier(type)) {
            ModelSchema(typeName: "\(type)", modelName: type.modelName, DeclaredField.all(of: type))
        }
    }

    /// Made outside the lock. Two tasks may both make it; the first one counts.
    private static func known(_ key: ObjectIdentifier, _ make: () -> ModelSchema) -> ModelSchema {
        if let schema = known.withLock({ $0[key] }) { return schema }
        let schema = make()
        return known.withLock { known in
            let first = known[key] ?? schema
            known[key] = first
            return first
        }
    }

    /// - Throws: ``DocumentError`` when a data model cannot hold one of the fields.
    func checkDataModel() throws {
        guard let field = relations.first(where: { !$0.isModelRelation }) else { return }
        throw DocumentError(
            .unsupportedField(
                "a data model holds no lists of plain values; make it a list of related documents"
            ),
            document: modelName,
            property: field.path
        )
    }
}

/// Flattens declared fields into leaves and relations.
private struct SchemaBuilder {
    var leaves: [SchemaLeaf] = []
    var groups: [Range<Int>] = []
    var relations: [FieldSchema] = []

    mutating func field(_ declared: DeclaredField, within outer: (path: String, names: [String])? = nil)
        -> FieldSchema
    {
        let path = (outer.map { $0.path + "." } ?? "") + declared.property
        let names =
            outer.map { outer in outer.names.flatMap { prefix in declared.names.map { "\(prefix)_\($0)" } } }
            ?? declared.names
        let leaf = leaves.count
        let group = groups.count
        let relation = relations.count
        switch (declared.shape.kind, declared.shape.isList) {
        case (.leaf(let type), false):
            leaves.append(SchemaLeaf(names: names, property: path, type: type, declared: declared))
            return FieldSchema(
                declared,
                path: path,
                .leaf(leaf),
                leaves: leaf..<leaf + 1,
                relations: relation..<relation
            )
        case (.compound(let type), false):
            groups.append(leaf..<leaf)
            let inner = FieldGroup(DeclaredField.all(of: type).map { field($0, within: (path, names)) })
            groups[group] = leaf..<leaves.count
            return FieldSchema(
                declared,
                path: path,
                .group(group),
                leaves: groups[group],
                relations: relation..<relations.count,
                inner: inner
            )
        case (.document, _), (_, true):
            let field = FieldSchema(
                declared,
                path: path,
                .relation(relation),
                leaves: leaf..<leaf,
                relations: relation..<relation + 1
            )
            relations.append(field)
            return field
        }
    }
}

/// A leaf of a model, with every name under which a data model's document may hold it, today's first.
struct SchemaLeaf: Sendable {
    let names: [String]
    /// The property's path, such as `drugName.title`.
    let property: String
    let type: any LexicalValue.Type
    /// The leaf itself, not the compound around it.
    fileprivate let declared: DeclaredField

    var name: String { names[0] }
    var rules: [FieldRule] { declared.rules }
    /// Whether a document without it is not read.
    var standsAlone: Bool { declared.shape.defaultText != nil }
    /// Whether nested XML has it in the text of the element itself.
    var isOwnText: Bool { declared.place == .text }
}

/// One field of a model: its names, where it lies in memory, and which part of a `FieldTable` is its own.
///
/// A class, because it is passed along with every value that is read or written.
public final class FieldSchema: Sendable {
    let declared: DeclaredField
    /// The property with those around it, such as `quantitativeResult.normalRange`.
    let path: String
    /// Every name under which XML may hold the field, today's first.
    let names: [String]

    var property: String { declared.property }
    var name: String { declared.name }
    var place: Place { declared.place }
    var rules: [FieldRule] { declared.rules }
    var shape: Shape { declared.shape }
    var offset: Int { declared.offset }

    /// The cell or relation that is the field's.
    let target: FieldTarget
    /// Its leaves in the table: one, those of a compound value, or empty for a relation.
    let leaves: Range<Int>
    /// The lists and documents in the field: itself, or those inside a compound value.
    let relations: Range<Int>
    /// The fields of a compound value that is not in a list.
    let inner: FieldGroup?
    private let access: FieldAccess

    init(
        _ declared: DeclaredField,
        path: String,
        _ target: FieldTarget,
        leaves: Range<Int>,
        relations: Range<Int>,
        inner: FieldGroup? = nil
    ) {
        self.declared = declared
        self.path = path
        names = declared.names
        self.target = target
        self.leaves = leaves
        self.relations = relations
        self.inner = inner
        access = FieldAccess(declared.shape)
    }

    /// The index of the one leaf that the field is.
    var leaf: Int { leaves.lowerBound }

    /// The index of the relation that the field is; `nil` for a single leaf or compound value.
    var relation: Int? { if case .relation(let index) = target { index } else { nil } }

    /// The compound value's own cell in the table's groups; `nil` for other values.
    var group: Int? { if case .group(let index) = target { index } else { nil } }

    /// The type of the leaf, or of those in the list, that the field is.
    var leafType: (any LexicalValue.Type)? { if case .leaf(let type) = shape.kind { type } else { nil } }

    /// Whether a data model can hold the relation: related documents of the model itself.
    var isModelRelation: Bool { if case .document = shape.kind { path == property } else { false } }

    /// Whether a required field has a value as soon as one of its leaves has. A coded value needs them all.
    var needsAnyLeaf: Bool {
        if case .compound(let type) = shape.kind { type != CodedValue.self } else { false }
    }

    func read(into place: UnsafeMutableRawPointer, _ reader: FieldSchema.Reader) throws {
        try access.read(place, reader, self)
    }

    func write(from place: UnsafeRawPointer, _ writer: FieldSchema.Writer) {
        access.write(place, writer, self)
    }
}

/// The part of a `FieldTable` that is a field's.
enum FieldTarget: Equatable, BitwiseCopyable { case leaf(Int), group(Int), relation(Int) }

/// The fields of one type where it stands in a model: those of the model itself, or of a compound value in
/// it.
final class FieldGroup: Sendable {
    let fields: [FieldSchema]
    /// ``fields`` without counting references, millions a second. Safe: the group holds them as long as it
    /// lives.
    private let held: [Unmanaged<FieldSchema>]
    /// What the name of an element stands for in nested XML.
    let elements: NameIndex
    /// The fields that are attributes, or the element's own text.
    let otherPlaces: [FieldSchema]

    init(_ fields: [FieldSchema]) {
        self.fields = fields
        held = fields.map { Unmanaged.passUnretained($0) }
        elements = NameIndex(fields.filter { $0.place == .element }.map { ($0.names, $0.target) })
        otherPlaces = fields.filter { $0.place != .element }
    }

    func read(into base: UnsafeMutableRawPointer, _ reader: FieldSchema.Reader) throws {
        for field in held {
            try field._withUnsafeGuaranteedRef { try $0.read(into: base + $0.offset, reader) }
        }
    }

    func write(from base: UnsafeRawPointer, _ writer: FieldSchema.Writer) {
        for field in held { field._withUnsafeGuaranteedRef { $0.write(from: base + $0.offset, writer) } }
    }
}

/// Finds the field that a name stands for by the name's bytes, without a `String` for each look-up.
struct NameIndex: Sendable {
    /// A field, and the name's rank among the field's names: 0 for today's.
    typealias Found = (target: FieldTarget, rank: Int32)

    /// A hash table with open addressing, at most half full.
    private var slots: [(name: [UInt8], found: Found)?]

    /// - Parameter fields: With their names, the current one first. A current name takes precedence over the
    ///   same name as an older one of another field.
    init(_ fields: [(names: [String], target: FieldTarget)]) {
        var values: [String: Found] = [:]
        for (names, target) in fields {
            for (rank, name) in zip(Int32(0)..., names) where rank < values[name]?.rank ?? .max {
                values[name] = (target, rank)
            }
        }
        var size = 8
        while size < values.count * 2 { size *= 2 }
        slots = Array(repeating: nil, count: size)
        for (name, found) in values {
            var slot = name.withBytes(Self.hash) & (size - 1)
            while slots[slot] != nil { slot = (slot + 1) & (size - 1) }
            slots[slot] = (Array(name.utf8), found)
        }
    }

    subscript(name: UnsafeBufferPointer<UInt8>) -> Found? {
        var slot = Self.hash(name) & (slots.count - 1)
        while let entry = slots[slot] {
            if entry.name.withUnsafeBufferPointer({ areEqual($0, name) }) { return entry.found }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Mixes the length, the first and the last eight bytes. Names are a class's own: nobody can choose them
    /// to collide.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        guard name.count >= 8 else { return name.reduce(name.count) { $0 &* 131 &+ Int($1) } & .max }
        let bytes = UnsafeRawBufferPointer(name)
        let first = bytes.loadUnaligned(as: UInt64.self) &+ UInt64(name.count)
        let last = bytes.loadUnaligned(fromByteOffset: name.count - 8, as: UInt64.self)
        return Int(((first &* 0x9E37_79B9_7F4A_7C15 ^ last) &* 0xBF58_476D_1CE4_E5B9) >> 33)
    }
}
