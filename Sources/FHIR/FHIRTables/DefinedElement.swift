/// An element of a type.
public struct DefinedElement: Sendable {
    /// The name; of a choice without `[x]`.
    public let name: String
    /// The path from the type, as in `Observation.component.value[x]`.
    public private(set) var path: String
    /// Whether the name is followed by one of the types: `value[x]`.
    public let isChoice: Bool
    /// How many there must be.
    public let minimum: Int
    /// How many there may be; `nil` for any number.
    public let maximum: Int?
    /// The types that a value may have; one, unless it is a choice.
    public let types: [ElementType]
    /// Whether it is part of a summary.
    public let isSummary: Bool
    /// Whether it changes the meaning of what it is in.
    public let isModifier: Bool
    /// Whether it is an attribute in XML.
    public let isXMLAttribute: Bool
    /// Whether it is XHTML in XML.
    public let isXHTML: Bool
    /// The codes that it may have.
    public let binding: Binding?
    /// The keys of the rules that hold for it, `ele-1` and `ext-1` included; those of its type are the
    /// type's.
    public let rules: [String]
    /// A regular expression for the whole text of a primitive's value.
    public let pattern: String?
    /// How many characters it may have.
    public let maximumLength: Int?
    /// The least and the greatest value of an integer.
    public let range: ClosedRange<Int>?

    /// The element as a type has it that specializes the element's type.
    func inherited(by type: String) -> DefinedElement {
        var element = self
        element.path = type + "." + name + (isChoice ? "[x]" : "")
        return element
    }

    /// Whether it is an array in JSON.
    public var isList: Bool { maximum != 1 && maximum != 0 }
}

/// One of the types that an element's value may have.
public struct ElementType: Sendable {
    /// The name as the specification has it: `Quantity`, `BackboneElement`, `code`.
    public let code: String
    /// The type: for backbone elements the nested one. An index in ``Definitions/types``.
    public let id: Int
    /// The resources that a reference or canonical may be to; empty for any.
    public let targets: [String]
    /// A profile that the value must conform to: `SimpleQuantity`.
    public let profile: String?
    /// The end of the name in JSON of a choice with this type: `Quantity`, `DateTime`.
    public let suffix: String
}

/// Which codes an element may have.
public struct Binding: Sendable, Hashable {
    /// How much the value set binds.
    public enum Strength: String, Sendable {
        /// A code must be of the value set.
        case required
        /// A code must be of the value set, unless that has none that fits.
        case extensible
        /// A code should be of the value set.
        case preferred
        /// The value set only shows what codes there are.
        case example
    }

    /// How much the value set binds.
    public let strength: Strength
    /// The end of the value set's URL; for others than FHIR's own the URL.
    public let valueSet: String
    /// The value set that a code must be in even where the binding is weaker.
    public let maximumValueSet: String?
}
