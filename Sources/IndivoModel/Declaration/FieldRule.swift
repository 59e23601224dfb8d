/// What a server requires of a field's value, beyond its type.
///
/// ```swift
/// @Field(rules: [.required, .coded(in: .rxNorm)]) public var drugName: CodedValue?
/// ```
/// Rules are checked by ``IndivoDocument/problems()``, never while a document is read: what is there can always be
/// read.
public enum FieldRule: Sendable, Hashable {
    /// There must be a value; of a coded value title, system and identifier.
    case required
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
