import DurableQueue
import Indivo

/// What a delivery came to.
public struct DeliveryReport: Sendable, CustomStringConvertible {
    /// What was delivered, in order.
    public var delivered: [OutboxItem] = []
    /// What was set aside, with the reasons in the items.
    public var setAside: [OutboxItem] = []
    /// Changes that this process cannot deliver, and another may: they stay queued, as do the changes that
    /// build on them. See ``Skipped``.
    public var skipped: [Skipped] = []
    /// How many changes are still to be delivered, set aside ones left out.
    public var remaining = 0
    /// Why delivery stopped before everything was tried; `nil` when it did not.
    public var stop: DeliveryStop?

    /// A change that was left for another process: one to a document from a report, of a class that is not
    /// known here.
    public struct Skipped: Sendable {
        /// The item, which is queued as before.
        public var item: OutboxItem
        /// Why, and what to do.
        public var reason: String
    }

    /// A sentence of numbers and of what stopped the delivery; it says nothing of the changes.
    public var description: String {
        QueueReport.sentence(
            delivered: delivered.count,
            setAside: setAside.count,
            skipped: skipped.count,
            remaining: remaining,
            stops: stop.map { ["\($0)"] } ?? []
        )
    }

    init(_ report: QueueReport) {
        delivered = report.delivered.map { OutboxItem($0) }
        setAside = report.setAside.map { OutboxItem($0) }
        skipped = report.skipped.map { Skipped(item: OutboxItem($0.item), reason: $0.reason) }
        remaining = report.remaining
        stop = report.stopped.values.compactMap { $0 as? DeliveryStop }.first
    }
}

/// Why nothing more can be delivered for now. What is queued stays queued.
public enum DeliveryStop: Error, CustomStringConvertible {
    /// There is no way to the server, or it is not well: try again later.
    case unreachable(IndivoError)
    /// The server does not take the token, or this app may not use the record any more: let the person log in
    /// again, and open the outbox of the record that gives. With the reason `notFound` the server has no such
    /// record: what is queued is for another server, or to be discarded.
    case loginNeeded(IndivoError)

    init(_ error: IndivoError) {
        self = ErrorClass(error) == .forbidden ? .loginNeeded(error) : .unreachable(error)
    }

    /// The error behind it.
    public var error: IndivoError {
        switch self {
        case .unreachable(let error), .loginNeeded(let error): error
        }
    }

    public var description: String {
        switch self {
        case .unreachable(let error): "delivery stopped, and goes on later: \(error)"
        case .loginNeeded(let error) where error.reason == .notFound:
            "delivery stopped, and waits for the server that has the record: \(error)"
        case .loginNeeded(let error): "delivery stopped until the person logs in again: \(error)"
        }
    }
}

/// Something that happened in an outbox.
public enum OutboxUpdate: Sendable {
    /// A change was queued, or put back into the queue.
    case queued(OutboxItem)
    /// A change is being sent.
    case sending(OutboxItem)
    /// The server has the change.
    case delivered(OutboxItem)
    /// The change was set aside; the item says why.
    case setAside(OutboxItem)
    /// The item was discarded.
    case discarded(OutboxItem)
    /// Nothing more can be delivered for now.
    case stopped(DeliveryStop)
    /// Everything that can go has gone.
    case finished(DeliveryReport)

    init?(_ update: QueueUpdate) {
        switch update {
        case .queued(let item): self = .queued(OutboxItem(item))
        case .sending(let item): self = .sending(OutboxItem(item))
        case .delivered(let item): self = .delivered(OutboxItem(item))
        case .setAside(let item): self = .setAside(OutboxItem(item))
        case .discarded(let item): self = .discarded(OutboxItem(item))
        case .stopped(_, let error):
            guard let stop = error as? DeliveryStop else { return nil }
            self = .stopped(stop)
        case .finished(let report): self = .finished(DeliveryReport(report))
        }
    }
}

/// What a failed call means for the change that made it.
enum ErrorClass {
    /// The network, or the server's surroundings: it says nothing about the change.
    case tryAgain
    /// The server failed on the request: its fault, or this change's.
    case serverFailed
    /// 403: this change is not allowed, nothing is any more, or a copy of the request came before.
    case forbidden
    /// The server will never take the change.
    case refused

    var isRefusal: Bool { self == .forbidden || self == .refused }

    init(_ error: IndivoError) {
        switch error.reason {
        case .badArgument, .notFound, .invalid, .invalidDocument, .conflict: self = .refused
        case .refused, .login: self = .forbidden
        // What is malformed may be the page of a network that wants a login of its own first.
        case .notReachable, .timedOut, .responseLost, .cancelled, .malformedResponse, .responseTooLarge:
            self = .tryAgain
        // What stands between, a gateway say, is not a judge of the change.
        case .serverFailed(let status): self = status == 500 ? .serverFailed : .tryAgain
        case .unexpectedStatus(let status):
            // A redirection, or too early, too many, timed out.
            self = status < 400 || [408, 425, 429].contains(status) ? .tryAgain : .refused
        }
    }
}
