import Foundation
import Indivo
import IndivoModel

/// Remembers, in a document, that it waits in an outbox.
final class QueuedDocument: AwaitingDelivery, Sendable {
    let outbox: OutboxFolder
    let item: OutboxItem.ID

    init(_ item: OutboxItem.ID, in outbox: OutboxFolder) {
        self.outbox = outbox
        self.item = item
    }
}

/// Stands in a document while it is being queued: nobody else may queue or send it meanwhile.
private final class DocumentBeingQueued: AwaitingDelivery, Sendable {}

extension Outbox {
    /// Queues a new document (`document_create_by_ext_id`).
    ///
    /// From then on the document can be given to the other calls, ``settle(_:)`` included, as if it were on the server.
    ///
    /// - Throws: `DocumentError` when the document cannot be written, ``OutboxError`` when the disk fails; then nothing
    ///   is queued.
    @discardableResult
    public func add(_ document: IndivoDocument) async throws -> OutboxItem {
        guard document.id == nil else {
            throw OutboxError.badChange("\(document) is on the server already; replace(_:) queues a new version")
        }
        guard !(document.home is QueuedDocument) else {
            throw OutboxError.badChange("\(document) is queued already; replace(_:) queues a new version")
        }
        try checkIdle(document)
        let prepared = try PreparedDocument(new: document)
        return try await queue(.add, target: nil, prepared, of: document)
    }

    /// Queues a new document of any kind: a scan, a text, several models in one file.
    @discardableResult
    public func add(_ content: FileContent) async throws -> OutboxItem {
        try await queue(Entry(change: .add, target: nil), content)
    }

    /// Queues content of any kind as the next version of a document that the server has, or that another item makes.
    @discardableResult
    public func replace(_ target: OutboxItem.Target, with content: FileContent) async throws -> OutboxItem {
        try await queue(Entry(change: .replace, target: Entry.Target(target)), content)
    }

    /// Queues a new version of a document (`document_version_by_ext_id`): one that was queued before, or one that is on
    /// the server.
    ///
    /// It replaces the version that the document is now; if another app replaces that one first, the server refuses this
    /// one, and it is set aside.
    ///
    /// Of a document that came from a report, which leaves things out, only what changed is queued: at delivery the
    /// stored document is fetched and the changes are written into it, so that nothing else of it is lost. Its class has
    /// to be known then too: register a class of your own when the app starts (`register()`).
    @discardableResult
    public func replace(_ document: IndivoDocument) async throws -> OutboxItem {
        let target = try target(document)
        try checkIdle(document)
        if document.isFromReport { return try await queueChanges(of: document, target) }
        let root =
            switch target {
            case .document: document.storedRoot
            case .item: document.source?.document.root
            }
        guard let root else {
            throw OutboxError.badChange(
                "what the server has of \(document) is not known; fetch it while there is network, and change that")
        }
        return try await queue(.replace, target: target, PreparedDocument(replacing: document, in: root), of: document)
    }

    /// Queues a new document as the next version of one that the server has, or that another item makes: of the version
    /// before, nothing stays but what the new document says as well.
    @discardableResult
    public func replace(_ target: OutboxItem.Target, with document: IndivoDocument) async throws -> OutboxItem {
        guard document.id == nil, !(document.home is QueuedDocument) else {
            throw OutboxError.badChange("\(document) is on the server or queued already; give a new document")
        }
        try checkIdle(document)
        return try await queue(.replace, target: Entry.Target(target), PreparedDocument(new: document), of: document)
    }

    /// Queues a change of a document's status (`document_set_status`).
    ///
    /// - Parameter reason: Why; the server wants one.
    @discardableResult
    public func setStatus(
        _ status: DocumentStatus, of document: IndivoDocument, reason: String
    ) async throws -> OutboxItem {
        try await setStatus(status, of: try target(document).publicTarget, reason: reason)
    }

    /// Queues a change of the status of a document that the server has, or that another item makes.
    @discardableResult
    public func setStatus(
        _ status: DocumentStatus, of target: OutboxItem.Target, reason: String
    ) async throws -> OutboxItem {
        guard !reason.isEmpty else { throw OutboxError.badChange("a change of status needs a reason") }
        var entry = Entry(change: .status, target: Entry.Target(target))
        entry.status = status.rawValue
        entry.reason = reason
        return try await queue(entry, nil)
    }

    /// Queues a label under which people see a document (`record_document_label`); empty takes it away.
    ///
    /// - Parameter label: At most 100 characters.
    @discardableResult
    public func setLabel(_ label: String, of document: IndivoDocument) async throws -> OutboxItem {
        try await setLabel(label, of: try target(document).publicTarget)
    }

    /// Queues a label of a document that the server has, or that another item makes.
    @discardableResult
    public func setLabel(_ label: String, of target: OutboxItem.Target) async throws -> OutboxItem {
        guard label.unicodeScalars.count <= 100 else {
            throw OutboxError.badChange("a label has at most 100 characters, this one \(label.unicodeScalars.count)")
        }
        var entry = Entry(change: .label, target: Entry.Target(target))
        entry.label = label
        return try await queue(entry, nil)
    }

