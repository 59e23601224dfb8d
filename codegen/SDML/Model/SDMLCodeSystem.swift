/// A code system, from which the identifiers of coded values are taken.
public struct SDMLCodeSystem: Sendable, Hashable {
    /// What people call it; nil when only its URI is known.
    public let title: String?
    /// The URI that data carries.
    public let uri: String

    /// A system known only by its URI.
    public init(uri: String) { self = Self.known.first { $0.uri == uri } ?? Self(title: nil, uri: uri) }

    private init(title: String?, uri: String) {
        self.title = title
        self.uri = uri
    }

    /// The system that `text` means: a title of ``known``, or a URI.
    static func named(_ text: String) -> Self? {
        known.first { $0.title == text } ?? (text.contains(":") ? Self(uri: text) : nil)
    }

    /// The systems of Indivo's core models.
    public static let known: [SDMLCodeSystem] =
        [
            SDMLCodeSystem(title: "SNOMED CT", uri: "http://purl.bioontology.org/ontology/SNOMEDCT/"),
            SDMLCodeSystem(title: "RxNorm", uri: "http://purl.bioontology.org/ontology/RXNORM/"),
            SDMLCodeSystem(title: "NDF-RT", uri: "http://purl.bioontology.org/ontology/NDFRT/"),
            SDMLCodeSystem(title: "UNII", uri: "http://fda.gov/UNII/"),
            SDMLCodeSystem(title: "LOINC", uri: "http://purl.bioontology.org/ontology/LNC/"),
            SDMLCodeSystem(
                title: "CVX",
                uri: "http://www2a.cdc.gov/nip/IIS/IISStandards/vaccines.asp?rpt=cvx#"
            ),
            SDMLCodeSystem(
                title: "CDC vaccine groups",
                uri: "http://www2a.cdc.gov/nip/IIS/IISStandards/vaccines.asp?rpt=vg#"
            ),
        ]
        + [
            "ImmunizationAdministrationStatus", "ImmunizationRefusalReason", "LabResultInterpretation",
            "LabStatus",
            "MedicationProvenance", "EncounterType", "BloodPressureMethod",
        ].map { SDMLCodeSystem(title: "SMART \($0)", uri: "http://smartplatforms.org/terms/codes/\($0)#") }
}
