import Logging
import StudyWarehouse

/// Does `body` to its end, also where the task that waits for it is cancelled.
@discardableResult
func withoutCancellation<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await Task(operation: body).value
}

extension Consumer {
    /// Seconds until a message comes again after a failure of the machine.
    private static let pauseAfterFailure = 10
    /// Seconds until a message comes again that the warehouse has no room for.
    private static let pauseOverQuota = 600
    /// A message that was received more often may be what ended its consumers.
    private static let harmlessReceives = 2
    /// After this time the messages processed so far are deleted from the queue: to delete many at once is
    /// one write to its disk.
    private static let deletionInterval = Duration.seconds(1)

    /// Processes a batch; false when there was none.
    func step(_ report: inout Report) async throws -> Bool {
        await eraseOldRemains()
        // Before any message is received: a warehouse that is away costs none of them an attempt.
        try await quota.refresh(from: warehouse)
        let batch = try await queue.receive(limit: Self.batchSize, visibility: visibility)
        let before = report
        var failures = BatchFailures()
        let new = await deleteRepeated(batch, &report, &failures)
        let safe = failures.machine == nil ? await releaseBehindSuspect(new, &report) : new
        await process(safe, &report, &failures)
        try failures.throwFirst()
        var failure: (any Error)?
        let hasKept = try await processKept(&report, &failure)
        if report != before { log(report, since: before) }
        if let failure { throw failure }
        return !batch.isEmpty || hasKept
    }

    /// Deletes messages that come again although they were processed.
    ///
    /// - Returns: The others.
    private func deleteRepeated(
        _ batch: [ReceivedMessage],
        _ report: inout Report,
        _ failures: inout BatchFailures
    ) async -> [ReceivedMessage] {
        do {
            let known = try await withoutCancellation { try await processedBefore(batch) }
            report.repeated += known.count
            // Before anything else: a message behind them may end this consumer, and they would have had an
            // attempt more.
            await delete(batch.filter { known.contains($0.message.id) }, &failures)
            return batch.filter { !known.contains($0.message.id) }
        } catch {
            failures.machine = error
            return batch
        }
    }

    /// The ids of messages that were processed before. One that comes for the first time is new as a rule;
    /// the transaction that writes it checks that.
    private func processedBefore(_ batch: [ReceivedMessage]) async throws -> Set<String> {
        let again = batch.filter { $0.receiveCount > 1 }
        guard !again.isEmpty else { return [] }
        return try await warehouse.read { warehouse in
            Set(try again.filter { try warehouse.message($0.message.id) != nil }.map(\.message.id))
        }
    }

    /// Puts back what stands behind a message that may be what ended its consumers: it would cost those an
    /// attempt each time, until they are dead letters, too.
    ///
    /// - Returns: The messages up to it.
    private func releaseBehindSuspect(_ messages: [ReceivedMessage], _ report: inout Report) async
        -> [ReceivedMessage]
    {
        let suspect = messages.firstIndex { $0.receiveCount > Self.harmlessReceives }
        guard let suspect else { return messages }
        let behind = messages[(suspect + 1)...]
        // Where that fails, they come again when their time is over.
        try? await withoutCancellation {
            for received in behind { try? await queue.release(received, after: 0, reason: nil) }
        }
        report.released += behind.count
        return Array(messages[...suspect])
    }

    /// Processes messages one after the other, and deletes them from the queue.
    private func process(
        _ messages: [ReceivedMessage],
        _ report: inout Report,
        _ failures: inout BatchFailures
    ) async {
        var processed: [ReceivedMessage] = []
        var lastDeletion = ContinuousClock.now
        var overQuota = 0
        for received in messages {
            // The message at hand is finished when this task is cancelled, and those behind it go back.
            let pause = failures.machine != nil ? Self.pauseAfterFailure : Task.isCancelled ? 0 : nil
            do {
                switch try await withoutCancellation({ try await handle(received, releasingAfter: pause) }) {
                case .processed(let state):
                    report.count(state)
                    processed.append(received)
                case .released: report.released += 1
                case .overQuota:
                    report.released += 1
                    overQuota += 1
                }
            } catch {
                failures.machine = error
            }
            guard ContinuousClock.now > lastDeletion + Self.deletionInterval else { continue }
            // Where that fails, messages that are not processed yet are processed all the same.
            await delete(processed, &failures)
            processed = []
            lastDeletion = .now
        }
        await delete(processed, &failures)
        guard overQuota > 0 else { return }
        logger.error(
            "messages are left in the queue: the warehouse keeps no more that wait or failed",
            metadata: ["count": "\(overQuota)"]
        )
    }

    /// Deletes processed messages from the queue. One that is not deleted comes again, and is recognised.
    private func delete(_ messages: [ReceivedMessage], _ failures: inout BatchFailures) async {
        guard !messages.isEmpty else { return }
        do {
            try await withoutCancellation { try await queue.delete(messages) }
        } catch {
            failures.deletion = failures.deletion ?? error
        }
    }

    private enum Outcome: Sendable {
        case processed(StoredMessage.State?)
        case released
        case overQuota
    }

    /// - Parameter pause: Seconds after which others may have it, when it is not to be tried.
    /// - Throws: A failure that each message would meet; this one goes back, and the attempt is not counted.
    private func handle(_ received: ReceivedMessage, releasingAfter pause: Int?) async throws -> Outcome {
        if let pause {
            try await queue.release(received, after: pause, reason: nil)
            return .released
        }
        do {
            let state = try await process(received.message, again: false)
            if state == .refused { await eraseRemains() }
            return .processed(state)
        } catch let error where MachineFailure.isCause(of: error) {
            // Where the queue fails, too, it comes again by itself.
            try? await queue.release(received, after: Self.pauseAfterFailure, reason: nil)
            throw error
        } catch is KeptQuota.Exceeded {
            try await queue.release(received, after: Self.pauseOverQuota, reason: nil)
            return .overQuota
        } catch {
            logger.error(
                "a message is put back",
                metadata: ["error": "\(type(of: error))", "receives": "\(received.receiveCount)"]
            )
            let pause = min(3600, 5 << min(received.receiveCount, 10))
            try await queue.release(
                received,
                after: pause,
                reason: "the consumer failed: \(type(of: error))"
            )
            return .released
        }
    }

    private func log(_ report: Report, since before: Report) {
        logger.info(
            "processed",
            metadata: [
                "loaded": "\(report.loaded - before.loaded)",
                "kept": "\(report.kept - before.kept)",
                "waiting": "\(report.waiting - before.waiting)",
                "failed": "\(report.failed - before.failed)",
                "refused": "\(report.refused - before.refused)",
                "pending": "\(report.pending - before.pending)",
                "repeated": "\(report.repeated - before.repeated)",
                "released": "\(report.released - before.released)",
            ]
        )
    }
}

/// What went wrong while a batch was processed.
private struct BatchFailures {
    /// What each further message would meet, too.
    var machine: (any Error)?
    /// Processed messages were not deleted.
    var deletion: (any Error)?

    func throwFirst() throws { if let error = machine ?? deletion { throw error } }
}
