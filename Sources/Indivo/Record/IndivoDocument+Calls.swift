import Foundation
import IndivoModel
import OAuth1

extension IndivoDocument {
    /// The record the document is in; `nil` before it was added or fetched.
    public var record: IndivoRecord? { home as? IndivoRecord }

    /// Stores the document as a new version of itself (`document_version_by_ext_id`); its id and metadata become the
    /// new version's.
    ///
    /// Nothing that is stored is lost: a document that came from a report is first fetched whole, and only what changed
    /// is written into it. What the class does not know, and other models of the same document, stay.
    ///
    /// - Throws: ``IndivoError``, `DocumentError`. A version that is not the newest is refused before anything is sent,
    ///   if the server has told of a newer one.
    public func replace() async throws {
        let (record, id) = try stored(for: .documentVersionByExternalID)
        if let newer = metadata?.replacedBy?.id ?? metadata?.latest?.id, newer != id {
            throw IndivoError(
                .badArgument("\(self) is an old version; fetch the newest and change that"),
                call: .documentVersionByExternalID)
        }
        let root: XMLNode
        if let storedRoot { root = storedRoot } else { root = try await record.content(ofDocument: id) }
        let metadata = try await record.push(
            PreparedDocument(replacing: self, in: root), .documentVersionByExternalID, path: ["document": id])
        settle(metadata, in: record)
    }

    /// Sets the status of this version (`document_set_status`).
    ///
    /// - Parameter reason: Why; the server wants one.
    public func setStatus(_ status: DocumentStatus, reason: String) async throws {
        let (record, id) = try stored(for: .documentSetStatus)
        guard !reason.isEmpty else {
            throw IndivoError(.badArgument("a change of status needs a reason"), call: .documentSetStatus)
        }
        _ = try await record.send(
            .documentSetStatus, path: ["document": id], body: .form(["status": status.rawValue, "reason": reason]))
        metadata?.status = status
    }

    /// The changes of this version's status, the earliest first (`document_status_history`).
    public func statusHistory() async throws -> [DocumentStatusHistory.Change] {
        let (record, id) = try stored(for: .documentStatusHistory)
        let history = try await record.send(.documentStatusHistory, path: ["document": id])
            .value(DocumentStatusHistory.self, root: "DocumentStatusHistory")
        return history.changes.sorted { ($0.at?.date ?? .distantPast) < ($1.at?.date ?? .distantPast) }
    }

    /// All versions of the document, whatever their status, the earliest first (`document_versions`).
    ///
    /// One request for each status, since a server lists the versions of one status only.
    public func versions() async throws -> [DocumentMetadata] {
        let (record, id) = try stored(for: .documentVersions)
        var versions: [DocumentMetadata] = []
        for status in DocumentStatus.allCases {
            versions += try await record.send(
                .documentVersions, path: ["document": id], query: ["status": status.rawValue, "limit": "1000"]
            ).value(DocumentList.self, root: "Documents").documents
        }
        return versions.sorted { ($0.createdAt?.date ?? .distantPast) < ($1.createdAt?.date ?? .distantPast) }
    }

    /// Sets the label under which people see this version (`record_document_label`); empty takes it away.
    ///
    /// - Parameter label: At most 100 characters.
    public func setLabel(_ label: String) async throws {
        let (record, id) = try stored(for: .recordDocumentLabel)
        guard label.count <= 100 else {
            throw IndivoError(.badArgument("a label has at most 100 characters, this one \(label.count)"), call: .recordDocumentLabel)
        }
        let answer = try await record.send(.recordDocumentLabel, path: ["document": id], body: .text(label))
        if let updated = try answer.value(DocumentList.self, root: "Documents").documents.first { metadata = updated }
    }

    /// Fetches what the server says of the document now (`record_document_meta`).
    @discardableResult
    public func refreshMetadata() async throws -> DocumentMetadata {
        let (record, id) = try stored(for: .recordDocumentMeta)
        let fresh = try await record.send(.recordDocumentMeta, path: ["document": id])
            .value(DocumentMetadata.self, root: "Document")
        metadata = fresh
        return fresh
    }

    private func stored(for call: IndivoCall) throws -> (IndivoRecord, String) {
        guard let record, let id else {
            throw IndivoError(
                .badArgument("\(self) is not in a record yet; add it with record.add(_:) first"), call: call)
        }
        return (record, id)
    }
}
