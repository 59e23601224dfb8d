/// The fifteen types that SDML names: three simple ones, and twelve compounds that stand for several fields.
public enum SDMLType: String, Sendable, Hashable, CaseIterable {
    /// A text.
    case string = "String"
    case number = "Number"
    /// An instant.
    case date = "Date"
    /// A code of a code system, with its title.
    case codedValue = "CodedValue"
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
        case .codedValue: parts(.string, "identifier", "title", "system")
        case .valueAndUnit: parts(.string, "value", "unit")
        case .valueRange: parts(.valueAndUnit, "max", "min")
        case .quantitativeResult:
            parts(.valueAndUnit, "value") + parts(.valueRange, "normal_range", "non_critical_range")
        case .address: parts(.string, "country", "city", "postalcode", "region", "street")
        case .organization: parts(.string, "name") + parts(.address, "adr")
        case .pharmacy: parts(.string, "ncpdpid", "org") + parts(.address, "adr")
        case .name: parts(.string, "family", "given", "middle", "prefix", "suffix")
        case .telephone: parts(.string, "type", "number") + [SDMLPart(name: "preferred_p", kind: .boolean)]
        case .provider:
            parts(
                .string,
                "dea_number",
                "ethnicity",
                "npi_number",
                "preferred_language",
                "race",
                "gender",
                "email"
            )
                + [SDMLPart(name: "bday", kind: .day)] + parts(.address, "adr") + parts(.name, "name")
                + parts(.telephone, "tel_1", "tel_2")
        case .vitalSign: parts(.string, "unit") + parts(.number, "value") + parts(.codedValue, "name")
        case .bloodPressure:
            parts(.codedValue, "position", "site", "method") + parts(.vitalSign, "diastolic", "systolic")
        }
    }

    private func parts(_ type: SDMLType, _ names: String...) -> [SDMLPart] {
        names.map { SDMLPart(name: $0, kind: .type(type)) }
    }
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
    public let kind: Kind
}

/// A field as it is sent and stored: one text under one name.
public struct SDMLLeaf: Sendable, Hashable {
    /// What the text must be.
    public enum Kind: Sendable, Hashable {
        /// Any text.
        case string
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
    /// The fields that a field `name` of this type stands for: itself, or the parts of a compound,
    /// recursively.
    public func leaves(named name: String) -> [SDMLLeaf] { SDMLPart.Kind.type(self).leaves(named: name) }
}

extension SDMLPart.Kind {
    fileprivate func leaves(named name: String) -> [SDMLLeaf] {
        switch self {
        case .type(.string): [SDMLLeaf(name: name, kind: .string)]
        case .type(.number): [SDMLLeaf(name: name, kind: .number)]
        case .type(.date): [SDMLLeaf(name: name, kind: .dateTime)]
        case .type(let compound): compound.parts.flatMap { $0.kind.leaves(named: "\(name)_\($0.name)") }
        case .boolean: [SDMLLeaf(name: name, kind: .boolean)]
        case .day: [SDMLLeaf(name: name, kind: .day)]
        }
    }
}

extension SDMLField {
    /// The fields that this one stands for in data; a relation stands for none.
    public var leaves: [SDMLLeaf] {
        guard case .value(let type) = type else { return [] }
        return (type == .date && notes.isDay ? SDMLPart.Kind.day : .type(type)).leaves(named: name)
    }
}
