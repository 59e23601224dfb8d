/// What a notes file says about a field, or about a part of a compound field: all that SDML has no words for.
public struct FieldNotes: Sendable, Hashable {
    /// How long a text may be.
    public enum Length: Sendable, Hashable {
        /// Not said: a server takes 255 characters.
        case standard
        /// So many characters.
        case limited(Int)
        /// As long as it likes.
        case unlimited
    }

    /// What it means, in sentences.
    public var documentation: String?
    /// The name its property should have instead of the one made from the field's.
    public var swiftName: String?
    /// Names under which older documents hold the same thing.
    public var formerly: [String] = []
    /// Whether a `Date` is a calendar day and not an instant.
    public var isDay = false
    /// Whether the server refuses data without it. A coded value then needs title, system and identifier.
    public var isRequired = false
    /// How long a text may be.
    public var maximumLength = Length.standard
    /// The code system of a coded value, or of the name of a vital sign.
    public var codeSystem: SDMLCodeSystem?
    /// The allowed identifiers (texts, for a `String`); empty when all are allowed.
    public var valueSet: [AllowedValue] = []
    /// The unit of a value.
    public var unit: String?
    /// What is said about the parts of a compound, in the order of the type's parts.
    public var parts: [PartNotes] = []
}

/// What a notes file says about one part of a compound field.
public struct PartNotes: Sendable, Hashable {
    /// The part's name, for example `systolic`.
    public let name: String
    /// What is said.
    public let notes: FieldNotes
}

/// A value that a value set allows.
public struct AllowedValue: Sendable, Hashable {
    /// The identifier, or the text.
    public let identifier: String
    /// What it means, when the identifier does not say it.
    public let title: String?

    /// An allowed value.
    public init(identifier: String, title: String? = nil) {
        self.identifier = identifier
        self.title = title
    }
}

/// What a notes file says about a model.
public struct ModelNotes: Sendable, Hashable {
    /// What the model is.
    public var documentation: String?
    /// The name its class should have instead of the one made from the model's.
    public var swiftName: String?

    /// Nothing said.
    public init(documentation: String? = nil, swiftName: String? = nil) {
        self.documentation = documentation
        self.swiftName = swiftName
    }
}
