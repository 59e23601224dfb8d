import IndivoModel
import IndivoXML

extension IndivoDocument: RecordDocument {
    /// Where the document is: its record, its id, its metadata.
    public var documentPlace: DocumentPlace {
        get {
            let underway = home as? Underway
            var place = DocumentPlace(record: underway?.record ?? home as? IndivoRecord, id: id, metadata: metadata)
            place.isBeingSent = underway != nil || home is any AwaitingDelivery
            return place
        }
        set {
            id = newValue.id
            metadata = newValue.metadata
            home = newValue.isBeingSent ? Underway(record: newValue.record) : newValue.record
        }
    }

    /// Whether it is on its way to a server, or waits to be: nobody else may send it meanwhile.
    package var isUnderway: Bool { documentPlace.isBeingSent }

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
        try await replace(.documentVersionByExternalID, externalID: externalID ?? IndivoRecord.newExternalID())
    }

    /// Stores the document as a new version of itself, without an external id (`document_version`).
    ///
    /// When the answer is lost, nobody knows whether the version was stored; prefer ``replace(externalID:)``.
    /// - Throws: As ``replace(externalID:)``.
    public func replaceWithoutExternalID() async throws { try await replace(.documentVersion, externalID: nil) }

    private func replace(_ call: IndivoCall, externalID: String?) async throws {
        let (record, id) = try replaceable(by: call)
        let (metadata, upload) = try await sending {
            if self.metadata == nil {
                // What came from a report knows nothing of its versions.
                try await refreshMetadata()
                try checkNewest(call)
            }
            let root: XMLNode
            if let storedRoot { root = storedRoot } else { root = try await stored(id, in: record) }
            let upload = try DocumentUpload(PreparedDocument(replacing: self, in: root))
            return (try await record.push(upload, call, externalID: externalID, path: ["document": id]), upload)
        }
        record.versions.note(id, replacedBy: metadata.id)
        settle(metadata, in: record)
        try metadata.verify(upload.content, sentWith: call)
    }

    /// The root of the document as the server has it.
    private func stored(_ id: String, in record: IndivoRecord) async throws -> XMLNode {
        let answer = try await record.send(.recordSpecificDocument, path: ["document": id])
        try metadata?.verify(answer)
        return try answer.xml()
    }
}

extension RecordDocument {
    /// Stores the document as a new version of itself; see ``replace(externalID:)``.
    public func replace() async throws { try await replace(externalID: nil) }
}

/// The home of a document that is on its way to a server.
private final class Underway {
    let record: IndivoRecord?

    init(record: IndivoRecord?) { self.record = record }
}
