import Foundation
import OAuth1

extension CallClient {
    /// Sends a call as often as its nature and the policy allow.
    func send(_ outgoing: Outgoing) async throws -> Answer {
        try await send(outgoing, until: options.timing.elapsed() + options.retry.deadline)
    }

    func send(_ outgoing: Outgoing, until end: Duration) async throws -> Answer {
        let repetition = Repetition(of: outgoing.call)
        let start = options.timing.elapsed()
        var attempts = 0
        var mayBeDone = false
        while true {
            attempts += 1
            do {
                return try await attempt(outgoing, until: end)
            } catch var error as IndivoError {
                error.attempts += error.isBeforeSending ? attempts - 1 : attempts
                if repetition == .untilRefusedAsDuplicate, error.isDuplicate, mayBeDone || outgoing.mayHaveBeenSentBefore {
                    return Answer(ok: outgoing.call, options: options)
                }
                mayBeDone = mayBeDone || error.isOutcomeUnknown
                error.isOutcomeUnknown = mayBeDone
                if let lookUp = outgoing.call.lookUp, error.isReason(for: lookUp, repetition) {
                    if let done = try await look(lookUp, for: outgoing, after: error, since: start, until: end) {
                        return done
                    }
                }
                // What a server does once for an id it may be asked for again, even after it failed.
                let isWorthAnother = repetition == .untilRefusedAsDuplicate && error.status == 500 && attempts == 1
                guard repetition != .never, error.mayPass || isWorthAnother, attempts < options.retry.maximumAttempts else {
                    throw error
                }
                try await wait(after: attempts, of: error, until: end)
            }
        }
    }

    /// Waits before the next attempt.
    /// - Throws: `error` when the deadline would be over by then.
    private func wait(after attempts: Int, of error: IndivoError, until end: Duration) async throws {
        let delay = max(
            options.retry.delay(after: attempts, random: options.timing.random()), error.retryAfter ?? .zero)
        guard options.timing.elapsed() + delay < end else { throw error }
        do {
            try await options.timing.sleep(delay)
        } catch is CancellationError {
            throw error.cancelled()
        }
    }
}

extension IndivoError {
    /// Whether it may pass by itself: the network's failures, and a server or proxy that is busy.
    var mayPass: Bool {
        switch reason {
        case .notReachable: transportError?.kind != .tls
        case .timedOut, .responseLost: true
        case .serverFailed(let status): [502, 503, 504].contains(status)
        case .unexpectedStatus(let status): status == 429
        default: false
        }
    }

    /// Whether the server says that it has done this already, by the id of what is to be done.
    fileprivate var isDuplicate: Bool {
        switch reason {
        case .conflict(.messageIDUsed): true
        case .invalid(let message, _): message.contains("Duplicate attachment number")
        default: false
        }
    }

    /// Whether the library itself refused to send the request.
    fileprivate var isBeforeSending: Bool {
        switch reason {
        case .badArgument, .login(.loggedOut): true
        default: false
        }
    }

    /// The same call, cancelled.
    func cancelled() -> IndivoError {
        var error = self
        error.reason = .cancelled
        return error
    }
}
