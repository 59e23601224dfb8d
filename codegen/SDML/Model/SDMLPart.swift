/// One part of a compound type.
public struct SDMLPart: Sendable, Hashable {
    /// What a part can be: a type that SDML names, or one of the two that occur only inside compounds.
    public enum Kind: Sendable, Hashable {
        /// A type that SDML names.
        case type(SDMLType)
        /// `true` or `false`.
        case boolean
        /// A calendar day.
        case day
    }

    /// The suffix that it adds to the field's name, without the `_` before it.
    public let name: String
    /// What it is.
    public let kind: Kind

    init(_ name: String, _ type: SDMLType) {
        self.name = name
        self.kind = .type(type)
    }

    init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }
}
