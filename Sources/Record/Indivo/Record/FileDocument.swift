/// A document as bytes: a scan, a text, XML that is not a model, or any document before its content matters.
///
/// ```swift
/// for try await document in record.documents() {
///     print(document.metadata?.label ?? "", document.metadata?.size ?? 0)
/// }
/// let file = try await record.document(id)
/// let medication = try file.read(as: Medication.self)
/// ```
public final class FileDocument: RecordDocument, CustomStringConvertible {
    public var documentPlace: DocumentPlace

    /// The content; `nil` when only the metadata is known so far. Set it to something else and
    /// ``RecordDocument/replace(externalID:validation:)`` stores that.
    public var content: FileContent?

    /// What the server has, where that is known.
    private var storedContent: FileContent?

    /// A new document.
    public init(_ content: FileContent) {
        self.content = content
        documentPlace = DocumentPlace()
    }

    /// A document of a record, known by its id alone. Nothing is asked of the server.
    public init(id: String, in record: IndivoRecord) {
        documentPlace = DocumentPlace(stage: .inRecord(record), id: id)
    }

    init(_ metadata: DocumentMetadata, in record: IndivoRecord?, content: FileContent? = nil) {
        documentPlace = DocumentPlace(
            stage: record?.stage ?? .inNoRecord,
            id: metadata.id,
            metadata: metadata
        )
        self.content = content
        storedContent = content
    }

    /// The document's id on its server; `nil` before it is there.
    public var id: String? { documentPlace.id }

    /// What the server says of the document, as of the last call that reported it.
    public var metadata: DocumentMetadata? { documentPlace.metadata }

    public var state: DocumentPlace.State {
        guard documentPlace.id != nil else { return .new }
        return content == nil || content == storedContent ? .pushed : .changed
    }

    /// Fetches the content as the server has it (`record_specific_document`), and checks it against the
    /// digest, where the metadata has one. Where a response has no length, the metadata is asked for if it is
    /// not known.
    /// - Throws: ``IndivoError``.
    @discardableResult
    public func fetchContent() async throws -> FileContent {
        let fetched = try await fetchStored().content
        content = fetched
        storedContent = fetched
        return fetched
    }

    /// Reads the content as a document of a class, which from then on knows where it is.
    ///
    /// From an SDMX document with several models, it reads the one of that class. A value that cannot be read
    /// is missing, and the document's `readingProblems` lists it.
    /// - Throws: ``IndivoError`` if no content was fetched, or if it is not a document of that class.
    public func read<Document: IndivoDocument>(as type: Document.Type) throws -> Document {
        let content = try contentToStore()
        let call = IndivoCall.recordSpecificDocument
        let found = try call.converting("the content cannot be read as \(type.modelName)") {
            let root = try content.xml()
            let isFile = root.name == "Models" && root.children(named: "Model").count > 1
            return isFile
                ? try SDMXDocument(stored: root).models.compactMap { $0 as? Document }
                : [try Document.read(stored: root)]
        }
        try call.require(
            found.count == 1,
            "the document holds \(found.count) models “\(type.modelName)”, not one; read it with models()"
        )
        found[0].documentPlace = documentPlace
        return found[0]
    }

    /// Reads the content as SDMX: all its models, which from then on know where they are.
    /// - Throws: ``IndivoError`` when no content was fetched, or it is not SDMX or SDMJ.
    public func models() throws -> SDMXDocument {
        let content = try contentToStore()
        let file = try IndivoCall.recordSpecificDocument.converting("the content cannot be read as models") {
            try content.storedModels()
        }
        for model in file.models { model.documentPlace = documentPlace }
        return file
    }

    /// The content.
    /// - Throws: ``IndivoError`` when it is not here yet.
    public func contentToStore() throws -> FileContent {
        guard let content else {
            throw IndivoCall.recordSpecificDocument.refused(
                "the document's content is not here yet; call fetchContent()"
            )
        }
        return content
    }

    /// What to send of the document.
    func upload() throws -> DocumentUpload {
        let content = try contentToStore()
        return DocumentUpload(documents: [self], content: content) { [self] in storedContent = content }
    }

    /// The id, never what the document says of the patient.
    public var description: String { "document" + (id.map { " \($0)" } ?? " (new)") }
}
