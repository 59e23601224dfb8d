/// The calls that deliver queued changes. Each is sent once: the caller finds out whether it arrived, and
/// decides when to retry it.
extension IndivoRecord {
    /// Stores a document under an external id (`document_create_by_ext_id`), and gives its id.
    package func deliverDocument(_ content: FileContent, externalID: String) async throws -> String {
        let call = IndivoCall.documentCreateByExternalID
        return try await once(call, ["external": externalID], body: content.body(for: call)).documentWithID()
            .id
    }

    /// Stores a new version of a document under an external id (`document_version_by_ext_id`), and gives the
    /// version's id.
    package func deliverVersion(_ content: FileContent, of document: String, externalID: String) async throws
        -> String
    {
        let call = IndivoCall.documentVersionByExternalID
        let path = ["document": document, "external": externalID]
        let id = try await once(call, path, body: content.body(for: call)).documentWithID().id
        noteReplaced(document)
        return id
    }

    /// The root of a document as the server has it (`record_specific_document`).
    /// - Parameter name: What the root is called; anything else, such as a network's own page, is a malformed
    ///   response.
    package func storedDocument(_ id: String, root name: String) async throws -> XMLNode {
        try await once(.recordSpecificDocument, ["document": id]).xml(root: name)
    }

    /// Sets a document's status (`document_set_status`).
    package func deliverStatus(
        _ status: DocumentStatus,
        reason: String,
        of document: String,
        stamp: SigningStamp
    ) async throws {
        let form: FormParameters = ["status": status.rawValue, "reason": reason]
        _ = try await once(.documentSetStatus, ["document": document], body: .form(form), stamp: stamp).xml(
            root: "ok"
        )
    }

    /// Sets a document's label (`record_document_label`).
    package func deliverLabel(_ label: String, of document: String, stamp: SigningStamp) async throws {
        _ = try await once(.recordDocumentLabel, ["document": document], body: .text(label), stamp: stamp)
            .labelledMetadata()
    }

    /// The document that this app stored under an external id, or `nil` (`record_document_meta_ext`).
    package func delivered(externalID: String) async throws -> DocumentMetadata? {
        try await ifFound {
            try await once(.recordDocumentMetaByExternalID, ["external": externalID]).documentWithID()
        }
    }

    /// The changes of a document's status (`document_status_history`).
    package func statusChanges(of document: String) async throws -> [DocumentStatus.Change] {
        try await once(.documentStatusHistory, ["document": document]).value(DocumentStatusHistory.self)
            .changes
    }

    /// The label of a document (`record_document_meta`).
    package func label(ofDocument document: String) async throws -> String {
        try await once(.recordDocumentMeta, ["document": document]).metadata().label ?? ""
    }

    /// Checks with a harmless call that the server accepts the token for this record (`record`).
    package func checkAccess() async throws {
        let response = try await once(.record, [:])
        guard try response.value(RecordInformation.self).id == id else {
            throw response.malformed("it is about another record")
        }
    }

    /// A stamp for a request that is signed now, by the server's time where that is known.
    package func newStamp() -> SigningStamp { server.calls.newStamp() }

    private func once(
        _ call: IndivoCall,
        _ path: [String: String],
        body: CallClient.Body? = nil,
        stamp: SigningStamp? = nil
    ) async throws -> CallResponse {
        var outgoing = outgoing(call, path, body)
        outgoing.stamp = stamp
        return try await server.calls.attempt(outgoing)
    }
}

extension CallResponse {
    /// The document that the response describes, which has an id.
    fileprivate func documentWithID() throws -> DocumentMetadata {
        let metadata = try metadata()
        guard !metadata.id.isEmpty else { throw malformed("the document in it has no id") }
        return metadata
    }
}
