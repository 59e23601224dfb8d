import Foundation
import HTTPTypes

/// How every client of the package sends: so many requests at a time, within a deadline, and again where the
/// client finds that safe.
///
/// A client describes a call by three things: how it is attempted once, what a failure leads to
/// (``NextStep``), and, where a write may have arrived all the same, how to look whether it was done.
package struct CallEngine: Sendable {
    package let transport: any HTTPTransport
    package let retry: RetryPolicy
    package let timing: CallTiming
    private let limiter: ConcurrencyLimiter

    package init(
        transport: any HTTPTransport,
        retry: RetryPolicy = RetryPolicy(),
        timing: CallTiming = .system,
        maximumConcurrentCalls: Int = .max
    ) {
        self.transport = transport
        self.retry = retry
        self.timing = timing
        limiter = ConcurrencyLimiter(width: maximumConcurrentCalls)
    }

    /// What a request carries.
    package enum Body: Sendable {
        case data(Data?)
        case upload(BodySource)
    }

    /// One attempt of a call.
    package struct Attempt: Sendable {
        /// From 1.
        package fileprivate(set) var number: Int
        /// When the call began, by the clock's `elapsed`.
        package let start: Duration
        /// When the call must be over.
        package let end: Duration
    }

    // MARK: One attempt

    /// Sends a request in its turn; once more when its response shows what was wrong with it, and that could
    /// be corrected.
    /// - Parameters:
    ///   - end: When the call must be over; without it, the transport's own limits hold.
    ///   - request: Makes the request when its turn has come, since a signature or a token has its time.
    /// - isCorrected: Whether the next request will be another one: with a newer token, or signed by the
    /// right clock.
    /// - Throws: What the transport, `request` and `isCorrected` throw; `CancellationError` also while it
    ///   waits for its turn.
    package func transfer(
        _ body: Body,
        until end: Duration? = nil,
        _ request: () throws -> HTTPRequest,
        unlessCorrected isCorrected: (HTTPAnswer) async throws -> Bool = { _ in false }
    ) async throws -> HTTPAnswer {
        let first = try await limiter.run { try await send(request(), body, until: end) }
        guard try await isCorrected(first) else { return first }
        return try await limiter.run { try await send(request(), body, until: end) }
    }

    private func send(_ request: HTTPRequest, _ body: Body, until end: Duration?) async throws -> HTTPAnswer {
        guard let end else { return try await send(request, body) }
        let remaining = end - timing.elapsed()
        guard remaining > .zero else {
            throw HTTPTransportError(
                kind: .timedOut,
                server: request.authority ?? "",
                mayHaveReachedServer: false,
                detail: "other calls were under way until the deadline"
            )
        }
        return try await HTTPLimits.$remaining.withValue(remaining) { try await send(request, body) }
    }

    private func send(_ request: HTTPRequest, _ body: Body) async throws -> HTTPAnswer {
        switch body {
        case .data(let data): try await transport.send(request, body: data)
        case .upload(let source): try await transport.send(request, upload: source)
        }
    }

    // MARK: Several attempts

    /// Makes a call: attempts it as often as its failures and the policy allow, until the deadline.
    /// - Parameters:
    ///   - end: When the call must be over, where it is a part of another.
    ///   - attempt: Attempts the call once.
    /// - next: What a failure leads to. It gets the failure, and whether an earlier attempt may have been
    /// done.
    /// - lookUp: Looks whether the call was done, where the next step is to do so; gives its response, or
    /// `nil` if it was not.
    ///     What it throws ends the call.
    package func call<Response, Failure: CallFailure>(
        until end: Duration? = nil,
        attempt: (Attempt) async throws(Failure) -> Response,
        after next: (Failure, _ mayBeDoneBefore: Bool) -> NextStep<Response>,
        lookUp: (Failure, Attempt) async throws(Failure) -> Response? = { (_, _) throws(Failure) in nil }
    ) async throws(Failure) -> Response {
        let start = timing.elapsed()
        var now = Attempt(number: 0, start: start, end: end ?? start + retry.deadline)
        var mayBeDone = false
        while true {
            now.number += 1
            var failure: Failure
            do throws(Failure) {
                return try await attempt(now)
            } catch {
                failure = error
            }
            failure.attempts = failure.isBeforeSending ? now.number - 1 : now.number
            var step = next(failure, mayBeDone)
            mayBeDone = mayBeDone || failure.mayHaveBeenDone
            failure.mayHaveBeenDone = mayBeDone
            if case .lookUp(let otherwise) = step {
                if let response = try await lookUp(failure, now) { return response }
                step = otherwise
            }
            switch step {
            case .done(let response): return response
            case .retry(let maximum) where now.number < min(maximum, retry.maximumAttempts):
                try await pause(after: now, failure)
            case .retry, .fail, .lookUp: throw failure
            }
        }
    }

    /// Waits before the next attempt.
    /// - Throws: The failure when the deadline would be over by then; as a cancelled call when the task is
    ///   cancelled.
    private func pause<Failure: CallFailure>(
        after attempt: Attempt,
        _ failure: Failure
    ) async throws(Failure) {
        let backoff = retry.delay(after: attempt.number, random: timing.random())
        let delay = max(backoff, failure.retryAfter ?? .zero)
        guard timing.elapsed() + delay < attempt.end else { throw failure }
        do {
            try await timing.sleep(delay)
        } catch {
            throw failure.cancelled()
        }
    }
}
