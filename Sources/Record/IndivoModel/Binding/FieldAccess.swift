/// Reads and writes a ``Field`` in place, its value type known only here.
protocol FieldAccess: SendableMetatype {
    static var shape: FieldSchema.Shape { get }
    static func options(at place: UnsafeRawPointer) -> FieldOptions
    static func read(into place: UnsafeMutableRawPointer, _ reader: FieldSchema.Reader, _ field: FieldSchema)
        throws
    static func write(from place: UnsafeRawPointer, _ writer: FieldSchema.Writer, _ field: FieldSchema)
}

// The pointers come from a schema, which found at that offset a property of exactly this type, initialised as
// all are.
extension Field: FieldAccess {
    static var shape: FieldSchema.Shape { Value._shape }

    static func options(at place: UnsafeRawPointer) -> FieldOptions {
        place.assumingMemoryBound(to: Self.self).pointee.options ?? FieldOptions()
    }

    static func read(into place: UnsafeMutableRawPointer, _ reader: FieldSchema.Reader, _ field: FieldSchema)
        throws
    {
        let value = try Value._read(reader, field)
        place.assumingMemoryBound(to: Self.self).pointee.wrappedValue = value
    }

    static func write(from place: UnsafeRawPointer, _ writer: FieldSchema.Writer, _ field: FieldSchema) {
        place.assumingMemoryBound(to: Self.self).pointee.wrappedValue._write(writer, field)
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
        // A loop: `compactMap` in a generic function allocates memory for each element that it takes out of
        // the array.
        var values: [Element] = []
        for item in reader.items(of: field) {
            if let value = try Element._read(reader.at(item), field) { values.append(value) }
        }
        return values
    }

    public func _write(_ writer: FieldSchema.Writer, _ field: FieldSchema) {
        for value in self { value._write(writer, field) }
    }
}

extension LexicalValue {
    public static var _kind: FieldSchema.Kind { .leaf(Self.self) }

    public static func _read(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self? {
        guard let text = reader.text(of: field) else { return nil }
        do throws(LexicalError) {
            return try text.withUTF8 { (bytes) throws(LexicalError) in
                try _read(utf8: bytes, isField: reader.format == .dataModel)
            }
        } catch {
            try reader.report(.unreadableValue(text: text.string, error), field)
            return nil
        }
    }

    public func _write(_ writer: FieldSchema.Writer, _ field: FieldSchema) { writer.leaf(self, field) }
}

extension CompoundValue {
    public static var _kind: FieldSchema.Kind { .compound(Self.self) }

    public static func _read(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self? {
        guard let inner = field.inner else { return try reader.itemValue(field) }
        guard reader.isPresent(field) else { return nil }
        var value = Self()
        try withUnsafeMutablePointer(to: &value) { try inner.read(into: UnsafeMutableRawPointer($0), reader) }
        return value
    }

    public func _write(_ writer: FieldSchema.Writer, _ field: FieldSchema) {
        guard let inner = field.inner else { return writer.add(.value(self), to: field) }
        writer.compound(field) {
            withUnsafePointer(to: self) { inner.write(from: UnsafeRawPointer($0), writer) }
        }
    }
}

extension IndivoDocument: FieldElement {
    public static var _kind: FieldSchema.Kind { .document(self) }

    public static func _read(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self? {
        try reader.document(of: field, self) as? Self
    }

    public func _write(_ writer: FieldSchema.Writer, _ field: FieldSchema) {
        writer.add(.document(self), to: field)
    }
}

// Values that stand alone: a document without them is not read.

extension String: FieldValue { @inlinable public static var absent: String { "" } }

extension Bool: FieldValue { @inlinable public static var absent: Bool { false } }

extension Int: FieldValue { @inlinable public static var absent: Int { 0 } }

extension FieldValue where Self: LexicalValue {
    public static var _shape: FieldSchema.Shape {
        FieldSchema.Shape(kind: _kind, isList: false, defaultText: absent.lexical)
    }

    public static func _read(_ reader: FieldSchema.Reader, _ field: FieldSchema) throws -> Self {
        let value: Self? = try Self._read(reader, field)
        if let value { return value }
        if !reader.isPresent(field) { try reader.report(.missingValue, field) }
        return .absent
    }
}
