/// How fast a body has to come once it holds much of the memory for bodies: who stops sending gives it back soon.
struct BodyPace {
    /// What a body may have without a pace: little of the budget, however many connections there are.
    static let free = 64 << 10
    /// The time over which the least rate is measured. Phones lose their network for some seconds when they change it.
    static let window = Duration.seconds(10)

    private let connections: OpenConnections
    private let key: ConnectionTable.Key
    private let rate: Int
    private let end: ConnectionTable.Instant
    private var size = 0
    /// What has to come until the window ends.
    private var left = 0

    /// - Parameters:
    ///   - rate: The fewest bytes a second; 0 for no pace.
    ///   - timeout: For the whole body.
    init(_ connections: OpenConnections, _ key: ConnectionTable.Key, rate: Int, timeout: Duration) {
        (self.connections, self.key, self.rate) = (connections, key, rate)
        end = connections.now() + timeout
        connections.enter(.receiving, key, until: end)
    }

    /// Takes note of bytes. When a window's share has come, the next window begins.
    mutating func came(_ count: Int) {
        size += count
        left -= count
        guard rate > 0, size > Self.free, left <= 0 else { return }
        left = rate * Int(Self.window.components.seconds)
        connections.enter(.receiving, key, until: min(end, connections.now() + Self.window))
    }
}
