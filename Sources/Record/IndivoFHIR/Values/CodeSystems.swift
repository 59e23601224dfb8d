import FHIR
import IndivoBase

/// What code systems are called in FHIR.
enum CodeSystems {
    /// Systems by what Indivo's documents call them, in lower case and without `#` or `/` at the end.
    static let known: [(name: String, uri: FHIRURI)] = [
        ("http://purl.bioontology.org/ontology/snomedct", .snomed),
        ("http://purl.bioontology.org/ontology/rxnorm", .rxNorm),
        ("http://purl.bioontology.org/ontology/lnc", .loinc),
        ("http://purl.bioontology.org/ontology/ndfrt", "http://hl7.org/fhir/ndfrt"),
        ("http://purl.bioontology.org/ontology/icd9cm", "http://hl7.org/fhir/sid/icd-9-cm"),
        ("http://purl.bioontology.org/ontology/icd10", .icd10),
        ("http://purl.bioontology.org/ontology/icd10cm", "http://hl7.org/fhir/sid/icd-10-cm"),
        ("http://fda.gov/unii", "http://fdasis.nlm.nih.gov"),
        ("http://www2a.cdc.gov/nip/iis/iisstandards/vaccines.asp?rpt=cvx", .cvx),
        ("snomed", .snomed), ("snomed ct", .snomed), ("snomed-ct", .snomed), ("snomedct", .snomed),
        ("rxnorm", .rxNorm), ("loinc", .loinc), ("cvx", .cvx), ("ndf-rt", "http://hl7.org/fhir/ndfrt"),
        ("unii", "http://fdasis.nlm.nih.gov"), ("cpt", "http://www.ama-assn.org/go/cpt"),
        ("icd-9-cm", "http://hl7.org/fhir/sid/icd-9-cm"), ("icd-9", "http://hl7.org/fhir/sid/icd-9-cm"),
        ("icd-10-cm", "http://hl7.org/fhir/sid/icd-10-cm"), ("icd-10", .icd10),
    ]

    private static let uris = Dictionary(firstOf: known.map { ($0.name, $0.uri) })

    /// The URI of a system: FHIR's own where it has one, else the system's. Another name becomes one
    /// under `http://indivo.org/vocab/fhir/code-system/`, and an OID `urn:oid:…`.
    static func uri(of system: String) -> FHIRURI {
        let system = system.trimmed
        var key = system.lowercased()
        while key.hasSuffix("/") || key.hasSuffix("#") { key.removeLast() }
        if let uri = uris[key] { return uri }
        if isOID(system) { return FHIRURI("urn:oid:" + system) }
        if isAbsolute(system) { return FHIRURI(system) }
        return FHIRURI(Vocabulary.base + "code-system/" + escaped(system))
    }

    private static func isOID(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count > 2 && ["0", "1", "2"].contains(parts[0])
            && parts.allSatisfy { $0.isASCIIDigits }
    }

    /// Whether a text has a scheme and no characters that a URI cannot have.
    private static func isAbsolute(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex, text[text.startIndex].isLetter
        else {
            return false
        }
        return text[..<colon].utf8.allSatisfy { isUnreserved($0) || $0 == UInt8(ascii: "+") }
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>\"{}|\\^`".utf8.contains($0) }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-._".utf8.contains(byte)
    }

    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            isUnreserved(byte)
                ? String(UnicodeScalar(byte))
                : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}

/// URIs of Indivo's own that an export writes.
enum Vocabulary {
    static let base = "http://indivo.org/vocab/fhir/"
    /// The system of identifiers that are made from document ids.
    static let document: FHIRURI = "http://indivo.org/vocab/fhir/document"
    /// The system of identifiers that are records' ids.
    static let record: FHIRURI = "http://indivo.org/vocab/fhir/record"
    /// The system of the tags that are documents' statuses.
    static let documentStatus: FHIRURI = "http://indivo.org/vocab/fhir/document-status"
    /// The extension with the coded value that an element of type code was made from.
    static let codedValue: FHIRURI = "http://indivo.org/vocab/fhir/coded-value"
    /// The extension with a quantity in the unit that the record has, where it was converted.
    static let recordedQuantity: FHIRURI = "http://indivo.org/vocab/fhir/recorded-quantity"
    /// The extension with how it is known that a patient takes a medication.
    static let medicationProvenance: FHIRURI = "http://indivo.org/vocab/fhir/medication-provenance"

    static let dataAbsentReason: FHIRURI = "http://terminology.hl7.org/CodeSystem/data-absent-reason"
    static let dataAbsentExtension: FHIRURI = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"
}
