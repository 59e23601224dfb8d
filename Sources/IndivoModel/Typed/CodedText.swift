/// A concept in nested XML: its title as text, its code in attributes (type `CodedValue` of the typed documents).
///
/// In a data model the same is a ``CodedValue``.
public struct CodedText: CompoundValue {
    /// The concept in words.
    @Field(in: .text) public var title: String?
    /// The system the code belongs to.
    @Field("type", in: .attribute) public var system: CodeSystem?
    /// The code.
    @Field("value", in: .attribute) public var identifier: String?
    /// A short form.
    @Field("abbrev", in: .attribute) public var abbreviation: String?

    public init() {}

    /// A text and what it stands for in a code system.
    public init(_ title: String?, system: CodeSystem? = nil, identifier: String? = nil, abbreviation: String? = nil) {
        self.title = title
        self.system = system
        self.identifier = identifier
        self.abbreviation = abbreviation
    }
}

/// Who provided care, in nested XML: a name and an institution.
public struct CareProvider: CompoundValue {
    /// The person's name.
    @Field public var name: String?
    /// Where the person works.
    @Field public var institution: String?

    public init() {}

    /// A person who cares for the patient.
    public init(name: String?, institution: String? = nil) {
        self.name = name
        self.institution = institution
    }
}
