/// When delivery is tried again, and when it is given up.
public struct DeliveryPolicy: Sendable {
    /// How often ``Outbox/flush()`` tries one change before it stops for lack of a network.
    public var attempts: Int
    /// How long to wait before the second attempt; each further wait is twice as long.
    public var firstDelay: Duration
    /// The longest wait.
    public var longestDelay: Duration
    /// After how many failures of the server (status 500) a change is set aside, if the server is well otherwise.
    public var serverFailures: Int
    /// After how many failures that may be the network's (a lost answer, a status 503, …) a change is set aside, if the
    /// record could be used otherwise each time. Those of one ``Outbox/flush()`` count when it gives the change up.
    public var networkFailures: Int
    /// How many delivered items ``Outbox/items()`` remembers.
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
    func delay(after failures: Int) -> Duration {
        let longest = min(longestDelay, firstDelay * (1 << min(failures - 1, 20)))
        return longest * Double.random(in: 0.5...1)
    }
}
