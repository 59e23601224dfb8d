import DurableQueue
import Foundation
import Indivo
import IndivoBase
import IndivoModel
import IndivoXML

extension Outbox {
    /// Queues a new document (`document_create_by_ext_id`).
    ///
    /// From then on the document can be given to the other calls, ``confirmDelivery(of:)`` included, as if it
    /// were on the server.
    ///
    /// A document that `record.add(_:)` sent with an unknown outcome is sent under the same external id, and
    /// so is stored once. Changes since then become the next version, as an item of its own, which is
    /// returned.
    /// - Parameter validation: Whether the document is checked before it is queued; `.none` queues it
    ///   whatever it says.
    /// - Throws: `IndivoError` when the document breaks rules of its model, `DocumentError` when it cannot be
    ///   written, ``OutboxError`` when the disk fails; then nothing is queued.
    @discardableResult
    public func add(_ document: IndivoDocument, validation: DocumentValidation = .model) async throws
        -> OutboxItem
    {
        try checkIsNew(document, else: "replace(_:) queues a new version")
        try check(document) { $0.adds(to: record) }
        try document.check(validation)
        return try await queue(.add, target: nil, PreparedDocument(new: document), of: document)
    }

    /// Queues a new document of any kind: a scan, a text, several models in one file.
    /// - Parameter externalID: The id that its origin gave it, a UUID in lower case. ``items()`` shows
    ///   whether it is queued already. A record has one document of an app under an external id: if the
    ///   server has one already, the item counts as delivered, and nothing is stored.
    @discardableResult
    public func add(_ content: FileContent, externalID: String = UUID().uuidString.lowercased()) async throws
        -> OutboxItem
    {
        guard UUID(uuidString: externalID)?.uuidString.lowercased() == externalID else {
            throw OutboxError.badItem("an external id is a UUID in lower case")
        }
        return try await queue(QueuedChange(kind: .add), target: nil, content, id: externalID)
    }

    /// Queues content of any kind as the next version of a document that the server has, or that another item
    /// makes.
    @discardableResult
    public func replace(_ target: OutboxItem.Target, with content: FileContent) async throws -> OutboxItem {
        try await queue(QueuedChange(kind: .replace), target: target, content)
    }

    /// Queues a new version of a document (`document_version_by_ext_id`): one that was queued before, or one
    /// that is on the server.
    ///
    /// It replaces the version that the document is now; if another app replaces that one first, the server
    /// refuses this one, and it is set aside.
    ///
    /// For a document from a report, which leaves things out, only the changes are queued: at delivery, the
    /// stored document is fetched and the changes are written into it, so that nothing else of it is lost.
    /// Its class must be known then, too: register your own classes when the app starts (`register()`).
    /// - Parameter validation: Whether what changed is checked before it is queued; `.none` queues it
    ///   whatever it says. Of a document from a report a value that cannot be read back, such as a number
    ///   that is not finite, is refused, too: it could not be distinguished from one that was removed.
    @discardableResult
    public func replace(_ document: IndivoDocument, validation: DocumentValidation = .model) async throws
        -> OutboxItem
    {
        let target = try target(document)
        if let refusal = document.refusalToReplace { throw OutboxError.badItem(refusal) }
        try check(document) { $0.replaces(document.id ?? "", in: record) }
        try document.check(validation, isNewVersion: true)
        if document.isFromReport {
            // What changed: the document is not known whole.
            let patch: DocumentPatch
            do { patch = try DocumentPatch(of: document) } catch { throw OutboxError.badItem("\(error)") }
            return try await queue(
                .patch,
                target: target,
                FileContent(patch.root),
                of: document,
                commit: patch.commit
            )
        }
        let isStored = if case .document = target { true } else { false }
        guard let root = isStored ? document.storedRoot : document.source?.document.root else {
            throw OutboxError.badItem(
                """
                what the server has of \(document) is not known; fetch it while there is network, \
                and change that
                """
            )
        }
        return try await queue(
            .replace,
            target: target,
            PreparedDocument(replacing: document, in: root, isChecked: validation == .model),
            of: document
        )
    }

    /// Queues a new document as the next version of one that the server has, or that another item makes: it
    /// replaces the content of the version before entirely.
    /// - Parameter validation: Whether the document is checked before it is queued; `.none` queues it
    ///   whatever it says.
    @discardableResult
    public func replace(
        _ target: OutboxItem.Target,
        with document: IndivoDocument,
        validation: DocumentValidation = .model
    ) async throws -> OutboxItem {
        try checkIsNew(document, else: "give a new document")
        if let refusal = document.refusalToReplace { throw OutboxError.badItem(refusal) }
        try check(document) { _ in false }
        try document.check(validation, isNewVersion: true)
        return try await queue(.replace, target: target, PreparedDocument(new: document), of: document)
    }

