// Documents in nested XML that a server takes beside SDMX and turns into data models.

extension DocumentFormat {
    /// Nested XML in Indivo's own namespace.
    static func typed(_ root: String) -> DocumentFormat { .nested(root: root, namespace: SDMX.namespace) }
}

/// A device the patient has (element `Equipment`). In reports it is an ``Equipment``.
public final class EquipmentDocument: IndivoDocument {
    override public class var modelName: String { "Equipment" }
    override public class var format: DocumentFormat { .typed("Equipment") }

    @Field public var dateStarted: XMLDate?
    @Field public var dateStopped: XMLDate?
    @Field public var type: String?
    /// At most 40 characters. Required by the server.
    @Field public var name: String?
    /// At most 40 characters.
    @Field public var vendor: String?
    /// The device's own id, such as a serial number.
    @Field("id") public var deviceID: String?
    @Field("description") public var details: String?
    @Field public var specification: String?
    @Field public var certification: String?
}

/// Something that was done to the patient (element `Procedure`). In reports it is a ``Procedure``.
public final class ProcedureDocument: IndivoDocument {
    override public class var modelName: String { "Procedure" }
    override public class var format: DocumentFormat { .typed("Procedure") }

    @Field public var datePerformed: XMLDateTime?
    /// Required by the server.
    @Field public var name: CodedText?
    /// Reports spell it `Provider`.
    @Field("provider", formerly: "Provider") public var provider: CareProvider?
    @Field public var location: String?
    @Field public var comments: String?
}

/// A note on a visit (element `SimpleClinicalNote`). In reports it is a ``SimpleClinicalNote``.
public final class SimpleClinicalNoteDocument: IndivoDocument {
    override public class var modelName: String { "SimpleClinicalNote" }
    override public class var format: DocumentFormat { .typed("SimpleClinicalNote") }

    /// Who signed the note, and when.
    public struct Signature: CompoundValue {
        @Field public var at: XMLDateTime?
        @Field public var provider: CareProvider?

        public init() {}
    }

    /// Required by the server.
    @Field public var dateOfVisit: XMLDateTime?
    @Field public var finalizedAt: XMLDateTime?
    @Field public var visitType: CodedText?
    @Field public var visitLocation: String?
    @Field public var specialty: CodedText?
    /// At least one; the server's reports know only the first.
    @Field("signature") public var signatures: [Signature]
    @Field public var chiefComplaint: String?
    @Field public var content: String?
}

/// A remark on another document (element `Annotation`), to be related to it.
public final class Annotation: IndivoDocument {
    override public class var format: DocumentFormat { .typed("Annotation") }

    @Field public var text: String?
    /// SHA-256 of the annotated document, hexadecimal.
    @Field("document_hash") public var documentHash: String?
}
