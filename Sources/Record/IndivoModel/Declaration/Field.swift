/// A property that a document (or a compound value) reads from XML and writes to it.
///
/// ```swift
/// public class SleepNight: IndivoDocument {
///     @Field public var started: XMLDateTime?
///     @Field("sleep-score") public var score: Double?          // another name in XML
///     @Field public var phases: [SleepPhase]                   // related documents
/// }
/// ```
/// No other code is needed: a class's fields are found by reflection, once per class. The value is an
/// optional or an array of a ``LexicalValue`` (a leaf), a ``CompoundValue`` or an ``IndivoDocument``;
/// `String`, `Bool` and `Int` may also stand alone, and then must be there when a document is read.
@propertyWrapper
public struct Field<Value: FieldValue> {
    /// What the property holds.
    public var wrappedValue: Value
    /// `nil` if the declaration gives no more than the type.
    @usableFromInline let options: FieldOptions?

    // The initializers are inlinable: each new object makes all its fields, and the module that declares the
    // class knows their types.

    /// A field that is called in XML as in Swift.
    @inlinable
    public init() {
        wrappedValue = .absent
        options = nil
    }

    /// A field with an initial value.
    @inlinable
    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
        options = nil
    }

    /// A field with another name in XML, or stored elsewhere than in a child element.
    /// - Parameters:
    ///   - wrappedValue: The initial value; absent by default.
    ///   - name: The name in XML; the property's own by default.
    ///   - place: The part of nested XML that holds the value. Data models (SDMX) know only elements.
    ///   - formerly: Names under which older documents hold it. They are read; a document that is sent to a
    ///     server uses today's name.
    ///   - rules: What ``IndivoDocument/problems()`` checks of the value.
    @inlinable
    public init(
        wrappedValue: Value = .absent,
        _ name: String = "",
        in place: FieldSchema.Place = .element,
        formerly: String...,
        rules: @autoclosure @escaping @Sendable () -> [FieldRule] = []
    ) {
        self.wrappedValue = wrappedValue
        options = FieldOptions(name: name, place: place, formerly: formerly, rules: rules)
    }

    /// Unavailable in compound values: the name of a field in them depends on the field that holds the value.
    @available(*, unavailable, message: "only the fields of documents have projections")
    public var projectedValue: FieldSchema.Projection {
        fatalError("only the fields of documents have projections")
    }

    /// The projection of a document's field: names, position and presence, as `document.$field`.
    public static subscript<Document: IndivoDocument>(
        _enclosingInstance document: Document,
        projected projectedKeyPath: KeyPath<Document, FieldSchema.Projection>,
        storage storageKeyPath: ReferenceWritableKeyPath<Document, Self>
    ) -> FieldSchema.Projection {
        withUnsafeMutablePointer(to: &document[keyPath: storageKeyPath]) {
            FieldSchema.Projection(document, storage: $0)
        }
    }
}

extension Field: Sendable where Value: Sendable {}

extension Field: Equatable where Value: Equatable {
    public static func == (a: Self, b: Self) -> Bool { a.wrappedValue == b.wrappedValue }
}

extension Field: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

/// What a ``Field``'s declaration says beyond its type.
@usableFromInline
struct FieldOptions: Sendable {
    /// Empty when the property's own name serves.
    let name: String
    let place: FieldSchema.Place
    let formerly: [String]
    /// Called once for each class, when its schema is made: every object holds its fields' options, and none
    /// should pay for a list.
    let rules: @Sendable () -> [FieldRule]

    @usableFromInline
    init(
        name: String = "",
        place: FieldSchema.Place = .element,
        formerly: [String] = [],
        rules: @escaping @Sendable () -> [FieldRule] = { [] }
    ) {
        self.name = name
        self.place = place
        self.formerly = formerly
        self.rules = rules
    }
}

/// What a server requires of a field's value, beyond its type.
///
/// ```swift
/// @Field(rules: [.required, .coded(in: .rxNorm)]) public var drugName: CodedValue?
/// ```
/// Rules are checked by ``IndivoDocument/problems()``, never while a document is read: a document that breaks
/// a rule can still be read.
public enum FieldRule: Sendable, Hashable {
    /// There must be a value; a coded value must have title, system and identifier. In a compound value, the
    /// rule applies only if the compound value is there.
    case required
    /// Nested XML must have the element, even an empty one, as for a name whose parts are not all known.
    case present
    /// Text of at most so many characters. Without a rule a server takes 255.
    case maximumLength(Int)
    /// Text of any length.
    case unlimitedLength
    /// An e-mail address.
    case email
    /// A code of this system: the system of a coded value, or of a vital sign's name.
    case coded(in: CodeSystem)
    /// One of these identifiers: of a coded value, or of a vital sign's name.
    case identifiers([String])
    /// A vital sign's unit.
    case unit(String)
    /// Rules for a part of a compound value, by its Swift name.
    indirect case part(String, [FieldRule])
}
