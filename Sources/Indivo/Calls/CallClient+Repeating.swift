import Foundation
import OAuth1

extension CallClient {
    /// Sends a call as often as its nature and the policy allow.
    func send(_ outgoing: Outgoing) async throws -> Answer {
        let repetition = Repetition(of: outgoing.call)
        let end = options.timing.elapsed() + options.retry.deadline
        var attempts = 0
        while true {
            attempts += 1
            do {
                return try await HTTPLimits.$remaining.withValue(end - options.timing.elapsed()) {
                    try await attempt(outgoing)
                }
            } catch var error as IndivoError {
                error.attempts += error.isBeforeSending ? attempts - 1 : attempts
                if repetition == .afterLookingUp, error.mayHaveBeenStored(before: attempts) {
                    if let stored = try await lookUp(outgoing, after: error) { return stored }
                }
                guard repetition != .never, error.mayPass, attempts < options.retry.maximumAttempts else { throw error }
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

    /// Looks whether the document that an attempt was about to store is there.
    ///
    /// - Returns: What the server says of it; `nil` when it is not there.
    /// - Throws: A conflict when the external id belongs to another document; `error` when it cannot be found out.
    private func lookUp(_ outgoing: Outgoing, after error: IndivoError) async throws -> Answer? {
        let found: Answer
        do {
            found = try await send(
                .recordDocumentMetaByExternalID, as: outgoing.credentials, path: outgoing.path)
        } catch let failure as IndivoError {
            if case .notFound = failure.reason { return nil }
            if case .cancelled = failure.reason { throw error.cancelled() }
            var error = error
            error.details.append("looking whether it was stored failed: \(failure)")
            throw error
        }
        let metadata = try found.metadata()
        let isOther = outgoing.body.map { metadata.mismatch(with: $0.data) != nil } ?? false
        // Where the server refused the first attempt it undid what it had begun: what is there was stored before.
        let wasThere = error.attempts == 1 && (error.status == 404 || error.status == 500)
        if isOther || wasThere {
            var conflict = IndivoError(.conflict(.externalIDUsed), call: outgoing.call, details: error.details)
            conflict.attempts = error.attempts
            conflict.status = error.status
            throw conflict
        }
        return found.answering(outgoing.call)
    }
}

extension IndivoError {
    /// Whether it may pass by itself: the network's failures, and a server or proxy that is busy.
    var mayPass: Bool {
        switch reason {
        case .notReachable: transportError?.kind != .tls
        case .timedOut, .answerLost: true
        case .serverFailed(let status): [502, 503, 504].contains(status)
        case .unexpectedStatus(let status): status == 429
        default: false
        }
    }

    /// Whether a document that was to be stored under an external id may be there all the same. A server says 404 or 500
    /// where the id is used already, and 400 where an attempt of ours arrived later than we looked.
    fileprivate func mayHaveBeenStored(before attempts: Int) -> Bool {
        switch reason {
        case .timedOut, .answerLost, .answerTooLarge, .malformedAnswer, .serverFailed, .notFound: true
        case .conflict(.externalIDUsed): attempts > 1
        case .invalid: status == 404
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
    fileprivate func cancelled() -> IndivoError {
        var error = self
        error.reason = .cancelled
        return error
    }
}
