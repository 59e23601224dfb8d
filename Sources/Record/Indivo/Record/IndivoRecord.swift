import OAuth1
import Synchronization

/// A person's record on a server, as far as the app's token gives access to it.
///
/// ```swift
/// for try await medication in record.reports(of: Medication.self) { … }
/// try await record.add(Medication())
/// ```
public final class IndivoRecord: Sendable {
    /// The server that has the record.
    public let server: IndivoServer
    /// The record's id (a UUID).
    public let id: String
    /// The token by which the app acts, with its secret. Keep it only where secrets are kept.
    public let token: OAuthToken

    /// The versions that this process has seen replaced: a second object of the same document then knows that
    /// it is outdated.
    let replacedVersions = Mutex<Set<String>>([])
    /// Messages of which it is not known whether they, or all of their attachments, arrived. If one of them
    /// is sent again and refused as a duplicate, it had arrived. A different message with the same id is
    /// still refused.
    let unresolvedMessages = Mutex<[String: OutgoingMessage]>([:])

    init(server: IndivoServer, id: String, token: OAuthToken) {
        self.server = server
        self.id = id
        self.token = token
    }

    /// The record's label, its demographics' id, and when it was made (`record`).
    /// - Throws: ``IndivoError``.
    public func information() async throws -> RecordInformation {
        try await send(.record).value(RecordInformation.self)
    }

    /// What the app keeps for itself in this record.
    public var appDocuments: AppDocuments { AppDocuments(scope: self) }

    /// The part of the record that is shared through a carenet, as far as this record's token may see it.
    /// - Parameter id: The carenet's id, as ``RecordDocument/carenets()`` gives it.
    public func carenet(_ id: String) -> IndivoCarenet {
        IndivoCarenet(server: server, id: id, token: token, record: self)
    }

    /// An account, as this record's token may see it.
    /// - Parameter id: The e-mail address of the person who granted the token. Whatever the app adds names it
    ///   as the creator.
    public func account(_ id: String) -> IndivoAccount { IndivoAccount(server: server, id: id, token: token) }
}

extension IndivoRecord: RecordReference, CallScope {
    var credentials: OAuthCredentials? { OAuthCredentials(consumer: server.app.consumer, token: token) }
    var variables: [String: String] { ["record": id, "app": server.app.id] }
    var record: IndivoRecord? { self }
}

extension IndivoRecord {
    // MARK: Adding

    /// Adds a document (`document_create_by_ext_id`, `document_create`). Afterwards its id and metadata are
    /// known.
    ///
    /// The document is checked by the rules of its model first. To send a document that breaks a rule, such
    /// as one with a code that the model does not know yet, say so: `add(medication, validation: .none)`.
    ///
    /// Nothing is stored twice if a response is lost, unless ``ExternalID/none`` is given: the library looks
    /// the document up by its external id, and sends it again only if it did not arrive. If the lookup fails,
    /// too, the document remembers the id, and the same call continues from there: it finds the stored
    /// document, or stores it. If the document changed in between, the change becomes a new version.
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

extension IndivoRecord {
    // MARK: Models

    /// The documents of a model (`generic_list`), the newest first: page by page as they are read, or
    /// ``PagedList/all()`` at once.
    ///
    /// ```swift
    /// for try await medication in record.reports(of: Medication.self) { … }
    ///
    /// let query = ReportQuery(status: .archived)
    /// let archived = try await record.reports(of: Medication.self, matching: query).all()
    /// ```
    /// What a report leaves out (fields the model does not have, a vital signs' encounter) is kept when a
    /// document is replaced. A value that cannot be read, such as a date before 1900, which servers write as
    /// `BAD DATE`, is missing in its document, and the document's `readingProblems` has it; all others are
    /// there. Reading the list throws ``IndivoError``.
    ///
    /// The library asks for XML, in which servers write numbers with 12 digits: 0.30000000000000004 comes as
    /// 0.3. Where all digits matter, ask for JSON, `matching: ReportQuery().format(.json)`, or fetch the
    /// document itself.
    /// - Parameter type: The class; its model must be known to the server.
    public func reports<Document: IndivoDocument>(
        of type: Document.Type,
        matching query: ReportQuery = ReportQuery()
    ) -> PagedList<Document> {
        modelReports(.model(type), query) { try await CallResponse.models($0, as: type) }
    }

