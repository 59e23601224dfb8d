// Documents in nested XML that a server takes beside SDMX and turns into data models.

/// A device the patient has (element `Equipment`). In reports it is an ``Equipment``.
public final class EquipmentDocument: IndivoDocument {
    override public class var modelName: String { "Equipment" }
    override public class var format: Format { .nested(root: "Equipment", namespace: SDMX.namespace) }

    /// The first day of use.
    @Field public var dateStarted: XMLDate?
    /// The last day of use.
    @Field public var dateStopped: XMLDate?
    /// What kind of device it is.
    @Field public var type: String?
    /// At most 40 characters. Required by the server.
    @Field(rules: [.required, .maximumLength(40)]) public var name: String?
    /// At most 40 characters.
    @Field(rules: [.maximumLength(40)]) public var vendor: String?
    /// The device's own id, such as a serial number.
    @Field("id") public var deviceID: String?
    /// What it is, in words (`description`).
    @Field("description") public var details: String?
    /// The specification it was built to.
    @Field public var specification: String?
    /// What it is certified for.
    @Field public var certification: String?
}

/// Something that was done to the patient (element `Procedure`). In reports it is a ``Procedure``.
public final class ProcedureDocument: IndivoDocument {
    override public class var modelName: String { "Procedure" }
    override public class var format: Format { .nested(root: "Procedure", namespace: SDMX.namespace) }

    /// When it was done.
    @Field public var datePerformed: XMLDateTime?
    /// Required by the server. Its title has at most 100 characters.
    @Field(rules: [.required, .part("title", [.required, .maximumLength(100)])]) public var name: CodedText?
    /// Reports spell it `Provider`.
    @Field("provider", formerly: "Provider") public var provider: CareProvider?
    /// Where it was done. At most 100 characters.
    @Field(rules: [.maximumLength(100)]) public var location: String?
    /// What else there is to say.
    @Field public var comments: String?
}

/// A note on a visit (element `SimpleClinicalNote`). In reports it is a ``SimpleClinicalNote``.
public final class SimpleClinicalNoteDocument: IndivoDocument {
    override public class var modelName: String { "SimpleClinicalNote" }
    override public class var format: Format {
        .nested(root: "SimpleClinicalNote", namespace: SDMX.namespace)
    }

    /// Who signed the note, and when.
    public struct Signature: CompoundValue {
        /// When the note was signed.
        @Field public var at: XMLDateTime?
        /// Who signed it.
        @Field(rules: [.required]) public var provider: CareProvider?

        public init() {}
    }

    /// Required by the server.
    @Field(rules: [.required]) public var dateOfVisit: XMLDateTime?
    /// When the note was finished.
    @Field public var finalizedAt: XMLDateTime?
    /// What kind of visit it was, in at most 100 characters.
    @Field(rules: [.part("title", [.maximumLength(100)])]) public var visitType: CodedText?
    /// Where the visit was. At most 200 characters.
    @Field(rules: [.maximumLength(200)]) public var visitLocation: String?
    /// The medical specialty, in at most 100 characters.
    @Field(rules: [.part("title", [.maximumLength(100)])]) public var specialty: CodedText?
    /// At least one; the server's reports know only the first.
    @Field("signature", rules: [.required]) public var signatures: [Signature]
    /// What the patient came for. At most 255 characters.
    @Field(rules: [.maximumLength(255)]) public var chiefComplaint: String?
    /// The note itself.
    @Field public var content: String?
}

/// A remark on another document (element `Annotation`), to be related to it.
public final class Annotation: IndivoDocument {
    override public class var format: Format { .nested(root: "Annotation", namespace: SDMX.namespace) }

    /// The remark.
    @Field public var text: String?
    /// SHA-256 of the annotated document, hexadecimal.
    @Field("document_hash") public var documentHash: String?
}

/// A concept in nested XML: its title as text, its code in attributes (type `CodedValue` of the typed
/// documents).
///
/// In a data model the same is a ``CodedValue``.
public struct CodedText: CompoundValue {
    /// The concept in words.
    @Field(in: .text) public var title: String?
    /// The system the code belongs to. At most 80 characters.
    @Field("type", in: .attribute, rules: [.maximumLength(80)]) public var system: CodeSystem?
    /// The code. At most 40 characters.
    @Field("value", in: .attribute, rules: [.maximumLength(40)]) public var identifier: String?
    /// A short form. At most 20 characters.
    @Field("abbrev", in: .attribute, rules: [.maximumLength(20)]) public var abbreviation: String?

    public init() {}

    /// A text and what it stands for in a code system.
    public init(
        _ title: String?,
        system: CodeSystem? = nil,
        identifier: String? = nil,
        abbreviation: String? = nil
    ) {
        self.title = title
        self.system = system
        self.identifier = identifier
        self.abbreviation = abbreviation
    }
}

/// Who provided care, in nested XML: a name and an institution. Servers want both, if empty ones.
public struct CareProvider: CompoundValue {
    /// The person's name. At most 200 characters.
    @Field(rules: [.present, .maximumLength(200)]) public var name: String?
    /// Where the person works. At most 200 characters.
    @Field(rules: [.present, .maximumLength(200)]) public var institution: String?

    public init() {}

    /// A person who cares for the patient.
    public init(name: String?, institution: String? = nil) {
        self.name = name
        self.institution = institution
    }
}
