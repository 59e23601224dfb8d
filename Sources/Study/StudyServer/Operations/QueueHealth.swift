import Logging
import Synchronization

/// Whether a queue takes messages: by a look at it, and by what became of those that were sent.
final class QueueHealth: Sendable {
    enum State: Sendable, Hashable {
        case ok
        /// It has as many messages as it may have.
        case full
        case failing(reason: String)
    }

    private struct Seen {
        var state = State.ok
        var until = ContinuousClock.now
        /// The last message that could not be queued, unless one could be since.
        var failure: (reason: String, at: ContinuousClock.Instant)?
        var loggedAt: ContinuousClock.Instant?
    }

    /// How long a look counts, so that strangers who ask cost little.
    private static let lifetime = Duration.seconds(2)
    /// How long a message that could not be queued counts.
    private static let failureLifetime = Duration.seconds(30)
    /// How often a state that stays is logged.
    private static let logInterval = Duration.seconds(60)

    private let seen = Mutex(Seen())
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// A message was queued.
    func succeeded() { seen.withLock { $0.failure = nil } }

    /// A message could not be queued.
    func failed(_ error: any Error) {
        guard !(error is OtherMessage), !(error is CancellationError) else { return }
        let reason = FailureReason.text(of: error)
        seen.withLock {
            $0.failure = (reason, .now)
            $0.until = .now
        }
        log(.failing(reason: reason))
    }

    /// Looks, unless somebody did lately.
    func state(of queue: any MessageQueue, _ quota: QueueQuota) async -> State {
        if let known = seen.withLock({ $0.until > .now ? $0.state : nil }) { return known }
        var state = State.ok
        do {
            try await queue.checkWritable()
            if try await quota.isFull(queue) { state = .full }
        } catch {
            state = .failing(reason: FailureReason.text(of: error))
        }
        let found = state
        let shown = seen.withLock { seen -> State in
            seen.state = found
            if found == .ok, let failure = seen.failure, failure.at + Self.failureLifetime > .now {
                seen.state = .failing(reason: failure.reason)
            }
            seen.until = .now + Self.lifetime
            return seen.state
        }
        log(shown)
        return shown
    }

    private func log(_ state: State) {
        guard state != .ok else { return seen.withLock { $0.loggedAt = nil } }
        let isDue = seen.withLock { seen in
            if let last = seen.loggedAt, last + Self.logInterval > .now { return false }
            seen.loggedAt = .now
            return true
        }
        guard isDue else { return }
        switch state {
        case .ok: break
        case .full: logger.error("the queue has as many messages as it may have")
        case .failing(let reason): logger.error("no message can be queued", metadata: ["reason": "\(reason)"])
        }
    }
}
