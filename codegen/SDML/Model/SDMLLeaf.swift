/// A field as it is sent and stored: one text under one name.
public struct SDMLLeaf: Sendable, Hashable {
    /// What the text must be.
    public enum Kind: Sendable, Hashable {
        /// Any text.
        case string
        /// A number.
        case number
        /// An instant.
        case dateTime
        /// A calendar day.
        case day
        /// `true` or `false`.
        case boolean
    }

    /// The name, for example `drugName_title`.
    public let name: String
    /// What the text must be.
    public let kind: Kind

    /// A field as it is sent.
    public init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }
}

extension SDMLType {
    /// The fields that a field `name` of this type stands for: itself, or the parts of a compound, recursively.
    public func leaves(named name: String) -> [SDMLLeaf] {
        switch self {
        case .string: return [SDMLLeaf(name: name, kind: .string)]
        case .number: return [SDMLLeaf(name: name, kind: .number)]
        case .date: return [SDMLLeaf(name: name, kind: .dateTime)]
        default:
            return parts.flatMap { part in
                let partName = "\(name)_\(part.name)"
                return switch part.kind {
                case .type(let type): type.leaves(named: partName)
                case .boolean: [SDMLLeaf(name: partName, kind: .boolean)]
                case .day: [SDMLLeaf(name: partName, kind: .day)]
                }
            }
        }
    }
}

extension SDMLField {
    /// The fields that this one stands for in data; a relation stands for none.
    public var leaves: [SDMLLeaf] {
        guard case .value(let type) = type else { return [] }
        if type == .date, notes.isDay { return [SDMLLeaf(name: name, kind: .day)] }
        return type.leaves(named: name)
    }
}
