import IndivoXML

/// A concept with its code: a title for people, an identifier within a code system for programs. SDML type
/// `CodedValue`.
public struct CodedValue: CompoundValue {
    /// The concept in words.
    @Field(formerly: "code_title") public var title: String?
    /// The system the identifier belongs to.
    @Field(formerly: "code_system") public var system: CodeSystem?
    /// The code.
    @Field(formerly: "code_identifier") public var identifier: String?

    public init() {}

    /// A code, what it means in words, and the system it is a code of.
    public init(title: String?, system: CodeSystem? = nil, identifier: String? = nil) {
        self.title = title
        self.system = system
        self.identifier = identifier
    }
}

/// A system of codes, named by its URI.
///
/// The known ones are those that Indivo's core models use. Any other is made from its URI:
/// `CodeSystem("http://codes.example.org/sleep#")`.
public struct CodeSystem: LexicalValue, ExpressibleByStringLiteral, CustomStringConvertible, XMLTextReadable {
    /// The URI as it stands in documents.
    public let uri: String

    /// A system by its URI.
    public init(_ uri: String) { self.uri = uri }
    public init(lexical text: String) { uri = text }
    public var lexical: String { uri }

    /// SNOMED CT: findings, allergies, problems.
    public static let snomed = CodeSystem("http://purl.bioontology.org/ontology/SNOMEDCT/")
    /// RxNorm: drugs.
    public static let rxNorm = CodeSystem("http://purl.bioontology.org/ontology/RXNORM/")
    /// NDF-RT: classes of drugs.
    public static let ndfrt = CodeSystem("http://purl.bioontology.org/ontology/NDFRT/")
    /// UNII: substances, foods among them.
    public static let unii = CodeSystem("http://fda.gov/UNII/")
    /// LOINC: laboratory tests and measurements.
    public static let loinc = CodeSystem("http://purl.bioontology.org/ontology/LNC/")
    /// CVX: vaccines.
    public static let cvx = CodeSystem("http://www2a.cdc.gov/nip/IIS/IISStandards/vaccines.asp?rpt=cvx#")
    /// Vaccine groups.
    public static let vaccineGroup = CodeSystem(
        "http://www2a.cdc.gov/nip/IIS/IISStandards/vaccines.asp?rpt=vg#"
    )

    /// One of SMART's own code lists, such as `smart("LabStatus")`.
    public static func smart(_ list: String) -> CodeSystem {
        CodeSystem("http://smartplatforms.org/terms/codes/\(list)#")
    }
}
