/// Reads and writes a ``Field`` in place, its value type known only here.
protocol FieldAccess: SendableMetatype {
    static var shape: FieldSchema.Shape { get }
    static func options(at place: UnsafeRawPointer) -> FieldOptions
    static func read(into place: UnsafeMutableRawPointer, _ reader: FieldSchema.Reader, _ field: FieldSchema) throws
    static func write(from place: UnsafeRawPointer, _ writer: FieldSchema.Writer, _ field: FieldSchema)
    static func copy(from place: UnsafeRawPointer, to other: UnsafeMutableRawPointer)
}

// The pointers come from a schema, which found at that offset a property of exactly this type; its memory is
// initialised, since every stored property of a Swift object is.
extension Field: FieldAccess {
    static var shape: FieldSchema.Shape { Value._shape }

    static func options(at place: UnsafeRawPointer) -> FieldOptions {
        place.assumingMemoryBound(to: Self.self).pointee.options ?? FieldOptions()
    }

    static func read(into place: UnsafeMutableRawPointer, _ reader: FieldSchema.Reader, _ field: FieldSchema) throws {
        let value = try Value._read(reader, field)
        place.assumingMemoryBound(to: Self.self).pointee.wrappedValue = value
    }

    static func write(from place: UnsafeRawPointer, _ writer: FieldSchema.Writer, _ field: FieldSchema) {
        place.assumingMemoryBound(to: Self.self).pointee.wrappedValue._write(writer, field)
    }

    static func copy(from place: UnsafeRawPointer, to other: UnsafeMutableRawPointer) {
        other.assumingMemoryBound(to: Self.self).pointee.wrappedValue =
            place.assumingMemoryBound(to: Self.self).pointee.wrappedValue
    }
}

extension FieldSchema {
    /// Gives an object the value that another of the same class has.
    func copy(from document: IndivoDocument, to other: IndivoDocument) {
        withExtendedLifetime(document) {
            access.copy(from: document.storage + offset, to: other.storage + offset)
        }
    }
}

/// The types that most fields have. They have code of their own: of a type that is known only at run time, each step
/// would ask the runtime what it is.
enum CommonField {
    case string, boolean, integer, number, date, dateTime, codeSystem, codedValue

    /// `nil` for a field of another type.
    init?(_ access: any FieldAccess.Type) {
        switch access {
        case is Field<String?>.Type: self = .string
        case is Field<Bool?>.Type: self = .boolean
        case is Field<Int?>.Type: self = .integer
        case is Field<Double?>.Type: self = .number
        case is Field<XMLDate?>.Type: self = .date
        case is Field<XMLDateTime?>.Type: self = .dateTime
        case is Field<CodeSystem?>.Type: self = .codeSystem
        case is Field<CodedValue?>.Type: self = .codedValue
        default: return nil
        }
    }

    func read(into place: UnsafeMutableRawPointer, _ reader: FieldSchema.Reader, _ field: FieldSchema) throws {
        switch self {
        case .string: try Field<String?>.read(into: place, reader, field)
        case .boolean: try Field<Bool?>.read(into: place, reader, field)
        case .integer: try Field<Int?>.read(into: place, reader, field)
        case .number: try Field<Double?>.read(into: place, reader, field)
        case .date: try Field<XMLDate?>.read(into: place, reader, field)
        case .dateTime: try Field<XMLDateTime?>.read(into: place, reader, field)
        case .codeSystem: try Field<CodeSystem?>.read(into: place, reader, field)
        case .codedValue: try Field<CodedValue?>.read(into: place, reader, field)
        }
    }

    func write(from place: UnsafeRawPointer, _ writer: FieldSchema.Writer, _ field: FieldSchema) {
        switch self {
        case .string: Field<String?>.write(from: place, writer, field)
        case .boolean: Field<Bool?>.write(from: place, writer, field)
        case .integer: Field<Int?>.write(from: place, writer, field)
        case .number: Field<Double?>.write(from: place, writer, field)
        case .date: Field<XMLDate?>.write(from: place, writer, field)
        case .dateTime: Field<XMLDateTime?>.write(from: place, writer, field)
        case .codeSystem: Field<CodeSystem?>.write(from: place, writer, field)
        case .codedValue: Field<CodedValue?>.write(from: place, writer, field)
        }
    }
}

