import Foundation
import Indivo

extension Outbox {
    /// Delivers what can be delivered now, in order, and what is queued while it does.
    ///
    /// A missing network is no error: it ends the delivery, and the report says so. When another task or process is
    /// delivering this outbox, waits until that is done.
    ///
    /// Safe to cancel at any moment. A request that was under way then is looked for on the server the next time.
    ///
    /// - Throws: `CancellationError`; ``OutboxError`` when the disk fails. What was not delivered stays in the outbox.
    @discardableResult
    public func flush() async throws -> DeliveryReport {
        try await Delivery.exclusively(in: folder) {
            var delivery = Delivery(self)
            return try await delivery.run()
        }
    }

    /// Delivers for as long as the task runs: at once, when something is queued through this object, and again after
    /// pauses that grow while the server cannot be reached.
    ///
    /// ```swift
    /// let delivery = Task { try await outbox.run() }
    /// …
    /// delivery.cancel()
    /// ```
    /// - Throws: `CancellationError` in the end; ``OutboxError`` when the disk fails.
    public func run() async throws {
        var failures = 0
        while true {
            let news = updates
            let report = try await flush()
            failures = report.stop == nil ? 0 : failures + 1
            try await pause(failures == 0 ? policy.longestDelay : policy.delay(after: failures), orUntil: news)
        }
    }

    /// Waits for so long, or until something is queued.
    private func pause(_ duration: Duration, orUntil news: AsyncStream<OutboxUpdate>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.policy.sleep(duration) }
            group.addTask {
                for await update in news {
                    if case .queued = update { return }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