    /// The documents of a model by its name (`generic_list`), of the class registered for it, or each a
    /// `GenericDocument`.
    public func reports(ofModel name: String, matching query: ReportQuery = ReportQuery()) -> PagedList<
        IndivoDocument
    > {
        modelReports(.model(named: name), query) { try await CallResponse.models($0) }
    }

    // MARK: Minimal reports

    /// The patient's devices (`equipment_list`), with a total. What a report leaves out is kept when a device
    /// is replaced.
    public func equipment(matching query: ReportQuery = ReportQuery()) -> PagedList<EquipmentDocument> {
        minimalReports(.equipment, query) { $0.equipment }
    }

    /// Measurements of a type, which is given as it was stored, such as `WEIGHT` (`measurement_list`), with a
    /// total.
    public func measurements(_ code: String, matching query: ReportQuery = ReportQuery()) -> PagedList<
        MeasuredValue.Reported
    > {
        reportList(.measurements(code), query) { $0.item?.checkedMeasurement }
    }

    /// What was done to the patient (`procedure_list`), with a total.
    public func procedures(matching query: ReportQuery = ReportQuery()) -> PagedList<ProcedureDocument> {
        minimalReports(.procedures, query) { $0.procedure }
    }

    /// Notes on visits (`simple_clinical_notes_list`), with a total.
    public func simpleClinicalNotes(matching query: ReportQuery = ReportQuery()) -> PagedList<
        SimpleClinicalNoteDocument
    > {
        minimalReports(.simpleClinicalNotes, query) { $0.simpleClinicalNote }
    }

    // MARK: Aggregates

    /// A number over many facts, for each group of them (`generic_list`, the minimal reports, `audit_query`).
    /// - Parameter query: Selects the facts. Its format is ignored; its limit is a number of groups.
    /// - Throws: ``IndivoError``.
    public func aggregate(
        _ aggregate: AggregateQuery,
        over source: ReportQuery.Source,
        matching query: ReportQuery = ReportQuery()
    ) async throws -> [AggregateQuery.Result] { try await aggregates(aggregate, over: source, query) }

    // MARK: Audits

    /// The server's log of requests on the record (`audit_query`), the newest first, with a total. This
    /// request is logged too.
    /// - Parameter query: Selects by the fields of ``ReportQuery/Source/audit``. Its status is ignored.
    public func audit(matching query: ReportQuery = ReportQuery()) -> PagedList<AuditEntry> {
        reportList(.audit, query) { $0.item?.auditEntry }
    }

    // MARK: Whole-record reports

    /// The record as a Continuity of Care Record (`report_ccr`). Servers of version 2.0 fill in little but
    /// ids.
    /// - Throws: ``IndivoError``.
    public func ccr() async throws -> FileContent {
        let answer = try await send(.reportCCR)
        _ = try answer.xml(root: "ContinuityOfCareRecord")
        return answer.content
    }

    /// All facts of a kind as a SMART graph (`smart_generic`, `smart_allergies`).
    /// - Throws: ``IndivoError``.
    public func smart(_ kind: SMARTGraph.Kind) async throws -> SMARTGraph {
        try SMARTGraph(
            await send(kind == .allergies ? .smartAllergies : .smartGeneric, path: ["model": kind.rawValue])
        )
    }

    /// One fact as a SMART graph (`smart_generic_instance`, `smart_allergies_instance`).
    /// - Parameter fact: Its id, as ``SMARTGraph/factIDs(of:)`` gives it.
    /// - Throws: ``IndivoError``.
    public func smart(_ kind: SMARTGraph.Kind, fact: String) async throws -> SMARTGraph {
        let call: IndivoCall = kind == .allergies ? .smartAllergiesInstance : .smartGenericInstance
        return try SMARTGraph(await send(call, path: ["model": kind.rawValue, "fact": fact]))
    }
}
