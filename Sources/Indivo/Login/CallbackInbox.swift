import Synchronization

/// Where visits wait for the login that expects them.
final class CallbackInbox: Sendable {
    private let waiting = Mutex<AsyncStream<CallbackVisit>.Continuation?>(nil)
    private let policy: AsyncStream<CallbackVisit>.Continuation.BufferingPolicy

    /// - Parameter limit: How many visits may wait; any number unless given.
    init(limit: Int? = nil) { policy = limit.map { .bufferingOldest($0) } ?? .unbounded }

    /// Opens the inbox for a login; an earlier one ends.
    func open() -> AsyncStream<CallbackVisit> {
        let (stream, continuation) = AsyncStream.makeStream(of: CallbackVisit.self, bufferingPolicy: policy)
        let previous = waiting.withLock { current in
            defer { current = continuation }
            return current
        }
        previous?.finish()
        return stream
    }

    /// - Returns: Whether a login was there to take the visit.
    func put(_ visit: CallbackVisit) -> Bool {
        guard let continuation = waiting.withLock({ $0 }) else { return false }
        guard case .enqueued = continuation.yield(visit) else { return false }
        return true
    }

    func close() {
        let last = waiting.withLock { current in
            defer { current = nil }
            return current
        }
        last?.finish()
    }
}
