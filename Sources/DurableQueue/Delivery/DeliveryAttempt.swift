import Foundation

/// An item that is to be delivered, and what was noted about it before.
public struct DeliveryAttempt: Sendable {
    /// The item.
    public let item: QueueItem
    /// What is known of the item on which this one builds.
    public let predecessor: Predecessor
    /// How often the item failed before (``DeliveryOutcome/tryAgain(_:)``), in earlier deliveries too.
    public internal(set) var failures: Int
    /// The deliverer's notes for a further attempt, in this process or another: what it signed the request with, how far an
    /// upload came. Kept when the item is set aside, and by ``keepNotes()``.
    public var notes: Data?

    private let folder: QueueFolder
    private let mark: SealedFile.Mark

    /// What is known of the item on which an item builds.
    public enum Predecessor: Sendable, Hashable {
        /// It builds on none.
        case none
        /// It was delivered.
        case delivered(receipt: Data)
        /// The queue knows it no more: it was delivered so long ago that it is forgotten, or discarded, or it is one of
        /// the damaged ones, of which the earliest is named.
        case unknown(damaged: QueueItem.ID?)
    }

    init(
        _ item: QueueItem, _ progress: QueueProgress, _ mark: SealedFile.Mark, after predecessor: Predecessor,
        in folder: QueueFolder
    ) {
        self.item = item
        self.predecessor = predecessor
        failures = progress.failures
        notes = progress.notes
        self.folder = folder
        self.mark = mark
    }

    /// Makes the notes durable: before something is sent that they have to record.
    public func keepNotes() throws { try keep(setAside: nil) }

    func keep(setAside reason: String?) throws {
        try folder.save(QueueProgress(notes: notes, failures: failures, setAside: reason), of: item.number, mark)
    }

    func finish(_ receipt: Data) throws {
        let entry = QueueEntry(
            id: item.id, orderKey: item.orderKey, predecessor: item.predecessor,
            queuedAt: item.queuedAt.timeIntervalSince1970, payloadSize: item.payloadSize, header: item.header)
        try folder.finish(
            item.number, mark,
            QueueReceipt(entry: entry, receipt: receipt, deliveredAt: Date().timeIntervalSince1970))
    }

    /// The payload; `nil` without one. For large ones see ``readPayload(_:)``.
    /// - Throws: ``QueueError/damaged(file:)``, after which the item is set aside unless the deliverer catches it.
    public func payload() throws -> Data? { try item.payloadSize.map { try folder.payload(of: item.number, size: $0) } }

    /// The payload, to be read at any position; `nil` without one.
    /// - Throws: ``QueueError/damaged(file:)``.
    public func openPayload() throws -> QueuePayload? {
        try item.payloadSize.map { try folder.openPayload(of: item.number, size: $0) }
    }

    /// Hands out the payload in pieces of at most 1 MiB. That it is whole is known when this returns.
    /// - Throws: ``QueueError/damaged(file:)``, and what `body` throws.
    public func readPayload(_ body: (Data) throws -> Void) throws {
        guard item.payloadSize != nil else { return }
        try folder.readPayload(of: item.number, body)
    }
}

/// The payload of an item, read at any position: for uploads that begin in the middle.
public struct QueuePayload: Sendable {
    /// In bytes.
    public let size: Int
    let file: SealedFile
    let path: String

    /// So many bytes from a position on; fewer at the end.
    /// - Throws: ``QueueError/damaged(file:)``.
    public func read(at position: Int, count: Int) throws -> Data {
        do throws(SealedFile.Failure) {
            return try file.readBody(at: position, count: max(0, min(count, size - position)))
        } catch {
            throw QueueError(error, path)
        }
    }

    func forEachChunk(_ body: (Data) throws -> Void) throws {
        do {
            try file.readBody(body)
        } catch let failure as SealedFile.Failure {
            throw QueueError(failure, path)
        }
    }
}

extension QueueFolder {
    func payload(of number: Int, size: Int) throws -> Data {
        var payload = Data(capacity: size)
        try readPayload(of: number) { payload.append($0) }
        return payload
    }
}
