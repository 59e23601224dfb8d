/// The fifteen types that SDML names: three simple ones, and twelve compounds that stand for several fields.
public enum SDMLType: String, Sendable, Hashable, CaseIterable {
    /// A text.
    case string = "String"
    /// A number.
    case number = "Number"
    /// An instant.
    case date = "Date"
    /// A code of a code system, with its title.
    case codedValue = "CodedValue"
    /// A value with its unit.
    case valueAndUnit = "ValueAndUnit"
    /// A least and a greatest value.
    case valueRange = "ValueRange"
    /// A measured value, with the ranges that it is judged by.
    case quantitativeResult = "QuantitativeResult"
    /// A postal address.
    case address = "Address"
    /// An organization with its address.
    case organization = "Organization"
    /// A pharmacy with its address.
    case pharmacy = "Pharmacy"
    /// A person's name.
    case name = "Name"
    /// A telephone number.
    case telephone = "Telephone"
    /// A person who provides care.
    case provider = "Provider"
    /// A vital sign: value, unit and code.
    case vitalSign = "VitalSign"
    /// A blood pressure: systolic, diastolic, and how it was taken.
    case bloodPressure = "BloodPressure"

    /// The parts of a compound, in the server's order; empty for a simple type.
    ///
    /// A field `f` of a compound type is never sent as `f` but as one field `f_part` for each part.
    public var parts: [SDMLPart] {
        switch self {
        case .string, .number, .date: []
        case .codedValue: strings("identifier", "title", "system")
        case .valueAndUnit: strings("value", "unit")
        case .valueRange: [SDMLPart("max", .valueAndUnit), SDMLPart("min", .valueAndUnit)]
        case .quantitativeResult:
            [SDMLPart("value", .valueAndUnit), SDMLPart("normal_range", .valueRange), SDMLPart("non_critical_range", .valueRange)]
        case .address: strings("country", "city", "postalcode", "region", "street")
        case .organization: strings("name") + [SDMLPart("adr", .address)]
        case .pharmacy: strings("ncpdpid", "org") + [SDMLPart("adr", .address)]
        case .name: strings("family", "given", "middle", "prefix", "suffix")
        case .telephone: strings("type", "number") + [SDMLPart("preferred_p", .boolean)]
        case .provider:
            strings("dea_number", "ethnicity", "npi_number", "preferred_language", "race", "gender", "email") + [
                SDMLPart("bday", .day), SDMLPart("adr", .address), SDMLPart("name", .name),
                SDMLPart("tel_1", .telephone), SDMLPart("tel_2", .telephone),
            ]
        case .vitalSign: [SDMLPart("unit", .string), SDMLPart("value", .number), SDMLPart("name", .codedValue)]
        case .bloodPressure:
            [
                SDMLPart("position", .codedValue), SDMLPart("site", .codedValue), SDMLPart("method", .codedValue),
                SDMLPart("diastolic", .vitalSign), SDMLPart("systolic", .vitalSign),
            ]
        }
    }

    private func strings(_ names: String...) -> [SDMLPart] { names.map { SDMLPart($0, .string) } }
}

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

    init(_ name: String, _ type: SDMLType) { self.init(name, .type(type)) }

    init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }
}

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
    public init(name: String, kind: Kind) { (self.name, self.kind) = (name, kind) }
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