    /// Queues a change of a document's status (`document_set_status`).
    /// - Parameter reason: Why; the server wants one.
    @discardableResult
    public func setStatus(_ status: DocumentStatus, of document: IndivoDocument, reason: String) async throws
        -> OutboxItem
    {
        try await setStatus(status, of: try target(document), reason: reason)
    }

    /// Queues a change of the status of a document that the server has, or that another item makes.
    @discardableResult
    public func setStatus(_ status: DocumentStatus, of target: OutboxItem.Target, reason: String) async throws
        -> OutboxItem
    {
        guard !reason.isEmpty else { throw OutboxError.badItem("a change of status needs a reason") }
        let reason = try sendable(reason, "the reason")
        return try await queue(
            QueuedChange(kind: .status, status: status.rawValue, reason: reason),
            target: target,
            nil
        )
    }

    /// Queues a label under which people see a document (`record_document_label`); empty takes it away.
    /// - Parameter label: At most 100 characters.
    @discardableResult
    public func setLabel(_ label: String, of document: IndivoDocument) async throws -> OutboxItem {
        try await setLabel(label, of: try target(document))
    }

    /// Queues a label of a document that the server has, or that another item makes.
    @discardableResult
    public func setLabel(_ label: String, of target: OutboxItem.Target) async throws -> OutboxItem {
        guard label.unicodeScalars.count <= 100 else {
            throw OutboxError.badItem(
                "a label has at most 100 characters, this one \(label.unicodeScalars.count)"
            )
        }
        return try await queue(
            QueuedChange(kind: .label, label: sendable(label, "the label")),
            target: target,
            nil
        )
    }

    /// A text in the form in which the server returns it, so that it can be found there.
    /// - Throws: ``/DurableQueue/QueueError/badItem(_:)`` for a text that XML cannot contain: the server's
    ///   lists would be malformed.
    private func sendable(_ text: String, _ what: String) throws -> String {
        if let problem = XMLText.problem(in: text) {
            throw OutboxError.badItem("\(what) cannot be sent: \(problem)")
        }
        return XMLText.normalizingLineEnds(text)
    }

    /// The document of an item that is not delivered yet, as an app shows it after it was started anew; it
    /// can be given to the other calls like the document that was queued.
    public func document<Document: IndivoDocument>(
        of item: OutboxItem,
        as type: Document.Type = Document.self
    ) async throws -> Document {
        let (kind, content) = try await stored(item)
        let document = try type.read(
            stored: kind == .patch ? DocumentPatch.changed(in: content.xml()) : content.xml()
        )
        document.isFromReport = kind == .patch
        document.documentStage = .queued(item: item.id, outbox: location)
        return document
    }

    /// The content that an item brings to the server, as long as it is not delivered. For a document that
    /// came from a report it is the report's data, with the changes; whatever else the server has of it
    /// stays.
    public func content(of item: OutboxItem) async throws -> FileContent {
        let (kind, content) = try await stored(item)
        return kind == .patch ? try FileContent(DocumentPatch.changed(in: content.xml())) : content
    }

    private func stored(_ item: OutboxItem) async throws -> (kind: QueuedChange.Kind, content: FileContent) {
        let stored = try await queue.item(item.id)
        let change = try QueuedChange(of: stored)
        return (change.kind, FileContent(change, try await queue.payload(of: stored)))
    }

    /// If the document has been delivered, gives it its id on the server. From then on it is a document of
    /// the record.
    ///
    /// A delivery that is no longer remembered (``/DurableQueue/DeliveryPolicy/receipts``) is searched for on
    /// the server.
    /// - Returns: Whether it has been delivered.
    /// - Throws: ``OutboxError``; `IndivoError` when the server has to be asked and cannot be.
    @discardableResult
    public func confirmDelivery(of document: IndivoDocument) async throws -> Bool {
        guard case .item(let id) = try target(document) else { return true }
        let stored: String? =
            switch try await items().first(where: { $0.id == id })?.state {
            case .delivered(let document)?: document
            case .queued?, .waiting?, .setAside?: nil
            case nil: try await record.delivered(externalID: id)?.id
            }
        // The document was queued again meanwhile, and now waits for that version.
        guard let stored, case .queued(item: id, _) = document.documentStage else { return false }
        document.confirm(id: stored, in: record)
        return true
    }

    private func checkIsNew(_ document: IndivoDocument, else advice: String) throws {
        guard document.id == nil else {
            throw OutboxError.badItem("\(document) is on the server already; \(advice)")
        }
        if case .queued = document.documentStage {
            throw OutboxError.badItem("\(document) is queued already; \(advice)")
        }
    }

