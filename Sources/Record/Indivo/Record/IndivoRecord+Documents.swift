extension IndivoRecord {
    // MARK: Adding

    /// Adds a document (`document_create_by_ext_id`, `document_create`), of which id and metadata are known
    /// then.
    ///
    /// The document is checked by the rules of its model first. To send a document that breaks a rule, such
    /// as one with a code that the model does not know yet, say so: `add(medication, validation: .none)`.
    ///
    /// Nothing is stored twice when a response is lost, unless ``ExternalID/none`` is given: the library then
    /// searches for the document by the external id, and sends it again only if it did not arrive. Where even
    /// that cannot be found out, the document remembers the id, and the same call continues from there: it
    /// adopts the stored document, or stores it. If the document changed in between, the change becomes a new
    /// version.
    /// - Parameter document: A new document: an ``IndivoModel/IndivoDocument`` or a ``FileDocument``.
    /// - Throws: ``IndivoError``, with ``IndivoError/Reason/invalidDocument(problems:)`` for a document that
    ///   breaks rules of its model.
    public func add(
        _ document: some RecordDocument,
        externalID: ExternalID = .generated,
        validation: DocumentValidation = .model
    ) async throws {
        try await addNew(document, (.documentCreateByExternalID, .documentCreate), externalID, validation)
    }

    /// Adds several new models as one document, as they stand in one SDMX file. They share the document's id.
    /// - Throws: ``IndivoError``.
    public func add(
        _ file: SDMXDocument,
        externalID: ExternalID = .generated,
        validation: DocumentValidation = .model
    ) async throws {
        let call: IndivoCall = externalID == .none ? .documentCreate : .documentCreateByExternalID
        for model in file.models { try checkNew(model, call) }
        let problems = try call.converting("a model cannot be written") {
            try validation == .model ? file.problems() : []
        }
        if !problems.isEmpty { throw IndivoError(.invalidDocument(problems: problems), call: call) }
        let upload = try call.converting("a model cannot be written") {
            try DocumentUpload(file.prepared(naming: .current), of: file.models)
        }
        try call.require(
            await store(upload, call, [:], externalID),
            "the models were stored as they were sent before, and have changed since; "
                + "they are in the record now: call replace() on those that changed"
        )
    }

    // MARK: Finding

    /// The record's documents, newest first unless asked otherwise, replaced versions left out
    /// (`record_document_list`).
    ///
    /// ```swift
    /// let scans = record.documents(DocumentQuery(status: .active, order: .descending(.size)))
    /// for try await document in scans { print(document.metadata?.label ?? "") }
    /// let count = try await scans.total()
    /// ```
    /// The list is fetched page by page as it is read. Its documents know their metadata; contents are
    /// fetched with ``FileDocument/fetchContent()`` or ``document(_:)``.
    public func documents(_ query: DocumentQuery = DocumentQuery()) -> PagedList<FileDocument> {
        metadataList(.recordDocumentList, query) { FileDocument($0, in: self) }
    }

    /// The metadata of the record's documents of a status, replaced versions left out
    /// (`record_document_list`).
    /// - Throws: ``IndivoError``.
    public func documentList(status: DocumentStatus = .active) async throws -> [DocumentMetadata] {
        try await metadataList(.recordDocumentList, DocumentQuery(status: status), { $0 }).all()
    }

    /// A document with its metadata and content (`record_document_meta`, `record_specific_document`),
    /// whatever its status and whether it was replaced. The content is checked against the digest.
    /// - Throws: ``IndivoError``.
    public func document(_ id: String) async throws -> FileDocument {
        let document = FileDocument(id: id, in: self)
        try await document.refreshMetadata()
        try await document.fetchContent()
        return document
    }

    /// A document of a class, with its metadata (`record_document_meta`, `record_specific_document`).
    ///
    /// Unlike what comes from a report, it is whole.
    /// - Throws: ``IndivoError``, also when the content is another one.
    public func document<Document: IndivoDocument>(_ id: String, as type: Document.Type) async throws
        -> Document
    {
        try await document(id).read(as: type)
    }

    /// The metadata of the document that this app stored under an external id, or `nil`
    /// (`record_document_meta_ext`).
    /// - Throws: ``IndivoError``.
    public func documentMetadata(externalID: String) async throws -> DocumentMetadata? {
        try await ifFound {
            try await send(.recordDocumentMetaByExternalID, path: ["external": externalID]).metadata()
        }
    }

    /// The document that this app stored under an external id, or `nil`.
    ///
    /// No call gives content by external id: this asks for the metadata first.
    /// - Throws: ``IndivoError``.
    public func document(externalID: String) async throws -> FileDocument? {
        guard let metadata = try await documentMetadata(externalID: externalID) else { return nil }
        let document = FileDocument(metadata, in: self)
        try await document.fetchContent()
        return document
    }

    /// Sets the label of the document that this app stored under an external id, and gives the document's
    /// metadata (`record_document_label_ext`).
    /// - Parameter label: At most 100 characters; empty takes it away.
    /// - Throws: ``IndivoError``.
    @discardableResult
    public func setLabel(_ label: String, externalID: String) async throws -> DocumentMetadata {
        try await setLabel(label, .recordDocumentLabelByExternalID, path: ["external": externalID])
    }
}
