import FHIRTables

/// What things are called in Swift.
package enum Names {
    /// The Swift type of a primitive.
    package static let primitives: [String: String] = [
        "boolean": "Bool", "integer": "Int", "positiveInt": "Int", "unsignedInt": "Int",
        "decimal": "FHIRDecimal",
        "string": "String", "markdown": "String", "code": "String", "id": "String", "base64Binary": "String",
        "xhtml": "String", "uri": "FHIRURI", "url": "FHIRURI", "canonical": "FHIRURI", "oid": "FHIRURI",
        "uuid": "FHIRURI", "date": "FHIRDate", "dateTime": "FHIRDateTime", "instant": "FHIRInstant",
        "time": "FHIRTime",
    ]

    /// Types whose names in FHIR would hide types of Swift's standard library from everybody who imports the
    /// module.
    private static let renamed = ["Task": "FHIRTask", "Range": "FHIRRange", "Duration": "FHIRDuration"]

    package static func type(_ name: String) -> String { renamed[name] ?? name }

    /// Value sets whose names say too little, or too much.
    private static let renamedValueSets = [
        "resource-types": "ResourceType", "all-types": "FHIRTypeName", "http-verb": "HTTPVerb",
        "FHIR-version": "FHIRVersion",
        "days-of-week": "DayOfWeek", "units-of-time": "UnitOfTime", "item-type": "QuestionnaireItemType",
        "consent-state-codes": "ConsentState", "assert-operator-codes": "AssertOperator",
        "questionnaire-answers-status": "QuestionnaireResponseStatus",
        "allergyintolerance-clinical": "AllergyIntoleranceClinical",
        "allergyintolerance-verification": "AllergyIntoleranceVerification",
    ]

    package static func valueSet(_ name: String) -> String {
        renamedValueSets[name] ?? pascal(words(of: name))
    }

    /// A nested type after its element; `Type` and `Protocol` mean something else after a dot.
    package static func nested(_ element: String) -> String {
        let name = capitalized(element)
        return ["Type", "Protocol", "Self"].contains(name) ? name + "Element" : name
    }

    package static func capitalized(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }

    package static func uncapitalized(_ text: String) -> String {
        text.prefix(1).lowercased() + text.dropFirst()
    }

    /// The words of an element's name, in lower case: `bodySite` is body site.
    package static func prose(_ element: String) -> String {
        element.reduce(into: "") { text, character in
            text += character.isUppercase ? " " + character.lowercased() : String(character)
        }
    }

    private static func words(of text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber || !$0.isASCII }.map(String.init)
    }

    private static func pascal(_ words: [String]) -> String { words.map(capitalized).joined() }

    /// A case for a code.
    static func enumCase(_ code: String, display: String) -> String {
        var parts = words(of: code)
        if code.first.map({ !$0.isLetter && !$0.isNumber }) ?? true
            || code.first?.isNumber == true && code != display
        {
            // For codes such as "<" and "1", the display gives the name.
            parts = words(of: display)
        }
        if parts.first?.first?.isNumber ?? true { return "v" + parts.joined(separator: "_") }
        parts = parts.map { $0.allSatisfy { $0.isUppercase || $0.isNumber } ? $0.lowercased() : $0 }
        let name = uncapitalized(parts[0]) + parts.dropFirst().map(capitalized).joined()
        // `other` is the case for unknown codes, and `none` is a case of `Optional`.
        return ["other": "codedOther", "none": "codedNone"][name] ?? name
    }
}
