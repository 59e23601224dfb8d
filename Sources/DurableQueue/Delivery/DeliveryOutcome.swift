import Foundation

/// What became of one attempt to deliver an item.
public enum DeliveryOutcome: Sendable {
    /// It arrived. The receipt is remembered with the item (``QueueItem/State/delivered(receipt:)``).
    case delivered(receipt: Data = Data())
    /// It can never arrive as it is: it stays, out of the others' way, until the app decides.
    case setAside(reason: String)
    /// It failed, and the way to the server did not: it is tried again after a while, and set aside after
    /// ``DeliveryPolicy/networkFailures``, so that it does not hold up the others for ever.
    case tryAgain(any Error)
    /// There is no way to the server, or it takes nothing just now: nothing more of this order key in this delivery.
    case stopped(any Error)
    /// This process cannot deliver it, and another may: it stays queued, as does what builds on it.
    case skipped(reason: String)
    /// It waits for another item.
    case waiting(for: QueueItem.ID)
}

/// What a delivery came to.
public struct QueueReport: Sendable {
    /// What was delivered, in order.
    public var delivered: [QueueItem] = []
    /// What was set aside, with the reasons in the items.
    public var setAside: [QueueItem] = []
    /// Items that this process cannot deliver: they stay queued, as do the items that build on them.
    public var skipped: [(item: QueueItem, reason: String)] = []
    /// How many items are still to be delivered, set aside ones left out.
    public var remaining = 0
    /// Why delivery stopped before everything was tried, by order key.
    public var stopped: [String: any Error] = [:]

    init() {}
}

/// Something that happened in a queue.
public enum QueueUpdate: Sendable {
    /// An item was queued, or put back into the queue.
    case queued(QueueItem)
    /// An item is being sent.
    case sending(QueueItem)
    /// The item arrived.
    case delivered(QueueItem)
    /// The item was set aside; its state says why.
    case setAside(QueueItem)
    /// The item was discarded.
    case discarded(QueueItem)
    /// Nothing more of an order key can be delivered for now.
    case stopped(orderKey: String, any Error)
    /// Everything that can go has gone.
    case finished(QueueReport)
}
