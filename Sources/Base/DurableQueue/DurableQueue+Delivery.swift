import Foundation

extension DurableQueue {
    /// Delivers one item, and reports what became of it. An error that it throws ends the delivery, except
    /// ``QueueError/damaged(file:)``, after which the item is set aside.
    public typealias Deliverer = @Sendable (inout DeliveryAttempt) async throws -> DeliveryOutcome

    /// Delivers what can be delivered now, in order, and what is queued while it does.
    ///
    /// A missing network is not an error: it ends the delivery of its order key, and the report says so. When
    /// another task or process is delivering this queue, waits until that is done.
    ///
    /// Items are offered one at a time, whatever their order key. Safe to cancel at any moment.
    /// - Throws: `CancellationError`; ``QueueError`` when the disk fails; what the deliverer throws. What was
    ///   not delivered stays in the queue.
    @discardableResult
    public func deliver(_ deliverer: @escaping Deliverer) async throws -> QueueReport {
        try await exclusively {
            var run = DeliveryRun(queue: self, deliverer: deliverer)
            return try await run.run()
        }
    }

    /// Delivers for as long as the task runs: at once, when something is queued through this object, and
    /// again after pauses that grow while something stops the delivery.
    /// - Throws: `CancellationError` in the end; ``QueueError`` when the disk fails.
    public func run(_ deliverer: @escaping Deliverer) async throws {
        var failures = 0
        while true {
            let news = updates
            let report = try await deliver(deliverer)
            failures = report.stopped.isEmpty ? 0 : failures + 1
            try await pause(
                failures == 0 ? policy.maximumDelay : policy.delay(after: failures),
                orUntil: news
            )
        }
    }

    /// Waits for a duration, or until something is queued.
    private func pause(_ duration: Duration, orUntil news: AsyncStream<QueueUpdate>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.policy.sleep(duration) }
            group.addTask { _ = await news.first { if case .queued = $0 { true } else { false } } }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Runs `body` while nothing is being delivered.
    @concurrent
    func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        while true {
            if let lock = try folder.deliveryLock() {
                defer { withExtendedLifetime(lock) {} }
                return try await body()
            }
            // Nothing notifies this process when another one releases its lock.
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
