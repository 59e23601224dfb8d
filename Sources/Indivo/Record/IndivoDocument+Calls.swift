import IndivoModel
import IndivoXML

extension IndivoDocument: RecordDocument {
    /// Where the document is: its record, its id, its metadata.
    public var documentPlace: DocumentPlace {
        get { DocumentPlace(documentStage, id: id, metadata: metadata) }
        set { (documentStage, id, metadata) = (newValue.stage, newValue.id, newValue.metadata) }
    }

    /// Whether the document is new, or says something else than what was last read from or written to a server.
    public var state: DocumentState {
        guard id != nil else { return .new }
        return isChanged ? .changed : .pushed
    }

    /// Stores the document as a new version of itself (`document_version_by_ext_id`); its id and metadata become the
    /// new version's.
    ///
    /// Nothing that is stored is lost: a document that came from a report is first fetched whole, and only what changed
    /// is written into it. What the class does not know, and other models of the same document, stay.
    ///
    /// - Parameter externalID: An id of the app's own for the new version; one is made where there is none.
    /// - Throws: ``IndivoError``, `DocumentError`. A version that is not the newest is refused before it is sent.
    public func replace(externalID: String?) async throws {
        try await record(for: .documentVersionByExternalID).replace(self, externalID: externalID) { [self] record in
            try await upload(to: record)
        }
    }

    /// Stores the document as a new version of itself, without an external id (`document_version`).
    ///
    /// When the answer is lost, nobody knows whether the version was stored; prefer ``replace(externalID:)``.
    /// - Throws: As ``replace(externalID:)``.
    public func replaceWithoutExternalID() async throws {
        try await record(for: .documentVersion).replaceWithoutExternalID(self) { [self] record in
            try await upload(to: record)
        }
    }

    /// What to send of a new version.
    private func upload(to record: IndivoRecord) async throws -> DocumentUpload {
        let root: XMLNode
        if let storedRoot {
            root = storedRoot
        } else {
            let (_, id) = try stored(for: .recordSpecificDocument)
            root = try await record.content(
                .recordSpecificDocument, of: id, checkedBy: metadata, refresh: { try await refreshMetadata() }
            ).xml()
        }
        return try DocumentUpload(PreparedDocument(replacing: self, in: root), of: [self])
    }
}

extension RecordDocument {
    /// Stores the document as a new version of itself; see ``replace(externalID:)``.
    public func replace() async throws { try await replace(externalID: nil) }
}
