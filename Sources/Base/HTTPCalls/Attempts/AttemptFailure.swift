/// Why an attempt failed, for clients whose callers get errors of several types.
package struct AttemptFailure: CallFailure {
    /// What the caller gets.
    package private(set) var cause: any Error
    package let isTransient: Bool
    package let retryAfter: Duration?
    package var attempts = 0
    package var mayHaveBeenDone = false
    package var isBeforeSending: Bool { false }

    package init(cause: any Error, isTransient: Bool, retryAfter: Duration?) {
        self.cause = cause
        self.isTransient = isTransient
        self.retryAfter = retryAfter
    }

    /// What an attempt threw.
    package init(_ error: any Error) {
        if let failure = error as? AttemptFailure {
            self = failure
        } else {
            let isTransient = (error as? HTTPTransportError)?.isTransient ?? false
            self.init(cause: error, isTransient: isTransient, retryAfter: nil)
        }
    }

    package func cancelled() -> AttemptFailure {
        var failure = self
        failure.cause = CancellationError()
        return failure
    }
}

extension CallEngine {
    /// Makes a call that does no harm when it is made again: as often as its failures and the policy allow.
    ///
    /// - Parameter attempt: Attempts the call once; throws ``AttemptFailure`` where the response shows that
    ///   it may succeed later.
    /// - Throws: The cause of the last failure.
    package func call<Response>(
        _ attempt: (Attempt) async throws -> Response
    ) async throws -> Response {
        do {
            return try await call { (now) async throws(AttemptFailure) -> Response in
                do { return try await attempt(now) } catch { throw AttemptFailure(error) }
            } after: { failure, _ in
                failure.isTransient ? .retry : .fail
            }
        } catch {
            throw error.cause
        }
    }
}
