import Foundation
import Synchronization

/// What a consumer did since it started, for those who run it.
public final class ConsumerWatch: Sendable {
    private struct Counts {
        var report = Consumer.Report()
        var failures = 0
        var success = 0
        var failure = 0
        var reason: String?
    }

    private let counts = Mutex(Counts())
    /// Seconds since 1970.
    private let now: @Sendable () -> Int

    /// Nothing yet.
    public convenience init() { self.init { Int(Date().timeIntervalSince1970) } }

    init(now: @escaping @Sendable () -> Int) { self.now = now }

    /// Why the last look into the queue failed; `nil` where it succeeded.
    public var failure: String? { counts.withLock { $0.reason } }

    func succeed(_ report: Consumer.Report) {
        let time = now()
        counts.withLock {
            $0.report.add(report)
            $0.success = time
            $0.reason = nil
        }
    }

    func fail(_ report: Consumer.Report, _ reason: String) {
        let time = now()
        counts.withLock {
            $0.report.add(report)
            $0.failures += 1
            $0.failure = time
            $0.reason = reason
        }
    }

    /// In Prometheus's text format.
    var metrics: String {
        let counts = counts.withLock { $0 }
        let report = counts.report
        let states = [
            ("loaded", report.loaded), ("kept", report.kept), ("waiting", report.waiting),
            ("failed", report.failed), ("refused", report.refused), ("pending", report.pending),
            ("repeated", report.repeated), ("released", report.released),
        ]
        return MetricsText.metric(
            "consumer_messages_total",
            .counter,
            "Messages by what became of them.",
            states.map { ("state=\"\($0.0)\"", $0.1) }
        )
            + MetricsText.metric(
                "consumer_failures_total",
                .counter,
                "Looks into the queue that failed: the queue or the warehouse is away.",
                counts.failures
            )
            + MetricsText.metric(
                "consumer_last_success_timestamp_seconds",
                .gauge,
                "When the queue and the warehouse were last there.",
                counts.success
            )
            + MetricsText.metric(
                "consumer_last_failure_timestamp_seconds",
                .gauge,
                "When one of them was last away; 0 for never.",
                counts.failure
            )
    }
}

extension Consumer.Report {
    mutating func add(_ other: Self) {
        loaded += other.loaded
        kept += other.kept
        waiting += other.waiting
        failed += other.failed
        refused += other.refused
        pending += other.pending
        repeated += other.repeated
        released += other.released
    }
}
