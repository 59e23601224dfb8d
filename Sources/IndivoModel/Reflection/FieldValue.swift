/// What a ``Field`` can hold: an optional, an array, or one of the few values that can stand alone.
public protocol FieldValue {
    /// The value of a field that a document does not have.
    static var absent: Self { get }
    static var _shape: FieldShape { get }
    static func _read(_ reader: FieldReader, _ field: FieldLayout) throws -> Self
    func _write(_ writer: FieldWriter, _ field: FieldLayout) throws
}

/// One value of a field: a leaf, a compound or a document. Conform to ``LexicalValue`` or ``CompoundValue`` instead.
public protocol FieldElement {
    static var _kind: FieldKind { get }
    /// Reads the value at the reader's place; `nil` when there is none.
    static func _read(_ reader: FieldReader, _ field: FieldLayout) throws -> Self?
    func _write(_ writer: FieldWriter, _ field: FieldLayout) throws
}

/// What kind of value a field's elements are.
public enum FieldKind: Sendable {
    /// One text.
    case leaf(any LexicalValue.Type)
    /// A value made of several fields.
    case compound(any CompoundValue.Type)
    /// Another document.
    case document(IndivoDocument.Type)
}

/// A field's kind and how many values it holds.
public struct FieldShape: Sendable {
    /// What kind of value the elements are.
    public let kind: FieldKind
    /// Whether there may be any number of them.
    public let isList: Bool
    /// The text of the value that a field without one has, where the value is no optional.
    var standIn: String?
}

/// A value made of several fields, such as a coded value: a structure whose properties are ``Field``s.
///
/// In data models its fields are flattened into the document that holds it, joined by `_`.
public protocol CompoundValue: FieldElement, Hashable, Sendable {
    /// An empty value.
    init()
}

extension Optional: FieldValue where Wrapped: FieldElement {
    @inlinable public static var absent: Self { nil }
    public static var _shape: FieldShape { FieldShape(kind: Wrapped._kind, isList: false) }

    public static func _read(_ reader: FieldReader, _ field: FieldLayout) throws -> Self {
        try Wrapped._read(reader, field)
    }

    public func _write(_ writer: FieldWriter, _ field: FieldLayout) throws {
        if let value = self { try value._write(writer, field) } else { try writer.absent(field) }
    }
}

extension Array: FieldValue where Element: FieldElement {
    @inlinable public static var absent: Self { [] }
    public static var _shape: FieldShape { FieldShape(kind: Element._kind, isList: true) }

    public static func _read(_ reader: FieldReader, _ field: FieldLayout) throws -> Self {
        var values: [Element] = []
        try reader.eachItem(of: field) {
            if let value = try Element._read(reader, field) { values.append(value) }
        }
        return values
    }

    public func _write(_ writer: FieldWriter, _ field: FieldLayout) throws {
        try writer.items(count, of: field) { index, writer in try self[index]._write(writer, field) }
    }
}

extension LexicalValue {
    public static var _kind: FieldKind { .leaf(Self.self) }

    public static func _read(_ reader: FieldReader, _ field: FieldLayout) throws -> Self? {
        guard let text = try reader.text(of: field) else { return nil }
        do throws(LexicalError) {
            if reader.readsDataModels {
                return try text.withUTF8 { (bytes) throws(LexicalError) in try _fromField(utf8: bytes) }
            }
            return try text.withUTF8 { (bytes) throws(LexicalError) in try _fromLexical(utf8: bytes) }
        } catch {
            try reader.report(reader.failure(field, text: text.string, error))
            return nil
        }
    }

    public func _write(_ writer: FieldWriter, _ field: FieldLayout) throws {
        try writer.leaf(self, field)
    }
}

extension CompoundValue {
    public static var _kind: FieldKind { .compound(Self.self) }

    public static func _read(_ reader: FieldReader, _ field: FieldLayout) throws -> Self? {
        let layout = field.inner ?? Layout.of(Self.self)
        guard try reader.enter(field, layout) else { return nil }
        var value = Self()
        try withUnsafeMutablePointer(to: &value) { try layout.read(into: UnsafeMutableRawPointer($0), reader) }
        reader.leave(field)
        return value
    }

    public func _write(_ writer: FieldWriter, _ field: FieldLayout) throws {
        let layout = field.inner ?? Layout.of(Self.self)
        try writer.enter(field, layout)
        try withUnsafePointer(to: self) { try layout.write(from: UnsafeRawPointer($0), writer) }
        writer.leave(field)
    }
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
    public static var _shape: FieldShape { FieldShape(kind: _kind, isList: false, standIn: absent.lexical) }

    public static func _read(_ reader: FieldReader, _ field: FieldLayout) throws -> Self {
        let value: Self? = try Self._read(reader, field)
        if let value { return value }
        if !reader.isPresent(field) { try reader.report(reader.missing(field)) }
        return .absent
    }
}
