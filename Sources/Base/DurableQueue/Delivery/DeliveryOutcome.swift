import Foundation
import IndivoBase
import Synchronization

/// What became of one attempt to deliver an item.
public enum DeliveryOutcome: Sendable {
    /// It arrived. The receipt is remembered with the item (``QueueItem/State/delivered(receipt:)``).
    case delivered(receipt: Data = Data())
    /// It can never arrive as it is: it stays, out of the others' way, until the app decides.
    case setAside(reason: String)
    /// It failed although the server could be reached. It is tried again later, and set aside after
    /// ``DeliveryPolicy/networkFailures``, so that it does not hold up the others forever.
    case tryAgain(any Error)
    /// The server cannot be reached, or accepts nothing at the moment: this delivery stops for this order
    /// key.
    case stopped(any Error)
    /// This process cannot deliver it, and another may: it stays queued, as does what builds on it.
    case skipped(reason: String)
    /// It waits for another item.
    case waiting(for: QueueItem.ID)
}

/// The result of a delivery.
public struct QueueReport: Sendable, CustomStringConvertible {
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

    /// The counts, and what stopped the delivery, in one sentence that contains nothing of the items.
    public var description: String {
        Self.sentence(
            delivered: delivered.count,
            setAside: setAside.count,
            skipped: skipped.count,
            remaining: remaining,
            stops: Set(stopped.values.map { "\($0)" }).sorted()
        )
    }

    /// The result of a delivery as a sentence, without a full stop.
    package static func sentence(
        delivered: Int,
        setAside: Int,
        skipped: Int,
        remaining: Int,
        stops: [String]
    ) -> String {
        var parts = ["\(delivered) delivered", "\(remaining) waiting"]
        if skipped > 0 { parts[1] += " (\(skipped) for another process)" }
        if setAside > 0 { parts.append("\(setAside) set aside") }
        return ([parts.joined(separator: ", ")] + stops).joined(separator: "; ")
    }
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
    /// The delivery ended: everything that could be delivered was.
    case finished(QueueReport)
}

/// When delivery is tried again, and when it is given up.
public struct DeliveryPolicy: Sendable {
    /// How often one delivery tries one item before it stops for lack of a network.
    public var attempts: Int
    /// How long to wait before the second attempt; each further wait is twice as long.
    public var firstDelay: Duration
    /// The longest wait.
    public var maximumDelay: Duration
    /// After how many failures of the server (status 500) an item is set aside, if the server works
    /// otherwise. For deliverers that can distinguish such failures.
    public var serverFailures: Int
    /// After how many failures that may be the network's (a lost response, a status 503, …) an item is set
    /// aside, if the server could be used otherwise each time. Those of one delivery count when it gives the
    /// item up.
    public var networkFailures: Int
    /// How many delivered items a queue remembers.
    public var receipts: Int

    /// Waits; tests replace it.
    package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// The error number with which a step on the queue's disk fails; always 0 except in tests.
    package var diskFault: @Sendable (DiskStep) -> Int32 = { _ in 0 }

    /// A policy; the defaults suit an app on a phone.
    public init(
        attempts: Int = 3,
        firstDelay: Duration = .milliseconds(500),
        maximumDelay: Duration = .seconds(60),
        serverFailures: Int = 10,
        networkFailures: Int = 30,
        receipts: Int = 100
    ) {
        self.attempts = max(1, attempts)
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
        self.serverFailures = max(1, serverFailures)
        self.networkFailures = max(1, networkFailures)
        self.receipts = max(1, receipts)
    }

    /// The wait after a number of failures in a row. It is shortened at random, so that many devices do not
    /// return at the same moment.
    package func delay(after failures: Int) -> Duration {
        let longest = min(maximumDelay, firstDelay * (1 << min(max(failures, 1) - 1, 20)))
        return longest * Double.random(in: 0.5...1)
    }

    /// Waits as long as is due after so many failures in a row.
    package func pause(after failures: Int) async throws { try await sleep(delay(after: failures)) }
}

/// Passes updates to all listeners.
final class UpdateHub: Sendable {
    /// Listeners are called with each update, and with `nil` at the end.
    private let listeners = Mutex<[UUID: @Sendable (QueueUpdate?) -> Void]>([:])

    /// The updates from now on, each converted for the listener; an update that becomes `nil` is left out.
    func stream<Update: Sendable>(_ make: @escaping @Sendable (QueueUpdate) -> Update?) -> AsyncStream<Update>
    {
        let (stream, continuation) = AsyncStream.makeStream(of: Update.self)
        let id = UUID()
        let listener: @Sendable (QueueUpdate?) -> Void = { update in
            guard let update else { return continuation.finish() }
            if let made = make(update) { continuation.yield(made) }
        }
        listeners.withLock { $0[id] = listener }
        continuation.onTermination = { [weak self] _ in
            _ = self?.listeners.withLock { $0.removeValue(forKey: id) }
        }
        return stream
    }

    func send(_ update: QueueUpdate?) {
        for listener in listeners.withLock({ Array($0.values) }) { listener(update) }
    }

    deinit { send(nil) }
}
