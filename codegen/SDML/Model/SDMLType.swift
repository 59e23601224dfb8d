/// The fifteen types that SDML names: three simple ones, and twelve compounds that stand for several fields.
public enum SDMLType: String, Sendable, Hashable, CaseIterable {
    case string = "String"
    case number = "Number"
    case date = "Date"
    case codedValue = "CodedValue"
    case valueAndUnit = "ValueAndUnit"
    case valueRange = "ValueRange"
    case quantitativeResult = "QuantitativeResult"
    case address = "Address"
    case organization = "Organization"
    case pharmacy = "Pharmacy"
    case name = "Name"
    case telephone = "Telephone"
    case provider = "Provider"
    case vitalSign = "VitalSign"
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
            [
                SDMLPart("value", .valueAndUnit), SDMLPart("normal_range", .valueRange),
                SDMLPart("non_critical_range", .valueRange),
            ]
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
