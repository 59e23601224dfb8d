import OrderedJSON

/// A `uri`, `url`, `canonical`, `oid` or `uuid`, as it was written.
public struct FHIRURI: FHIRValue, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text as it was written.
    public let rawValue: String

    /// A URI with this text, which is not checked.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A URI with this text.
    public init(_ text: String) { rawValue = text }
    public init(stringLiteral text: String) { rawValue = text }

    public init?(tree: JSONValue) {
        guard let text = tree.string else { return nil }
        rawValue = text
    }

    public var tree: JSONValue { JSONValue(rawValue) }
    public var description: String { rawValue }

    public static func == (a: Self, b: Self) -> Bool { a.rawValue.utf8.elementsEqual(b.rawValue.utf8) }
}

extension FHIRURI {
    /// LOINC: observations, documents, questions.
    public static let loinc: FHIRURI = "http://loinc.org"
    /// SNOMED CT.
    public static let snomed: FHIRURI = "http://snomed.info/sct"
    /// RxNorm: drugs.
    public static let rxNorm: FHIRURI = "http://www.nlm.nih.gov/research/umls/rxnorm"
    /// UCUM: units.
    public static let ucum: FHIRURI = "http://unitsofmeasure.org"
    /// ICD-10.
    public static let icd10: FHIRURI = "http://hl7.org/fhir/sid/icd-10"
    /// CVX: vaccines.
    public static let cvx: FHIRURI = "http://hl7.org/fhir/sid/cvx"
}