// How values are read from tables and written into them.

extension Optional: FieldValue where Wrapped: FieldElement {
    @inlinable public static var absent: Self { nil }
    public static var _shape: FieldSchema.Shape { FieldSchema.Shape(kind: Wrapped._kind, isList: false) }

    public static func _read(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self {
        try Wrapped._read(reader, field)
    }

    public func _write(_ writer: FieldSchema.Writer, _ field: FieldSchema) {
        if let value = self { value._write(writer, field) } else { writer.absent(field) }
    }
}

extension Array: FieldValue where Element: FieldElement {
    @inlinable public static var absent: Self { [] }
    public static var _shape: FieldSchema.Shape { FieldSchema.Shape(kind: Element._kind, isList: true) }

    public static func _read(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self {
        try reader.items(of: field).compactMap { try Element._readItem(reader.at($0), field) }
    }

    public func _write(_ writer: FieldSchema.Writer, _ field: FieldSchema) {
        for value in self { value._writeItem(writer, field) }
    }
}

extension LexicalValue {
    public static var _kind: FieldSchema.Kind { .leaf(Self.self) }

    public static func _read(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self? {
        guard let text = reader.text(of: field) else { return nil }
        do throws(LexicalError) {
            return try read(text, reader)
        } catch {
            try reader.reportUnreadable(text, error, field)
            return nil
        }
    }

    public static func _readItem(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self? {
        guard let text = reader.itemText else { return nil }
        do throws(LexicalError) {
            return try read(text, reader)
        } catch {
            try reader.reportUnreadable(text, error, field, isItem: true)
            return nil
        }
    }

    @inline(__always)
    private static func read(_ text: FieldText, _ reader: FieldSchema.Reader) throws(LexicalError) -> Self {
        try text.withUTF8 { (bytes) throws(LexicalError) in try _read(utf8: bytes, isField: reader.format == .dataModel) }
    }

    public func _write(_ writer: FieldSchema.Writer, _ field: FieldSchema) { writer.leaf(self, field) }

    public func _writeItem(_ writer: FieldSchema.Writer, _ field: FieldSchema) { writer.add(.text(lexical), to: field) }
}

extension CompoundValue {
    public static var _kind: FieldSchema.Kind { .compound(Self.self) }

    public static func _read(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self? {
        guard let inner = field.inner, reader.isPresent(field) else { return nil }
        var value = Self()
        try withUnsafeMutablePointer(to: &value) { try inner.read(into: UnsafeMutableRawPointer($0), reader) }
        return value
    }

    public static func _readItem(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self? {
        try reader.itemValue(field)
    }

    public func _write(_ writer: FieldSchema.Writer, _ field: FieldSchema) {
        writer.compound(field) {
            withUnsafePointer(to: self) { field.inner?.write(from: UnsafeRawPointer($0), writer) }
        }
    }

    public func _writeItem(_ writer: FieldSchema.Writer, _ field: FieldSchema) {
        writer.add(.value(FieldTable(self, writer.table.format)), to: field)
    }
}

extension IndivoDocument: FieldElement {
    public static var _kind: FieldSchema.Kind { .document(self) }

    public static func _read(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self? {
        try reader.document(of: field, self) as? Self
    }

    public static func _readItem(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self? {
        try reader.itemDocument(self) as? Self
    }

    public func _write(_ writer: FieldSchema.Writer, _ field: FieldSchema) { _writeItem(writer, field) }

    public func _writeItem(_ writer: FieldSchema.Writer, _ field: FieldSchema) { writer.add(.document(self), to: field) }
}

// Values that stand alone: a document without them is not read.

extension String: FieldValue {
    @inlinable public static var absent: String { "" }
}

extension Bool: FieldValue {
    @inlinable public static var absent: Bool { false }
}

extension Int: FieldValue {
    @inlinable public static var absent: Int { 0 }
}

extension FieldValue where Self: LexicalValue {
    public static var _shape: FieldSchema.Shape { FieldSchema.Shape(kind: _kind, isList: false, defaultText: absent.lexical) }

    public static func _read(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self {
        let value: Self? = try Self._read(reader, field)
        if let value { return value }
        if !reader.isPresent(field) { try reader.reportMissing(field) }
        return .absent
    }
}
