/// When delivery is tried again, and when it is given up.
public struct DeliveryPolicy: Sendable {
    /// How often one delivery tries one item before it stops for lack of a network.
    public var attempts: Int
    /// How long to wait before the second attempt; each further wait is twice as long.
    public var firstDelay: Duration
    /// The longest wait.
    public var longestDelay: Duration
    /// After how many failures of the server (status 500) an item is set aside, if the server is well otherwise. For
    /// deliverers that can distinguish it.
    public var serverFailures: Int
    /// After how many failures that may be the network's (a lost response, a status 503, …) an item is set aside, if the
    /// server could be used otherwise each time. Those of one delivery count when it gives the item up.
    public var networkFailures: Int
    /// How many delivered items a queue remembers.
    public var receipts: Int

    /// Waits; the clock's sleep but for tests.
    package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// A policy; the defaults suit an app on a phone.
    public init(
        attempts: Int = 3, firstDelay: Duration = .milliseconds(500), longestDelay: Duration = .seconds(60),
        serverFailures: Int = 10, networkFailures: Int = 30, receipts: Int = 100
    ) {
        self.attempts = max(1, attempts)
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
        self.serverFailures = max(1, serverFailures)
        self.networkFailures = max(1, networkFailures)
        self.receipts = max(1, receipts)
    }

    /// The wait after so many failures in a row, a random part of it left out so that many devices do not come at once.
    package func delay(after failures: Int) -> Duration {
        let longest = min(longestDelay, firstDelay * (1 << min(max(failures, 1) - 1, 20)))
        return longest * Double.random(in: 0.5...1)
    }

    /// Waits as long as is due after so many failures in a row.
    package func pause(after failures: Int) async throws { try await sleep(delay(after: failures)) }
}
