import Foundation
import HTTPTypes
import Synchronization

/// How all clients of the package send requests: a limited number at a time, within a deadline, and with
/// retries where the client finds them safe.
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
    ///   - end: When the call must be over; without it, the transport's own limits apply.
    ///   - request: Makes the request when its turn has come, since a signature or a token is good for a
    ///     limited time.
    ///   - isCorrected: Whether the next request will differ: it has a newer token, or is signed by the right
    ///     clock.
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
    ///   - end: When the call must be over, if it is a part of another.
    ///   - attempt: Attempts the call once.
    ///   - next: Decides what a failure leads to. Its second argument tells whether an earlier attempt may
    ///     have been carried out.
    ///   - lookUp: Finds out whether the call was carried out, if that is the next step. It returns the
    ///     call's response, or `nil` if it was not. What it throws ends the call.
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

/// How requests are retried if no response arrived, or if the server or a proxy reported that it is busy.
///
/// Only requests that can do no harm are retried; each client knows which these are. The longest wait doubles
/// from ``firstDelay`` up to ``maximumDelay``. The actual wait is a random part of it ("full jitter"), so
/// that many devices do not come back at the same moment.
public struct RetryPolicy: Sendable, Hashable {
    /// How many times a request is sent at most, the first time included.
    public var maximumAttempts: Int
    /// The longest wait before the second attempt.
    public var firstDelay: Duration
    /// The longest wait before any attempt.
    public var maximumDelay: Duration
    /// How long a call may take in all, waits included. No attempt begins after that time, and none is waited
    /// for beyond it.
    public var deadline: Duration

    /// Four attempts within a minute, after at most 0.25, 0.5 and 1 seconds, unless said otherwise.
    public init(
        maximumAttempts: Int = 4,
        firstDelay: Duration = .milliseconds(250),
        maximumDelay: Duration = .seconds(8),
        deadline: Duration = .seconds(60)
    ) {
        self.maximumAttempts = maximumAttempts
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
        self.deadline = deadline
    }

    /// Every request is sent once.
    public static let never = RetryPolicy(maximumAttempts: 1)

    /// How long to wait after a number of attempts.
    /// - Parameter random: The part of the longest wait, from 0 up to 1.
    package func delay(after attempts: Int, random: Double) -> Duration {
        var longest = firstDelay
        for _ in 1..<max(1, attempts) where longest < maximumDelay { longest *= 2 }
        return min(longest, maximumDelay) * random
    }
}

/// The clocks of calls, and the waits and random numbers of their retries. A test brings its own, and never
/// sleeps.
public struct CallTiming: Sendable {
    /// The device's time of day: what signed requests and tokens are dated by.
    public var now: @Sendable () -> Date
    /// A time that only goes forward, from any start: what deadlines are measured by.
    public var elapsed: @Sendable () -> Duration
    /// Waits; throws when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A number from 0 up to 1.
    public var random: @Sendable () -> Double

    /// Clocks and random numbers of one's own, for tests.
    public init(
        now: @escaping @Sendable () -> Date,
        elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.elapsed = elapsed
        self.sleep = sleep
        self.random = random
    }

    /// The system's clocks.
    public static let system = CallTiming(
        now: { Date() },
        elapsed: { [start = ContinuousClock.now] in start.duration(to: .now) },
        sleep: { try await Task.sleep(for: $0) },
        random: { Double.random(in: 0..<1) }
    )
}

/// Limits how many calls run at a time; further calls wait in the order of their arrival.
package final class ConcurrencyLimiter: Sendable {
    private let state:
        Mutex<(free: Int, waiting: [(id: UUID, continuation: CheckedContinuation<Void, any Error>)])>

    package init(width: Int) { state = Mutex((max(1, width), [])) }

    /// Does `body` once there is room; throws `CancellationError` when the task is cancelled while it waits.
    package nonisolated(nonsending) func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await enter()
        defer { leave() }
        return try await body()
    }

    private nonisolated(nonsending) func enter() async throws {
        let id = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let turn = state.withLock { state -> Result<Void, any Error>? in
                    // A task that is cancelled after this check is found among the waiting ones.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.free > 0 {
                        state.free -= 1
                        return .success(())
                    }
                    state.waiting.append((id, continuation))
                    return nil
                }
                if let turn { continuation.resume(with: turn) }
            }
        } onCancel: {
            let left = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            left?.resume(throwing: CancellationError())
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
