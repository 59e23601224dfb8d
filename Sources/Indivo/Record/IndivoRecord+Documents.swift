import Foundation
import IndivoModel
import IndivoXML
import OAuth1

extension IndivoRecord {
    /// Adds a document that is not on a server yet (`document_create_by_ext_id`). Afterwards its id and metadata are known.
    ///
    /// The document goes out under an external id made for it, so that nothing is stored twice when an answer is lost:
    /// the library then looks whether the document arrived, and sends it again only if it did not.
    ///
    /// - Parameters:
    ///   - document: A new document.
    ///   - externalID: An id of the app's own for it, unique within app and record; letters, digits and `-._~@:,=+`.
    /// - Throws: ``IndivoError``; `DocumentError` when the document cannot be written.
    public func add(_ document: IndivoDocument, externalID: String? = nil) async throws {
        guard document.id == nil else {
            throw IndivoError(
                .badArgument("\(document) is on the server already; call its replace() to store a new version"),
                call: .documentCreateByExternalID)
        }
        let metadata = try await push(
            PreparedDocument(new: document), .documentCreateByExternalID, externalID: externalID)
        document.settle(metadata, in: self)
    }

    /// Adds several models as one document, as they stand in one SDMX file. They share the document's id.
    public func add(_ file: SDMXDocument, externalID: String? = nil) async throws {
        if let stored = file.models.first(where: { $0.id != nil }) {
            throw IndivoError(.badArgument("\(stored) is on a server already"), call: .documentCreateByExternalID)
        }
        let metadata = try await push(
            file.prepared(naming: .current), .documentCreateByExternalID, externalID: externalID)
        for model in file.models { model.settle(metadata, in: self) }
    }

    /// Sets who the patient is (`set_demographics`).
    public func setDemographics(_ demographics: Demographics) async throws {
        let prepared = try PreparedDocument(new: demographics)
        let answer = try await send(.setDemographics, body: .xml(prepared.root.data()))
        prepared.adopt()
        demographics.settle(try answer.value(DocumentMetadata.self, root: "Document"), in: self)
    }

    /// The metadata of the record's documents of a status, replaced versions left out (`record_document_list`).
    public func documentList(status: DocumentStatus = .active) async throws -> [DocumentMetadata] {
        var documents: [DocumentMetadata] = []
        while true {
            let page = try await send(
                .recordDocumentList,
                query: ["status": status.rawValue, "limit": "100", "offset": String(documents.count)]
            ).value(DocumentList.self, root: "Documents")
            documents += page.documents
            if page.documents.isEmpty || documents.count >= page.total ?? 0 { return documents }
        }
    }

    /// Sends content under an external id, so that it may be sent again without being stored twice.
    func push(
        _ prepared: PreparedDocument, _ call: IndivoCall, externalID: String? = nil, path: [String: String] = [:]
    ) async throws -> DocumentMetadata {
        let externalID = externalID ?? UUID().uuidString.lowercased()
        let variables = path.merging(["external": externalID]) { given, _ in given }
        let body = CallClient.Body.xml(try prepared.root.data())
        // Where an answer is lost, the client looks for the document before it sends it again.
        let metadata = try await send(call, path: variables, body: body).value(DocumentMetadata.self, root: "Document")
        prepared.adopt()
        return metadata
    }

    /// The metadata of the document that this app stored under an external id, or `nil` (`record_document_meta_ext`).
    public func documentMetadata(externalID: String) async throws -> DocumentMetadata? {
        do {
            return try await send(.recordDocumentMetaByExternalID, path: ["external": externalID])
                .value(DocumentMetadata.self, root: "Document")
        } catch let error as IndivoError {
            if case .notFound = error.reason { return nil }
            throw error
        }
    }

    /// The content of a document as XML (`record_specific_document`).
    func content(ofDocument id: String) async throws -> XMLNode {
        try await send(.recordSpecificDocument, path: ["document": id]).xml()
    }
}

extension IndivoDocument {
    /// The document is on the server now: takes over what the server says of it.
    func settle(_ metadata: DocumentMetadata, in record: IndivoRecord) {
        id = metadata.id
        self.metadata = metadata
        home = record
    }
}
