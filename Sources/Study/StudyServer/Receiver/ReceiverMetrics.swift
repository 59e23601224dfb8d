import Synchronization

/// What a receiver counts.
final class ReceiverMetrics: Sendable {
    private struct Counts {
        var requests: [String: Int] = [:]
        var bytes = 0
        var messages = 0
        var duplicates = 0
    }

    private let counts = Mutex(Counts())

    /// Counts a request. Routes and statuses are the receiver's own words, never a client's.
    func count(route: String, status: Int, bytes: Int) {
        counts.withLock {
            $0.requests["route=\"\(route)\",status=\"\(status)\"", default: 0] += 1
            $0.bytes += bytes
        }
    }

    func count(isNew: Bool) { counts.withLock { if isNew { $0.messages += 1 } else { $0.duplicates += 1 } } }

    func text(_ queue: MessageQueueStatus) -> String {
        let counts = counts.withLock { $0 }
        return MetricsText.metric(
            "requests_total",
            .counter,
            "Requests by route and status.",
            counts.requests.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        )
            + MetricsText.metric(
                "request_bytes_total",
                .counter,
                "Bytes of the bodies of requests.",
                counts.bytes
            )
            + MetricsText.metric("messages_total", .counter, "Messages that were queued.", counts.messages)
            + MetricsText.metric(
                "duplicates_total",
                .counter,
                "Messages that were queued before.",
                counts.duplicates
            )
            + MetricsText.metric("queue_depth", .gauge, "Messages that wait for a consumer.", queue.depth)
            + (queue.bytes.map {
                MetricsText.metric(
                    "queue_bytes",
                    .gauge,
                    "Bytes of the bodies in the queue, dead letters included.",
                    $0
                )
            } ?? "")
            + MetricsText.metric("queue_dead", .gauge, "Messages that were received too often.", queue.dead)
            + MetricsText.metric("queue_age_seconds", .gauge, "Age of the oldest message.", queue.age)
    }
}
