import OAuth1

/// The part of a record that is shared through a carenet.
///
/// A token for the whole record reads documents, reports and demographics; a token that was granted for the
/// carenet reads the rest too, and nothing outside the carenet.
public struct IndivoCarenet: Sendable {
    /// The server that has the carenet.
    public let server: IndivoServer
    /// The carenet's id.
    public let id: String
    let token: OAuthToken
    /// The record, if the token is for the whole record. Then documents from the carenet can be changed.
    public let record: IndivoRecord?

    /// The record behind the carenet (`carenet_record`). Needs a token for the carenet.
    /// - Throws: ``IndivoError``.
    public func information() async throws -> RecordInformation {
        try await send(.carenetRecord).value(RecordInformation.self)
    }

    /// Who the patient is (`read_demographics_carenet`).
    /// - Throws: ``IndivoError``.
    public func demographics() async throws -> Demographics { try await demographics(.carenetDemographics) }

    /// Who is in the carenet (`carenet_account_list`). Needs a token for the carenet.
    /// - Throws: ``IndivoError``.
    public func accounts() async throws -> [Carenet.Account] {
        try await send(.carenetAccountList).value(CarenetAccounts.self).accounts
    }

    /// Which apps are in the carenet (`carenet_apps_list`). Needs a token for the carenet.
    /// - Throws: ``IndivoError``.
    public func apps() async throws -> [AppManifest] { try await send(.carenetAppsList).manifests() }

    // MARK: Documents

    /// The metadata of the documents that are shared (`carenet_document_list`).
    public func documents(pageSize: Int = 100) -> PagedList<DocumentMetadata> {
        metadataList(.carenetDocumentList, DocumentQuery(pageSize: pageSize)) { $0 }
    }

    /// The content of a document that is shared (`carenet_document`), checked against the digest of its
    /// metadata.
    /// - Throws: ``IndivoError``.
    public func content(of document: DocumentMetadata) async throws -> FileContent {
        try await content(.carenetDocument, of: document.id, checkedBy: document) {
            try await metadata(of: document.id)
        }.content
    }

    /// A document that is shared, with metadata and content (`carenet_document_meta`, `carenet_document`).
    /// - Throws: ``IndivoError``.
    public func document(_ id: String) async throws -> FileDocument {
        let metadata = try await metadata(of: id)
        return FileDocument(metadata, in: record, content: try await content(of: metadata))
    }

    /// What the server says of a document (`carenet_document_meta`). Any document of the record is reported,
    /// shared or not.
    /// - Throws: ``IndivoError``.
    public func metadata(of id: String) async throws -> DocumentMetadata {
        try await send(.carenetDocumentMeta, path: ["document": id]).metadata()
    }

    // MARK: Reports

    /// The shared documents of a model, fetched page by page as they are read (`carenet_generic_list`).
    public func reports<Document: IndivoDocument>(
        of type: Document.Type,
        matching query: ReportQuery = ReportQuery()
    ) -> PagedList<Document> {
        modelReports(.model(type), query) { try await CallResponse.models($0, as: type) }
    }

    /// The shared documents of a model by its name (`carenet_generic_list`).
    public func reports(ofModel name: String, matching query: ReportQuery = ReportQuery()) -> PagedList<
        IndivoDocument
    > {
        modelReports(.model(named: name), query) { try await CallResponse.models($0) }
    }

    /// Shared devices (`carenet_equipment_list`).
    public func equipment(matching query: ReportQuery = ReportQuery()) -> PagedList<EquipmentDocument> {
        minimalReports(.equipment, query) { $0.equipment }
    }

    /// Shared measurements of a type (`carenet_measurement_list`).
    public func measurements(_ code: String, matching query: ReportQuery = ReportQuery()) -> PagedList<
        MeasuredValue.Reported
    > {
        reportList(.measurements(code), query) { $0.item?.checkedMeasurement }
    }

    /// Shared procedures (`carenet_procedure_list`).
    public func procedures(matching query: ReportQuery = ReportQuery()) -> PagedList<ProcedureDocument> {
        minimalReports(.procedures, query) { $0.procedure }
    }

    /// Shared notes on visits (`carenet_simple_clinical_notes_list`).
    public func simpleClinicalNotes(matching query: ReportQuery = ReportQuery()) -> PagedList<
        SimpleClinicalNoteDocument
    > {
        minimalReports(.simpleClinicalNotes, query) { $0.simpleClinicalNote }
    }

    /// Computes a number over many shared facts, for each group of them; see
    /// ``IndivoRecord/aggregate(_:over:matching:)``.
    /// - Throws: ``IndivoError``; audits are not shared.
    public func aggregate(
        _ aggregate: AggregateQuery,
        over source: ReportQuery.Source,
        matching query: ReportQuery = ReportQuery()
    ) async throws -> [AggregateQuery.Result] {
        try source.call.require(
            source.isShared,
            "\(source.name) are not shared through carenets; ask the record"
        )
        return try await aggregates(aggregate, over: source, query)
    }
}

extension IndivoCarenet: CallScope {
    var credentials: OAuthCredentials? { OAuthCredentials(consumer: server.app.consumer, token: token) }
    var variables: [String: String] { ["carenet": id] }
}
