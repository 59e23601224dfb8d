import SDML

/// What SDML's types are called in Swift.
package enum SwiftValueTypes {
    /// Compounds are structs of the same name, but for `Name`, which says too little outside a model.
    static func name(of type: SDMLType, isDay: Bool) -> String {
        switch type {
        case .number: "Double"
        case .date: isDay ? "XMLDate" : "XMLDateTime"
        case .name: "PersonName"
        default: type.rawValue
        }
    }

    /// The property of a compound's struct that holds one of its parts.
    package static func property(ofPart part: String, in type: SDMLType) -> String {
        switch (type, part) {
        case (.telephone, "type"): "kind"
        case (.telephone, "preferred_p"): "isPreferred"
        case (_, "adr"): "address"
        case (_, "bday"): "birthday"
        case (_, "max"): "maximum"
        case (_, "min"): "minimum"
        case (_, "ncpdpid"): "ncpdpID"
        case (_, "org"): "organization"
        case (_, "postalcode"): "postalCode"
        case (_, "tel_1"): "telephone1"
        case (_, "tel_2"): "telephone2"
        default: SwiftSpelling.lowerCamel(part, fallback: part)
        }
    }
}
