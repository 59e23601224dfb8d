import Foundation

/// An item to deliver, with the notes of earlier attempts.
public struct DeliveryAttempt: Sendable {
    public let item: QueueItem
    /// What is known of the item on which this one builds.
    public let predecessor: Predecessor
    var progress: QueueProgress
    let mark: SealedFile.Mark
    let folder: QueueFolder

    /// How often the item failed before (``DeliveryOutcome/tryAgain(_:)``), in earlier deliveries too.
    public var failures: Int { progress.failures }

    /// The deliverer's notes for a further attempt, in this process or another: what it signed the request
    /// with, how far an upload came. Kept when the item is set aside, and by ``keepNotes()``.
    public var notes: Data? {
        get { progress.notes }
        set { progress.notes = newValue }
    }

    /// What is known of the item on which an item builds.
    public enum Predecessor: Sendable, Hashable {
        /// It builds on none.
        case none
        /// It was delivered.
        case delivered(receipt: Data)
        /// The queue does not know it any more. It was delivered long ago, or discarded, or it is one of the
        /// damaged items, of which the earliest is named.
        case unknown(damaged: QueueItem.ID?)
    }

    /// Makes the notes durable. Call it before sending anything that the notes have to record.
    public func keepNotes() throws { try keep(setAside: nil) }

    func keep(setAside reason: String?) throws {
        try folder.save(
            QueueProgress(notes: notes, failures: failures, setAside: reason),
            of: item.number,
            mark
        )
    }

    func finish(_ receipt: Data) throws {
        let receipt = QueueReceipt(
            entry: item.entry,
            receipt: receipt,
            deliveredAt: Date().timeIntervalSince1970
        )
        try folder.finish(item.number, mark, receipt)
    }

    /// The payload; `nil` without one. For large ones see ``readPayload(_:)``.
    /// - Throws: ``QueueError/damaged(file:)``, after which the item is set aside unless the deliverer
    ///   catches it.
    public func payload() throws -> Data? { try openPayload()?.data() }

    /// The payload, to be read at any position; `nil` without one.
    /// - Throws: ``QueueError/damaged(file:)``.
    public func openPayload() throws -> QueuePayload? { try folder.openPayload(of: item) }

    /// Passes the payload to `body` in pieces of at most 1 MiB. Only when this returns is the payload known
    /// to be complete.
    /// - Throws: ``QueueError/damaged(file:)``, and what `body` throws.
    public func readPayload(_ body: (Data) throws -> Void) throws { try openPayload()?.forEachChunk(body) }
}

/// The payload of an item, read at any position: for uploads that begin in the middle.
public struct QueuePayload: Sendable {
    /// In bytes.
    public let size: Int
    let file: SealedFile
    let path: String

    /// Reads `count` bytes from a position on; fewer at the end.
    /// - Throws: ``QueueError/damaged(file:)``.
    public func read(at position: Int, count: Int) throws -> Data {
        try QueueError.naming(path) {
            try file.readBody(at: position, count: max(0, min(count, size - position)))
        }
    }

    func forEachChunk(_ body: (Data) throws -> Void) throws {
        try QueueError.naming(path) { try file.readBody(body) }
    }

    func data() throws -> Data {
        var data = Data(capacity: size)
        try forEachChunk { data.append($0) }
        return data
    }
}
