/// Names that generated declarations cannot have.
enum ReservedNames {
    /// Types that generated code names, so that a class of that name would change its meaning.
    static let usedTypes: Set<String> = [
        "IndivoDocument", "Field", "String", "Double", "XMLDate", "XMLDateTime", "CodedValue", "ValueAndUnit",
        "ValueRange", "QuantitativeResult", "Address", "Organization", "Pharmacy", "PersonName", "Telephone",
        "Provider", "VitalSign", "BloodPressure",
    ]

    /// Types that nearly every Swift file names, and words that cannot name a type.
    static let commonTypes: Set<String> = [
        "Any", "AnyObject", "Array", "Bool", "Character", "Codable", "Data", "Date", "Decimal", "Dictionary", "Error",
        "Int", "Never", "Optional", "Protocol", "Result", "Self", "Sendable", "Set", "Task", "Type", "URL", "Void",
    ]

    /// Members that every document has.
    static let documentMembers: Set<String> = [
        "addRelated", "addRelatedWithoutExternalID", "carenets", "copy", "debugDescription", "description",
        "documentPlace", "hasSameContent", "hash", "hashValue", "id", "isOutdated", "metadata", "modelName", "problems",
        "record", "refreshMetadata", "relate", "related", "replace", "replaceWithoutExternalID", "setLabel",
        "setStatus", "sourceFields", "sourceLine", "state", "statusHistory", "validate", "versions", "xml",
    ]
}
