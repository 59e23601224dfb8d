import Foundation
import IndivoModel
import OAuth1

/// The home of a document that waits to be delivered; nobody else may send it meanwhile.
package protocol AwaitingDelivery: AnyObject {}

/// The calls by which changes are delivered that were queued before: each is made once, and it is for the caller to look
/// what became of it before making it again.
extension IndivoRecord {
    /// Stores a document under an external id (`document_create_by_ext_id`).
    /// - Returns: The document's id.
    package func deliverDocument(_ content: FileContent, externalID: String) async throws -> String {
        let call = IndivoCall.documentCreateByExternalID
        return try await send(call, path: ["external": externalID], body: content.body(for: call)).documentID()
    }

    /// Stores a new version of a document under an external id (`document_version_by_ext_id`).
    /// - Returns: The new version's id.
    package func deliverVersion(
        _ content: FileContent, of document: String, externalID: String
    ) async throws -> String {
        let call = IndivoCall.documentVersionByExternalID
        return try await send(
            call, path: ["document": document, "external": externalID], body: content.body(for: call)
        ).documentID()
    }

    /// Sets a document's status (`document_set_status`).
    package func deliverStatus(
        _ status: DocumentStatus, reason: String, of document: String, stamp: SigningStamp
    ) async throws {
        let answer = try await send(
            .documentSetStatus, path: ["document": document],
            body: .form(["status": status.rawValue, "reason": reason]), stamp: stamp)
        guard try answer.xml().name == "ok" else { throw answer.unexpected("it does not say <ok/>.") }
    }

    /// Sets a document's label (`record_document_label`).
    package func deliverLabel(_ label: String, of document: String, stamp: SigningStamp) async throws {
        let answer = try await send(
            .recordDocumentLabel, path: ["document": document], body: .text(label), stamp: stamp)
        _ = try answer.value(DocumentList.self, root: "Documents")
    }

    /// The changes of a document's status (`document_status_history`).
    package func statusChanges(of document: String) async throws -> [DocumentStatusHistory.Change] {
        try await send(.documentStatusHistory, path: ["document": document])
            .value(DocumentStatusHistory.self, root: "DocumentStatusHistory").changes
    }

    /// What the server says of a document (`record_document_meta`).
    package func metadata(ofDocument document: String) async throws -> DocumentMetadata {
        try await send(.recordDocumentMeta, path: ["document": document])
            .value(DocumentMetadata.self, root: "Document")
    }

    /// A document's bytes as they are stored (`record_specific_document`).
    package func storedBytes(ofDocument document: String) async throws -> Data {
        try await send(.recordSpecificDocument, path: ["document": document]).body
    }

    private func send(
        _ call: IndivoCall, path variables: [String: String], body: CallClient.Body, stamp: SigningStamp
    ) async throws -> Answer {
        var client = server.calls
        client.stamp = stamp
        return try await client.send(
            call, as: OAuthCredentials(consumer: server.app.consumer, token: token),
            path: variables.merging(["record": id, "app": server.app.id]) { given, _ in given }, body: body)
    }
}

extension Answer {
    /// The id of the document that the answer tells of.
    fileprivate func documentID() throws -> String {
        let id = try value(DocumentMetadata.self, root: "Document").id
        guard !id.isEmpty else { throw unexpected("the document in it has no id.") }
        return id
    }

    fileprivate func unexpected(_ what: String) -> IndivoError { IndivoError(.unexpectedAnswer(what), call: call) }
}