    /// Refuses a document that is being queued or sent at this moment: it would be stored twice, or overwrite
    /// what is on its way. One that may be stored already is refused, too, unless the same is done again.
    private func check(_ document: IndivoDocument, _ isSame: (SentWrite) -> Bool) throws {
        switch document.documentStage {
        case .inNoRecord, .inRecord, .queued: break
        case .beingSent:
            throw OutboxError.badItem(
                "\(document) is being queued or sent just now; wait until that call returns"
            )
        case .unconfirmed(let write, _):
            guard isSame(write) else { throw OutboxError.badItem(document.mayBeStoredMessage) }
        }
    }

    /// What a change of the document is about.
    private func target(_ document: IndivoDocument) throws -> OutboxItem.Target {
        if case .queued(let item, location) = document.documentStage { return .item(item) }
        if case .beingSent = document.documentStage { try check(document) { _ in false } }
        if let id = document.id, document.record?.id == record.id { return .document(id: id) }
        throw OutboxError.badItem(
            "\(document) is neither in this outbox nor in its record; queue it with add(_:) first"
        )
    }

    private func queue(
        _ kind: QueuedChange.Kind,
        target: OutboxItem.Target?,
        _ prepared: PreparedDocument,
        of document: IndivoDocument
    ) async throws -> OutboxItem {
        try await queue(kind, target: target, FileContent(prepared), of: document, commit: prepared.commit)
    }

    /// - Parameter commit: Makes what was written the document's source; called once it is queued.
    private func queue(
        _ kind: QueuedChange.Kind,
        target: OutboxItem.Target?,
        _ content: FileContent,
        of document: IndivoDocument,
        commit: () -> Void
    ) async throws -> OutboxItem {
        // Before the first suspension, so that an overlapping call sees it.
        let before = document.documentStage
        document.documentStage = .beingSent(from: before)
        var change = QueuedChange(kind: kind, model: document.modelName)
        let item: OutboxItem
        do {
            // A report's changes, which are all that is known, are made to the version that they were read
            // from: the server refuses them if that was replaced.
            if case .unconfirmed(let write, _) = before, kind != .patch {
                var sent = try await queue(write, change, target)
                if write.contents != [content.data] {
                    change.kind = .replace
                    sent = try await queue(change, target: .item(sent.id), content)
                }
                item = sent
            } else {
                item = try await queue(change, target: target, content)
            }
        } catch {
            document.documentStage = before
            throw error
        }
        commit()
        document.id = nil
        document.documentStage = .queued(item: item.id, outbox: location)
        return item
    }

    /// Queues a write that may be done already, under its external id: once, also when this is tried again.
    private func queue(_ write: SentWrite, _ change: QueuedChange, _ target: OutboxItem.Target?) async throws
        -> OutboxItem
    {
        var change = change
        change.sentBefore = write.contents.map { DocumentDigest.sha256.hex(of: $0) }
        guard let former = try await queue.items().first(where: { $0.id == write.externalID }) else {
            return try await queue(
                change,
                target: target,
                FileContent(write.contents.last ?? Data(), contentType: "application/xml"),
                id: write.externalID
            )
        }
        guard try QueuedChange(of: former).sentBefore == change.sentBefore else {
            throw OutboxError.badItem(
                "another item has the external id under which the document was sent before"
            )
        }
        return OutboxItem(former)
    }

    private func queue(
        _ change: QueuedChange,
        target: OutboxItem.Target?,
        _ content: FileContent?,
        id: OutboxItem.ID = UUID().uuidString.lowercased()
    ) async throws -> OutboxItem {
        var change = change
        if let content {
            if let problem = content.problem() { throw OutboxError.badItem(problem) }
            if content.contentType != "application/xml" { change.contentType = content.contentType }
        }
        var predecessor: OutboxItem.ID?
        switch target {
        case .document(let id)?: change.document = id
        case .item(let id)?: predecessor = id
        case nil: break
        }
        return OutboxItem(
            try await queue.append(
                JSONEncoder().encode(change),
                payload: (content?.data).map { .data($0) },
                id: id,
                after: predecessor
            )
        )
    }
}

extension QueuedChange {
    /// What an item of the queue stands for.
    /// - Throws: ``/DurableQueue/QueueError/damaged(file:)``. The header is authenticated, so that only
    ///   another version can have written it in this form.
    init(of item: QueueItem) throws {
        guard let change = try? JSONDecoder().decode(QueuedChange.self, from: item.header) else {
            throw OutboxError.damaged(file: "item \(item.id)")
        }
        self = change
    }
}

extension FileContent {
    init(_ change: QueuedChange, _ payload: Data?) {
        self.init(payload ?? Data(), contentType: change.contentType ?? "application/xml")
    }
}
