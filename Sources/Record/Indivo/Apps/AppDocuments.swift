/// The documents that an app keeps for itself: in a record (``IndivoRecord/appDocuments``), or for all of
/// them.
///
/// ```swift
/// let settings = try await record.appDocuments.put(FileContent(text: json), externalID: "settings")
/// let again = try await record.appDocuments.document(externalID: "settings")?.content()
/// ```
/// Nobody else sees them. A server only checks that XML is well-formed, keeps no older versions, and reports
/// nothing of them.
public struct AppDocuments: Sendable {
    let scope: any CallScope

    /// The documents, the newest first unless asked otherwise (`record_app_document_list`,
    /// `app_document_list`).
    public func list(_ query: DocumentQuery = DocumentQuery()) -> PagedList<Document> {
        scope.metadataList(call(.recordAppDocumentList, .appDocumentList), query) { Document($0, in: self) }
    }

    /// Stores a new document (`record_app_document_create`, `app_document_create`).
    ///
    /// When the response is lost, nobody knows whether it was stored; prefer ``put(_:externalID:)``.
    /// - Throws: ``IndivoError``.
    @discardableResult
    public func add(_ content: FileContent) async throws -> Document {
        Document(try await scope.store(content, call(.recordAppDocumentCreate, .appDocumentCreate)), in: self)
    }

    /// Stores a document under an id of the app's own (`record_app_document_create_or_update_ext`,
    /// `app_document_create_or_update_ext`); a document that is there is overwritten and keeps the server's
    /// id.
    ///
    /// Keep binary content as text, such as base64: a server loses the content of a binary document that is
    /// overwritten.
    /// - Parameter externalID: Unique among the app's documents here; ASCII without `/?#;`.
    /// - Throws: ``IndivoError``.
    @discardableResult
    public func put(_ content: FileContent, externalID: String) async throws -> Document {
        let call = call(.recordAppDocumentCreateOrUpdateByExternalID, .appDocumentCreateOrUpdateByExternalID)
        return Document(try await scope.store(content, call, path: ["external": externalID]), in: self)
    }

    /// The document with an id (`record_app_document_meta`, `app_document_meta`).
    /// - Throws: ``IndivoError``.
    public func document(_ id: String) async throws -> Document {
        Document(
            try await scope.send(call(.recordAppDocumentMeta, .appDocumentMeta), path: ["document": id])
                .metadata(),
            in: self
        )
    }

    /// The document with an id of the app's own, or `nil` (`record_app_document_meta_ext`,
    /// `app_document_meta_ext`).
    /// - Throws: ``IndivoError``.
    public func document(externalID: String) async throws -> Document? {
        let call = call(.recordAppDocumentMetaByExternalID, .appDocumentMetaByExternalID)
        return try await scope.ifFound {
            Document(try await scope.send(call, path: ["external": externalID]).metadata(), in: self)
        }
    }

    /// Chooses between the call for documents in a record and the one for documents outside all records.
    fileprivate func call(_ inRecord: IndivoCall, _ ofApp: IndivoCall) -> IndivoCall {
        scope is IndivoRecord ? inRecord : ofApp
    }

    /// A document that an app keeps for itself.
    public final class Document: CustomStringConvertible {
        /// Where it is kept.
        public let storage: AppDocuments
        /// The document's id on the server.
        public let id: String
        /// The metadata that the last call reported.
        public private(set) var metadata: DocumentMetadata?

        init(_ metadata: DocumentMetadata, in storage: AppDocuments) {
            self.storage = storage
            self.metadata = metadata
            id = metadata.id
        }

        /// A document known by its id alone. Nothing is asked of the server.
        public init(id: String, in storage: AppDocuments) {
            self.storage = storage
            self.id = id
        }

        /// Fetches the content (`record_app_specific_document`, `app_specific_document`), checked against the
        /// metadata's digest.
        /// - Throws: ``IndivoError``.
        public func content() async throws -> FileContent {
            let scope = storage.scope
            let call = storage.call(.recordAppSpecificDocument, .appSpecificDocument)
            return try await scope.content(
                call,
                of: id,
                checkedBy: metadata,
                canChange: true,
                refresh: refreshMetadata
            ).content
        }

        /// Fetches what the server says of the document now (`record_app_document_meta`,
        /// `app_document_meta`).
        /// - Throws: ``IndivoError``.
        @discardableResult
        public func refreshMetadata() async throws -> DocumentMetadata {
            let call = storage.call(.recordAppDocumentMeta, .appDocumentMeta)
            let fresh = try await storage.scope.send(call, path: ["document": id]).metadata()
            metadata = fresh
            return fresh
        }

        /// Sets the label, of at most 100 characters (`record_app_document_label`, `app_document_label`);
        /// empty takes it away.
        /// - Throws: ``IndivoError``.
        public func setLabel(_ label: String) async throws {
            let call = storage.call(.recordAppDocumentLabel, .appDocumentLabel)
            metadata = try await storage.scope.setLabel(label, call, path: ["document": id])
        }

        /// Overwrites the document, which keeps its id (`app_document_create_or_update`).
        ///
        /// In a record this works under an external id only: ``AppDocuments/put(_:externalID:)``.
        /// - Throws: ``IndivoError``, a conflict if the document was deleted before. The server then creates
        ///   a new document, which is deleted again.
        public func replace(with content: FileContent) async throws {
            let call = IndivoCall.appDocumentCreateOrUpdate
            try call.require(
                !(storage.scope is IndivoRecord),
                """
                a document in a record is overwritten by its external id only: call \
                appDocuments.put(_:externalID:)
                """
            )
            let stored = try await storage.scope.send(
                call,
                path: ["document": id],
                body: content.body(for: call)
            ).metadata()
            guard stored.id == id else {
                var error = IndivoError(.conflict(.deleted), call: call, status: 200)
                do {
                    try await Document(stored, in: storage).delete()
                } catch let failure as IndivoError {
                    error.details = [
                        "the server made a document \(stored.id) of the content, which stays: \(failure)"
                    ]
                }
                throw error
            }
            metadata = stored
            try stored.verify(content, sentWith: call)
        }

        /// Deletes the document for good (`record_app_document_delete`, `app_document_delete`).
        /// - Throws: ``IndivoError``.
        public func delete() async throws {
            _ = try await storage.scope.send(
                storage.call(.recordAppDocumentDelete, .appDocumentDelete),
                path: ["document": id]
            )
        }

        /// The id alone.
        public var description: String { "app document \(id)" }
    }
}
