import Synchronization

/// How many requests each client may still make: a bucket each, filled evenly.
package final class RateLimiter: Sendable {
    private struct Bucket {
        var tokens: Double
        var filled: Duration
    }

    /// More clients than are remembered at once.
    private static let maximumClients = 20_000

    private let buckets = Mutex<[String: Bucket]>([:])
    private let perMinute: Double
    private let elapsed: @Sendable () -> Duration

    package init(perMinute: Int, elapsed: @escaping @Sendable () -> Duration) {
        self.perMinute = Double(max(1, perMinute))
        self.elapsed = elapsed
    }

    /// Takes from a client's bucket, which holds a minute's worth.
    ///
    /// - Returns: `nil` when there was enough; else in how many seconds there will be.
    package func take(_ cost: Double = 1, of client: String) -> Int? {
        let now = elapsed()
        return buckets.withLock { buckets -> Int? in
            if buckets.count >= Self.maximumClients, buckets[client] == nil {
                buckets = buckets.filter { level($0.value, now) < perMinute }
                // Nobody is kept out for others' sake.
                if buckets.count >= Self.maximumClients { buckets = [:] }
            }
            let left = level(buckets[client] ?? Bucket(tokens: perMinute, filled: now), now)
            let cost = min(cost, perMinute)
            guard left >= cost else {
                buckets[client] = Bucket(tokens: left, filled: now)
                return max(1, Int(((cost - left) / perMinute * 60).rounded(.up)))
            }
            buckets[client] = Bucket(tokens: left - cost, filled: now)
            return nil
        }
    }

    private func level(_ bucket: Bucket, _ now: Duration) -> Double {
        min(perMinute, bucket.tokens + (now - bucket.filled) / .seconds(60) * perMinute)
    }
}