    /// The document of an item that is not delivered yet, as an app shows it after it was started anew; it can be given
    /// to the other calls like the document that was queued.
    public func document<Document: IndivoDocument>(
        of item: OutboxItem, as type: Document.Type = Document.self
    ) async throws -> Document {
        let (change, content) = try await stored(item)
        let document = try type.read(from: change == .patch ? DocumentPatch.changed(in: content.xml()) : content.xml())
        document.isFromReport = change == .patch
        document.home = QueuedDocument(item.id, in: folder)
        return document
    }

    /// What an item brings to the server, as long as it is not delivered. Of a document that came from a report it is
    /// what the report told, with the changes; what else the server has of it stays.
    @concurrent
    public func content(of item: OutboxItem) async throws -> FileContent {
        let (change, content) = try await stored(item)
        return change == .patch ? try FileContent(DocumentPatch.changed(in: content.xml())) : content
    }

    @concurrent
    private func stored(_ item: OutboxItem) async throws -> (change: Entry.Change, content: FileContent) {
        try folder.content(of: item.sequence)
    }

    /// If the document was delivered by now, gives it its id on the server, from when on it is one of the record's.
    /// - Returns: Whether it was.
    @discardableResult
    public func settle(_ document: IndivoDocument) async throws -> Bool {
        guard case .item(let id) = try target(document) else { return true }
        guard case .delivered(let stored)? = try await items().first(where: { $0.id == id })?.state else { return false }
        // Queued again meanwhile: then it is that version that it waits for.
        guard (document.home as? QueuedDocument)?.item == id else { return false }
        document.id = stored
        document.home = record
        return true
    }

    /// A document that is being queued or sent at this moment would be stored twice, or over what is on its way.
    private func checkIdle(_ document: IndivoDocument) throws {
        guard document.isUnderway, !(document.home is QueuedDocument) else { return }
        throw OutboxError.badChange("\(document) is being queued or sent just now; wait until that call returns")
    }

    /// What a change of the document is about.
    private func target(_ document: IndivoDocument) throws -> Entry.Target {
        if document.home is DocumentBeingQueued { try checkIdle(document) }
        if let queued = document.home as? QueuedDocument, queued.outbox.path == folder.path { return .item(queued.item) }
        if let id = document.id, document.record?.id == record.id { return .document(id) }
        throw OutboxError.badChange(
            "\(document) is neither in this outbox nor in its record; queue it with add(_:) first")
    }

    private func queue(
        _ change: Entry.Change, target: Entry.Target?, _ prepared: PreparedDocument, of document: IndivoDocument
    ) async throws -> OutboxItem {
        try await queue(change, target: target, FileContent(prepared), of: document) { prepared.adopt() }
    }

    /// Queues what changed of a document that is not known whole.
    private func queueChanges(of document: IndivoDocument, _ target: Entry.Target) async throws -> OutboxItem {
        let patch: DocumentPatch
        do {
            patch = try DocumentPatch(of: document)
        } catch {
            throw OutboxError.badChange("\(error)")
        }
        return try await queue(.patch, target: target, FileContent(patch.root), of: document) { patch.adopt() }
    }

    /// - Parameter adopt: Makes what was written the document's source; called once it is queued.
    private func queue(
        _ change: Entry.Change, target: Entry.Target?, _ content: FileContent, of document: IndivoDocument,
        adopt: () -> Void
    ) async throws -> OutboxItem {
        var entry = Entry(change: change, target: target)
        entry.model = document.modelName
        // Before the first suspension, so that an overlapping call finds it.
        let former = document.home
        document.home = DocumentBeingQueued()
        let item: OutboxItem
        do {
            item = try await queue(entry, content)
        } catch {
            document.home = former
            throw error
        }
        adopt()
        document.id = nil
        document.home = QueuedDocument(item.id, in: folder)
        return item
    }

    private func queue(_ entry: Entry, _ content: FileContent?) async throws -> OutboxItem {
        var entry = entry
        if let content {
            if let problem = content.problem() { throw OutboxError.badChange(problem) }
            entry.byteCount = content.data.count
            if content.contentType != "application/xml" { entry.contentType = content.contentType }
        }
        let item = OutboxItem(entry, try await Self.append(entry, content?.data, to: folder), .queued)
        hub.tell(.queued(item))
        return item
    }

    @concurrent
    private static func append(_ entry: Entry, _ content: Data?, to folder: OutboxFolder) async throws -> Int {
        try folder.append(entry, document: content)
    }
}

extension Entry {
    init(change: Change, target: Target?) {
        self.init(
            id: UUID().uuidString.lowercased(), change: change, target: target, queuedAt: Date().timeIntervalSince1970)
    }
}

extension Entry.Target {
    init(_ target: OutboxItem.Target) {
        self =
            switch target {
            case .document(let id): .document(id)
            case .item(let id): .item(id)
            }
    }

    fileprivate var publicTarget: OutboxItem.Target {
        switch self {
        case .document(let id): .document(id: id)
        case .item(let id): .item(id)
        }
    }
}
