extension RecordDocument {
    /// Stores a new version (`document_version_by_ext_id`, `document_version`), whose id and metadata the
    /// document then has.
    ///
    /// Nothing that is stored is lost: a document that came from a report is first fetched whole, and only
    /// what changed is written into it. What the class does not know, and other models of the same document,
    /// stay.
    /// - Parameter externalID: The external id of the new version, which is another than those of earlier
    ///   versions.
    /// - Throws: ``IndivoError``, also for a version that is not the newest, and for `Demographics`, which
    ///   ``IndivoRecord/setDemographics(_:validation:)`` sets.
    public func replace(externalID: ExternalID = .generated, validation: DocumentValidation = .model)
        async throws
    {
        try await stored(for: .documentVersionByExternalID).0.replace(self, externalID, validation)
    }

    /// Fetches what the server says of the document now (`record_document_meta`).
    /// - Throws: ``IndivoError``.
    @discardableResult
    public func refreshMetadata() async throws -> DocumentMetadata {
        let (record, id) = try stored(for: .recordDocumentMeta)
        let fresh = try await record.send(.recordDocumentMeta, path: ["document": id]).metadata()
        documentPlace.metadata = fresh
        return fresh
    }

    /// The content as the server has it (`record_specific_document`), checked by the metadata.
    func fetchStored() async throws -> CallResponse {
        let (record, id) = try stored(for: .recordSpecificDocument)
        return try await record.content(
            .recordSpecificDocument,
            of: id,
            checkedBy: documentPlace.metadata,
            refresh: refreshMetadata
        )
    }

    /// Sets the label under which people see this version, at most 100 characters (`record_document_label`);
    /// empty takes it away.
    /// - Throws: ``IndivoError``.
    public func setLabel(_ label: String) async throws {
        let (record, id) = try stored(for: .recordDocumentLabel)
        documentPlace.metadata = try await record.setLabel(
            label,
            .recordDocumentLabel,
            path: ["document": id]
        )
    }

    /// Sets the status of this version (`document_set_status`), for a reason that is not empty. Any status
    /// may follow any other.
    /// - Throws: ``IndivoError``.
    public func setStatus(_ status: DocumentStatus, reason: String) async throws {
        let (record, id) = try stored(for: .documentSetStatus)
        try IndivoCall.documentSetStatus.require(!reason.isEmpty, "a change of status needs a reason")
        let form: FormParameters = ["status": status.rawValue, "reason": reason]
        _ = try await record.send(.documentSetStatus, path: ["document": id], body: .form(form))
        documentPlace.metadata?.status = status
    }

    /// The changes of this version's status, the earliest first, without the status it began with
    /// (`document_status_history`).
    /// - Throws: ``IndivoError``.
    public func statusHistory() async throws -> [DocumentStatus.Change] {
        let (record, id) = try stored(for: .documentStatusHistory)
        let history = try await record.send(.documentStatusHistory, path: ["document": id]).value(
            DocumentStatusHistory.self
        )
        return history.changes.sorted { ($0.at?.date ?? .distantPast) < ($1.at?.date ?? .distantPast) }
    }

    /// The versions of the document, this one among them, the earliest first (`document_versions`).
    /// - Parameter status: Only those of this status; `nil` for all, with a request for each status.
    /// - Throws: ``IndivoError``.
    public func versions(status: DocumentStatus? = nil) async throws -> [DocumentMetadata] {
        let (record, id) = try stored(for: .documentVersions)
        var versions: [DocumentMetadata] = []
        for status in status.map({ [$0] }) ?? DocumentStatus.allCases {
            versions += try await record.metadataList(
                .documentVersions,
                path: ["document": id],
                DocumentQuery(status: status),
                { $0 }
            ).all()
        }
        for version in versions where version.replacedBy?.id != nil { record.noteReplaced(version.id) }
        return versions.sorted { ($0.createdAt?.date ?? .distantPast) < ($1.createdAt?.date ?? .distantPast) }
    }

    /// The carenets in which the document is shared, each once (`document_carenets`). A server repeats a
    /// carenet for every document that is shared in it.
    /// - Throws: ``IndivoError``.
    public func carenets() async throws -> [Carenet] {
        let (record, id) = try stored(for: .documentCarenets)
        let list = try await record.send(.documentCarenets, path: ["document": id]).value(Carenets.self)
        var seen: Set<String> = []
        return list.carenets.filter { seen.insert($0.id).inserted }
    }

    // MARK: Relations

    /// Relates another document to this one (`document_rels`), such as an annotation to what it annotates.
    ///
    /// A server stores the relation again with each call: ask ``related(as:status:)`` first where it may
    /// exist already.
    /// - Parameter relation: What the other document, one of the same record, is to this one.
    /// - Throws: ``IndivoError``.
    public func relate(to other: some RecordDocument, as relation: DocumentRelation) async throws {
        let (record, id) = try stored(for: .documentRels)
        let (otherRecord, otherID) = try other.stored(for: .documentRels)
        try IndivoCall.documentRels.require(
            record.id == otherRecord.id,
            "the documents are in different records"
        )
        _ = try await record.send(
            .documentRels,
            path: ["document": id, "relation": relation.rawValue, "other": otherID]
        )
    }

    /// The documents that stand in a relation to any version of this one, each once (`get_documents_by_rel`).
    ///
    /// Older versions of related documents are among them. Contents are fetched with
    /// ``FileDocument/fetchContent()``.
    /// - Throws: ``IndivoError``.
    public func related(as relation: DocumentRelation, status: DocumentStatus = .active) async throws
        -> [FileDocument]
    {
        let (record, id) = try stored(for: .getDocumentsByRel)
        let path = ["document": id, "relation": relation.rawValue]
        let list = try await record.send(.getDocumentsByRel, path: path, query: ["status": status.rawValue])
            .value(DocumentList.self)
        var seen: Set<String> = []
        return list.documents.filter { seen.insert($0.id).inserted }.map { FileDocument($0, in: record) }
    }

    /// Adds a document and relates it to this one (`document_create_by_rel_with_ext_id`,
    /// `document_create_by_rel`).
    ///
    /// As with ``IndivoRecord/add(_:externalID:validation:)-(RecordDocument,_,_)``, nothing is stored twice.
    /// - Parameter relation: What the new document is to this one.
    /// - Throws: ``IndivoError``.
    public func addRelated(
        _ document: some RecordDocument,
        as relation: DocumentRelation,
        externalID: ExternalID = .generated,
        validation: DocumentValidation = .model
    ) async throws {
        let (record, id) = try stored(for: .documentCreateByRelWithExternalID)
        try await record.addNew(
            document,
            (.documentCreateByRelWithExternalID, .documentCreateByRel),
            path: ["document": id, "relation": relation.rawValue],
            externalID,
            validation
        )
    }
}

/// What one document is to another.
public enum DocumentRelation: String, Sendable, Hashable, CaseIterable {
    /// A remark on it.
    case annotation
    case answers
    /// What belongs to it.
    case attachment
    /// What came after it.
    case followup
    /// What it means.
    case interpretation

    /// The relation's URI, as metadata has it.
    public var uri: String { "http://indivo.org/vocab/documentrels#" + rawValue }
}
