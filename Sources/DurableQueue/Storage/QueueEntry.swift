import Foundation

/// A queued item as it is kept: the head of its file. The file's body is the payload.
struct QueueEntry: Codable, Sendable {
    var id: QueueItem.ID
    var orderKey: String
    var predecessor: QueueItem.ID?
    /// Seconds since 1970-01-01T00:00:00Z.
    var queuedAt: Double
    /// In bytes; `nil` without a payload.
    var payloadSize: Int?
    var header: Data
}

/// How far the delivery of an item has come.
struct QueueProgress: Codable, Sendable {
    /// The deliverer's own.
    var notes: Data?
    /// How often the item failed.
    var failures = 0
    /// Why the item was set aside.
    var setAside: String?
}

/// What became of an item.
struct QueueReceipt: Codable, Sendable {
    var entry: QueueEntry
    /// What the deliverer gave for it.
    var receipt: Data
    /// Seconds since 1970-01-01T00:00:00Z.
    var deliveredAt: Double
}

/// What a queue's folder has under one number.
struct StoredItem: Sendable {
    let number: Int
    let content: Content

    enum Content: Sendable {
        case pending(QueueEntry, QueueProgress, SealedFile.Mark)
        case delivered(QueueReceipt)
        case damaged(reason: String)
    }
}
