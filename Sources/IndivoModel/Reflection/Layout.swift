import Synchronization

/// One field of a class or structure: its names and where it lies in memory.
///
/// A class, because it is passed along with every value that is read or written.
public final class FieldLayout: Sendable {
    /// The Swift property, for messages.
    public let property: String
    /// The name in XML.
    public let name: String
    /// Older names, in order of preference.
    public let formerly: [String]
    /// Where nested XML holds the value.
    public let place: FieldPlace
    let rules: [FieldRule]
    let shape: FieldShape
    let offset: Int
    let access: any FieldAccess.Type
    /// Set when the value's type is one of the common ones.
    private let common: CommonField?
    /// The layout of the compound value that the field holds; not of those in a list, which may be of the type that
    /// has the field.
    let inner: Layout?
    /// The field's place among its type's fields.
    let index: Int
    /// Every name under which JSON or XML may hold the field, today's first.
    let names: [String]
    /// The same as bytes.
    let nameBytes: [[UInt8]]

    init(
        property: String, name: String, formerly: [String], place: FieldPlace, rules: [FieldRule], shape: FieldShape,
        offset: Int, index: Int, access: any FieldAccess.Type
    ) {
        self.property = property
        self.name = name
        self.formerly = formerly
        self.place = place
        self.rules = rules
        self.shape = shape
        self.offset = offset
        self.access = access
        common = CommonField(access)
        self.index = index
        names = [name] + formerly
        nameBytes = names.map { Array($0.utf8) }
        inner = if case .compound(let type) = shape.kind, !shape.isList { type.layout } else { nil }
    }

    func read(into place: UnsafeMutableRawPointer, _ reader: FieldReader) throws {
        if let common { try common.read(into: place, reader, self) } else { try access.read(into: place, reader, self) }
    }

    func write(from place: UnsafeRawPointer, _ writer: FieldWriter) throws {
        if let common { try common.write(from: place, writer, self) } else { try access.write(from: place, writer, self) }
    }
}

/// A type's fields, found by reflection the first time the type is used and kept.
public final class Layout: Sendable {
    let typeName: String
    /// The name of the data model, of a class of documents; else the type's.
    let modelName: String
    let fields: [FieldLayout]
    /// ``fields`` without counting references, which millions of fields a second would notice. Safe: the layout holds them
    /// as long as it lives.
    private let held: [Unmanaged<FieldLayout>]
    /// How the type's leaves are called when they are flattened into a data model.
    let flat: FlatLayout
    /// What the name of an element stands for in nested XML: the field, and the name's rank among the field's names.
    let elements: NameIndex<(field: Int, rank: Int)>

    private init(_ type: Any.Type, prototype: UnsafeRawPointer) {
        typeName = "\(type)"
        modelName = (type as? IndivoDocument.Type)?.modelName ?? typeName
        var fields: [FieldLayout] = []
        for field in RuntimeField.all(of: type) {
            guard let access = field.type as? any FieldAccess.Type else { continue }
            let property = field.name.hasPrefix("_") ? String(field.name.dropFirst()) : field.name
            let options = access.options(at: prototype + field.offset)
            fields.append(
                FieldLayout(
                    property: property, name: options.name.isEmpty ? property : options.name,
                    formerly: options.formerly, place: options.place, rules: options.rules(), shape: access.shape,
                    offset: field.offset, index: fields.count, access: access))
        }
        self.fields = fields
        held = fields.map { Unmanaged.passUnretained($0) }
        flat = FlatLayout(fields)
        var elements: [String: (field: Int, rank: Int)] = [:]
        for (index, field) in fields.enumerated() where field.place == .element {
            for (rank, name) in field.names.enumerated() {
                // Today's names first: an older name of one field may be today's of another.
                if rank < elements[name]?.rank ?? .max { elements[name] = (index, rank) }
            }
        }
        self.elements = NameIndex(elements)
    }

    private static let known = Mutex<[ObjectIdentifier: Layout]>([:])

    /// The layout of a compound value's type.
    static func of<Value: CompoundValue>(_ type: Value.Type) -> Layout {
        known(ObjectIdentifier(type)) {
            var prototype = Value()
            return withUnsafePointer(to: &prototype) { Layout(type, prototype: UnsafeRawPointer($0)) }
        }
    }

    /// The layout of a class of documents.
    static func of(_ type: IndivoDocument.Type) -> Layout {
        known(ObjectIdentifier(type)) {
            let prototype = type.init()
            return withExtendedLifetime(prototype) { Layout(type, prototype: prototype.storage) }
        }
    }

    /// Made outside the lock, since a layout asks for the layouts of its parts. Two tasks may both make it; the first
    /// one counts.
    private static func known(_ key: ObjectIdentifier, _ make: () -> Layout) -> Layout {
        if let layout = known.withLock({ $0[key] }) { return layout }
        let layout = make()
        return known.withLock { known in
            if let first = known[key] { return first }
            known[key] = layout
            return layout
        }
    }

    func read(into base: UnsafeMutableRawPointer, _ reader: FieldReader) throws {
        for field in held {
            try field._withUnsafeGuaranteedRef { try $0.read(into: base + $0.offset, reader) }
        }
    }

    func write(from base: UnsafeRawPointer, _ writer: FieldWriter) throws {
        for field in held {
            try field._withUnsafeGuaranteedRef { try $0.write(from: base + $0.offset, writer) }
        }
    }
}

extension CompoundValue {
    fileprivate static var layout: Layout { Layout.of(self) }
}

extension IndivoDocument {
    /// Where the object's stored properties are counted from. Valid while the object lives.
    var storage: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}
