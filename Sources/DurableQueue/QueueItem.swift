import Foundation

/// An item in a queue, and how far it has come.
public struct QueueItem: Sendable, Identifiable, Hashable {
    /// The item's id: a UUID in lower case unless the app gave another.
    public let id: String
    /// Its position in the queue; earlier ones have smaller numbers, and none is given twice.
    public let number: Int
    /// Items with the same key are delivered in order, and stop together; delivery of other keys continues.
    public let orderKey: String
    /// The item on which this one builds: it is delivered only after that one was.
    public let predecessor: QueueItem.ID?
    /// The app's header of the item, encrypted like the payload and read with every list of items.
    public let header: Data
    /// The size of the payload in bytes; `nil` without one.
    public let payloadSize: Int?
    /// When it was queued, by this device's clock.
    public let queuedAt: Date
    /// How far it has come.
    public internal(set) var state: State

    /// How far an item has come.
    public enum State: Sendable, Hashable {
        /// It waits for its turn, or for the network.
        case queued
        /// It waits for another item that was set aside or is damaged, and goes when that one went.
        case waiting(for: QueueItem.ID)
        /// It was set aside for this reason, and stays until ``DurableQueue/retry(_:notes:)`` or
        /// ``DurableQueue/discard(_:)``.
        case setAside(reason: String)
        /// Its file is not what was written; nothing else is known of it. It stays until the file is restored or
        /// ``DurableQueue/discard(_:)``.
        case damaged(reason: String)
        /// It arrived; the receipt is what the deliverer gave.
        case delivered(receipt: Data)
    }
}

extension QueueItem {
    init(_ entry: QueueEntry, _ number: Int, _ state: State) {
        id = entry.id
        self.number = number
        orderKey = entry.orderKey
        predecessor = entry.predecessor
        header = entry.header
        payloadSize = entry.payloadSize
        queuedAt = Date(timeIntervalSince1970: entry.queuedAt)
        self.state = state
    }

    /// A file that cannot be read: all that is known is its number.
    private init(damaged number: Int, _ reason: String) {
        let entry = QueueEntry(
            id: "damaged-\(number)", orderKey: "", queuedAt: Date.distantPast.timeIntervalSince1970, header: Data())
        self.init(entry, number, .damaged(reason: reason))
    }

    /// The items of a queue, from what its folder holds.
    static func all(in stored: [StoredItem]) -> [QueueItem] {
        var stuck: [QueueItem.ID: QueueItem.ID] = [:]
        return stored.map { stored in
            switch stored.content {
            case .damaged(let reason):
                return QueueItem(damaged: stored.number, reason)
            case .delivered(let receipt):
                return QueueItem(receipt.entry, stored.number, .delivered(receipt: receipt.receipt))
            case .pending(let entry, let progress, _):
                var state = State.queued
                if let reason = progress.setAside {
                    state = .setAside(reason: reason)
                    stuck[entry.id] = entry.id
                } else if let predecessor = entry.predecessor, let culprit = stuck[predecessor] {
                    state = .waiting(for: culprit)
                    stuck[entry.id] = culprit
                }
                return QueueItem(entry, stored.number, state)
            }
        }
    }
}

extension QueueItem: CustomStringConvertible {
    /// The id, never what the item says.
    public var description: String { "item \(id)" }
}
