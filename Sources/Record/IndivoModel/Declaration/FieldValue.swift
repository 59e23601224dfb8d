/// A value that a ``Field`` can hold: an optional, an array, or one of the few values that can stand alone.
public protocol FieldValue {
    /// The value of a field that a document does not have.
    static var absent: Self { get }
    static var _shape: FieldSchema.Shape { get }
}

/// One value of a field: a leaf, a compound or a document. Conform to ``LexicalValue`` or ``CompoundValue``
/// instead.
public protocol FieldElement { static var _kind: FieldSchema.Kind { get } }

extension LexicalValue { public static var _kind: FieldSchema.Kind { .leaf(Self.self) } }

extension CompoundValue { public static var _kind: FieldSchema.Kind { .compound(Self.self) } }

extension IndivoDocument: FieldElement { public static var _kind: FieldSchema.Kind { .document(self) } }

extension Optional: FieldValue where Wrapped: FieldElement {
    @inlinable public static var absent: Self { nil }
    public static var _shape: FieldSchema.Shape { FieldSchema.Shape(kind: Wrapped._kind, isList: false) }
}

extension Array: FieldValue where Element: FieldElement {
    @inlinable public static var absent: Self { [] }
    public static var _shape: FieldSchema.Shape { FieldSchema.Shape(kind: Element._kind, isList: true) }
}

// Values that stand alone: a document without them is not read.

extension String: FieldValue { @inlinable public static var absent: String { "" } }

extension Bool: FieldValue { @inlinable public static var absent: Bool { false } }

extension Int: FieldValue { @inlinable public static var absent: Int { 0 } }

extension FieldValue where Self: LexicalValue {
    public static var _shape: FieldSchema.Shape {
        FieldSchema.Shape(kind: _kind, isList: false, defaultText: absent.lexical)
    }
}

extension FieldSchema {
    /// What kind of value a field's elements are.
    public enum Kind: Sendable {
        /// One text.
        case leaf(any LexicalValue.Type)
        /// A value made of several fields.
        case compound(any CompoundValue.Type)
        /// Another document.
        case document(IndivoDocument.Type)
    }

    /// A field's kind and how many values it holds.
    public struct Shape: Sendable {
        /// What kind of value the elements are.
        public let kind: Kind
        /// Whether there may be any number of them.
        public let isList: Bool
        /// The text of the default that a field has without a value, if its type is not an optional.
        var defaultText: String?
    }

    /// Where nested XML holds a field's value.
    public enum Place: Sendable {
        /// In a child element of that name.
        case element
        /// In an attribute of that name.
        case attribute
        /// In the element's own text; the name is not used.
        case text
    }
}

/// A value made of several fields, such as a coded value: a structure whose properties are ``Field``s.
///
/// In data models its fields are flattened into the document that holds it, joined by `_`.
public protocol CompoundValue: FieldElement, Hashable, Sendable, CustomStringConvertible {
    /// An empty value.
    init()
}
