import Foundation

/// An item in a queue, and how far it has come.
public struct QueueItem: Sendable, Identifiable, Hashable, CustomStringConvertible {
    let entry: QueueEntry
    /// Its position in the queue; earlier ones have smaller numbers, and none is given twice.
    public let number: Int
    /// How far it has come.
    public internal(set) var state: State

    /// The item's id: a UUID in lower case unless the app gave another.
    public var id: String { entry.id }
    /// Items with the same key are delivered in order, and stop together; delivery of other keys continues.
    public var orderKey: String { entry.orderKey }
    /// The item on which this one builds: it is delivered only after that one was.
    public var predecessor: QueueItem.ID? { entry.predecessor }
    /// The app's header of the item, encrypted like the payload and read with every list of items.
    public var header: Data { entry.header }
    /// The size of the payload in bytes; `nil` without one.
    public var payloadSize: Int? { entry.payloadSize }
    /// When it was queued, by this device's clock.
    public var queuedAt: Date { Date(timeIntervalSince1970: entry.queuedAt) }

    /// The id and the state, never the item's content.
    public var description: String { "item \(id), \(state.summary)" }

    /// Whether it arrived.
    public var isDelivered: Bool { if case .delivered = state { true } else { false } }

    var isDamaged: Bool { if case .damaged = state { true } else { false } }

    func with(_ state: State) -> QueueItem { QueueItem(entry: entry, number: number, state: state) }

    /// How far an item has come.
    public enum State: Sendable, Hashable {
        /// It waits for its turn, or for the network.
        case queued
        /// It waits for another item, which was set aside or is damaged, and is delivered after that one.
        case waiting(for: QueueItem.ID)
        /// It was set aside for this reason, and stays until ``DurableQueue/retry(_:notes:)`` or
        /// ``DurableQueue/discard(_:)``.
        case setAside(reason: String)
        /// Its file is not what was written; nothing else is known of it. It stays until the file is restored
        /// or ``DurableQueue/discard(_:)``.
        case damaged(reason: String)
        /// It arrived; the receipt is what the deliverer gave.
        case delivered(receipt: Data)

        /// The state in a few words, without a reason: that may quote the item.
        var summary: String {
            switch self {
            case .queued: "queued"
            case .waiting(let blocker): "waiting for item \(blocker)"
            case .setAside: "set aside"
            case .damaged: "damaged"
            case .delivered: "delivered"
            }
        }
    }
}
