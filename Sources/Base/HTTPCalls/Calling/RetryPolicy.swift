import Foundation

/// How requests are retried that got no response, or a server's or proxy's word that it is busy.
///
/// Only requests that can do no harm are retried; which these are, the client of a server knows. The waits
/// grow by the factor two from ``firstDelay`` up to ``maximumDelay``, and of each a random part is waited
/// ("full jitter"), so that many devices do not come back at the same moment.
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

    /// How long to wait before another attempt, after so many: a random part, from 0 up to 1, of the longest
    /// wait.
    package func delay(after attempts: Int, random: Double) -> Duration {
        var longest = firstDelay
        for _ in 1..<max(1, attempts) where longest < maximumDelay { longest *= 2 }
        return min(longest, maximumDelay) * random
    }
}

/// The clocks that calls go by, and the waits and dice of their retries. A test brings its own and never
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

    /// Clocks and chance of one's own, for tests.
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
