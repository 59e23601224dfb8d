// How values are read from tables and written into them.

extension Optional: FieldValue where Wrapped: FieldElement {
    @inlinable public static var absent: Self { nil }
    public static var _shape: FieldShape { FieldShape(kind: Wrapped._kind, isList: false) }

    public static func _read(_ reader: TableReader, _ field: FieldSchema) throws -> Self {
        try Wrapped._read(reader, field)
    }

    public func _write(_ writer: TableWriter, _ field: FieldSchema) {
        if let value = self { value._write(writer, field) } else { writer.absent(field) }
    }
}

extension Array: FieldValue where Element: FieldElement {
    @inlinable public static var absent: Self { [] }
    public static var _shape: FieldShape { FieldShape(kind: Element._kind, isList: true) }

    public static func _read(_ reader: TableReader, _ field: FieldSchema) throws -> Self {
        try reader.items(of: field).compactMap { try Element._read($0, reader, field) }
    }

    public func _write(_ writer: TableWriter, _ field: FieldSchema) {
        if !isEmpty { writer.items(map { $0._item(writer) }, of: field) }
    }
}

extension LexicalValue {
    public static var _kind: FieldKind { .leaf(Self.self) }

    public static func _read(_ reader: TableReader, _ field: FieldSchema) throws -> Self? {
        guard let text = reader.text(of: field) else {
            try reader.checkKind(of: field)
            return nil
        }
        do throws(LexicalError) {
            return try read(text, reader)
        } catch {
            try reader.reportUnreadable(text, error, field)
            return nil
        }
    }

    public static func _read(_ item: TableItem, _ reader: TableReader, _ field: FieldSchema) throws -> Self? {
        guard let text = try reader.text(of: item, field) else { return nil }
        do throws(LexicalError) {
            return try read(text, reader)
        } catch {
            try reader.reportUnreadable(text, error, field, in: item)
            return nil
        }
    }

    @inline(__always)
    private static func read(_ text: FieldText, _ reader: TableReader) throws(LexicalError) -> Self {
        if reader.format == .dataModel {
            return try text.withUTF8 { (bytes) throws(LexicalError) in try _fromField(utf8: bytes) }
        }
        return try text.withUTF8 { (bytes) throws(LexicalError) in try _fromLexical(utf8: bytes) }
    }

    public func _write(_ writer: TableWriter, _ field: FieldSchema) { writer.leaf(self, field) }

    public func _item(_ writer: TableWriter) -> TableItem { TableItem(.text(lexical)) }
}

extension CompoundValue {
    public static var _kind: FieldKind { .compound(Self.self) }

    public static func _read(_ reader: TableReader, _ field: FieldSchema) throws -> Self? {
        guard let inner = field.inner, reader.isPresent(field) else {
            try reader.checkKind(of: field)
            return nil
        }
        var value = Self()
        try withUnsafeMutablePointer(to: &value) { try inner.read(into: UnsafeMutableRawPointer($0), reader) }
        return value
    }

    public static func _read(_ item: TableItem, _ reader: TableReader, _ field: FieldSchema) throws -> Self? {
        try reader.value(item, field)
    }

    public func _write(_ writer: TableWriter, _ field: FieldSchema) {
        writer.compound(field) {
            withUnsafePointer(to: self) { field.inner?.write(from: UnsafeRawPointer($0), writer) }
        }
    }

    public func _item(_ writer: TableWriter) -> TableItem { TableItem(.value(writer.table(of: self))) }
}

extension IndivoDocument: FieldElement {
    public static var _kind: FieldKind { .document(self) }

    public static func _read(_ reader: TableReader, _ field: FieldSchema) throws -> Self? {
        try reader.document(of: field, self) as? Self
    }

    public static func _read(_ item: TableItem, _ reader: TableReader, _ field: FieldSchema) throws -> Self? {
        try reader.document(item, self) as? Self
    }

    public func _write(_ writer: TableWriter, _ field: FieldSchema) { writer.items([_item(writer)], of: field) }

    public func _item(_ writer: TableWriter) -> TableItem { TableItem(.document(self)) }
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
    public static var _shape: FieldShape { FieldShape(kind: _kind, isList: false, defaultText: absent.lexical) }

    public static func _read(_ reader: TableReader, _ field: FieldSchema) throws -> Self {
        let value: Self? = try Self._read(reader, field)
        if let value { return value }
        if !reader.isPresent(field) { try reader.reportMissing(field) }
        return .absent
    }
}
