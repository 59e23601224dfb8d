import Foundation

/// The clocks that calls go by, and the waits and dice of their retries. A test brings its own and never sleeps.
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
        now: @escaping @Sendable () -> Date, elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void, random: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.elapsed = elapsed
        self.sleep = sleep
        self.random = random
    }

    /// The system's clocks.
    public static let system: CallTiming = {
        let start = ContinuousClock.now
        return CallTiming(
            now: { Date() }, elapsed: { start.duration(to: .now) }, sleep: { try await Task.sleep(for: $0) },
            random: { Double.random(in: 0..<1) })
    }()
}
