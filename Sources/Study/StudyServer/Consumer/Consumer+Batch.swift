import Logging
import StudyWarehouse

/// Does `body` to its end, also where the task that waits for it is cancelled.
@discardableResult
func withoutCancellation<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await Task(operation: body).value
}

/// Does `body`, which does not throw, to its end.
func withoutCancellation<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
    await Task(operation: body).value
}

extension Consumer {
    /// Seconds until a message comes again after a failure of the machine.
    private static let pauseAfterFailure = 10
    /// Seconds until a message comes again that the warehouse has no room for.
    private static let pauseOverQuota = 600
    /// A message that was received more often may be what ended its consumers.
    private static let harmlessReceives = 2
    /// What the messages may take of the memory that are opened and loaded together, in bytes; one that is
    /// larger is alone.
    static let maximumSize = 32 << 20

    /// Processes a batch; false when there was none.
    func step(_ report: inout Report) async throws -> Bool {
        await eraseOldRemains()
        await forgetKnown()
        let hasContents = await removeContents()
        // Before any message is received: a warehouse that is away costs none of them an attempt.
        try await quota.refresh(from: warehouse)
        let batch = try await receive()
        let before = report
        var failures = BatchFailures()
        let new = await deleteRepeated(batch, &report, &failures)
        let safe = failures.machine == nil ? await releaseBehindSuspect(new, &report) : new
        for part in parts(of: safe) { await process(part, &report, &failures) }
        try failures.throwFirst()
        var failure: (any Error)?
        let hasKept = shouldCheckKept(batch.isEmpty) ? try await processKept(&report, &failure) : false
        if report != before { log(report, since: before) }
        if let failure { throw failure }
        return !batch.isEmpty || hasKept || hasContents
    }

    // MARK: Receive

    /// Messages of the queue: one alone, while the last one may be what ends consumers.
    private func receive() async throws -> [ReceivedMessage] {
        let limit = suspects.exist.withLock { $0 } ? 1 : Self.batchSize
        let batch = try await queue.receive(limit: limit, visibility: visibility)
        suspects.exist.withLock { $0 = batch.contains(where: Self.isSuspect) }
        return batch
    }

    private static func isSuspect(_ received: ReceivedMessage) -> Bool {
        received.receiveCount > harmlessReceives
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
        let again = batch.filter { $0.receiveCount > 1 }.map(\.message.id)
        guard !again.isEmpty else { return [] }
        return try await warehouse.read { try $0.knownMessages(again) }
    }

    /// Puts back what stands behind a message that may be what ended its consumers: it would cost those an
    /// attempt each time, until they are dead letters, too.
    ///
    /// - Returns: The messages up to it.
    private func releaseBehindSuspect(_ messages: [ReceivedMessage], _ report: inout Report) async
        -> [ReceivedMessage]
    {
        guard let suspect = messages.firstIndex(where: Self.isSuspect) else { return messages }
        let behind = Array(messages[(suspect + 1)...])
        // Where that fails, they come again when their time is over.
        _ = try? await withoutCancellation { try await queue.release(behind, after: 0, reason: nil) }
        report.released += behind.count
        return Array(messages[...suspect])
    }

    /// Messages in their order, in parts that the memory can hold. One that may be what ended its consumers
    /// is alone.
    private func parts(of messages: [ReceivedMessage]) -> [[ReceivedMessage]] {
        var parts: [[ReceivedMessage]] = []
        var size = Int.max
        for received in messages {
            let own = MessageToLoad(message: received.message).estimatedSize
            if size > Self.maximumSize - min(own, Self.maximumSize) || Self.isSuspect(received) {
                parts.append([])
                size = 0
            }
            parts[parts.count - 1].append(received)
            size += own
        }
        return parts
    }

    // MARK: Open, load, delete

    /// Opens messages, loads them, and deletes them from the queue. The part at hand is finished when this
    /// task is cancelled; those behind it go back.
    private func process(
        _ messages: [ReceivedMessage],
        _ report: inout Report,
        _ failures: inout BatchFailures
    ) async {
        if failures.machine != nil || Task.isCancelled {
            let pause = failures.machine != nil ? Self.pauseAfterFailure : 0
            return await release(messages, after: pause, &report, &failures)
        }
        let loaded = await load(messages.map { MessageToLoad(message: $0.message) })
        var processed: [ReceivedMessage] = []
        var untouched: [ReceivedMessage] = []
        var overQuota: [ReceivedMessage] = []
        for (received, outcome) in zip(messages, loaded) {
            switch outcome {
            case .success(.processed(let state)):
                report.count(state)
                processed.append(received)
            case .success(.overQuota): overQuota.append(received)
            case .failure(let error) where MachineFailure.isCause(of: error):
                failures.machine = failures.machine ?? error
                untouched.append(received)
            case .failure(let error): await putBack(received, error, &report, &failures)
            }
        }
        await delete(processed, &failures)
        await release(untouched, after: Self.pauseAfterFailure, &report, &failures)
        await release(overQuota, after: Self.pauseOverQuota, &report, &failures)
        guard !overQuota.isEmpty else { return }
        logger.error(
            "messages are left in the queue: the warehouse keeps no more that wait or failed",
            metadata: ["count": "\(overQuota.count)"]
        )
    }

    /// Opens messages on all cores, and loads those that can be read.
    ///
    /// - Returns: What became of each, in their order.
    func load(_ messages: [MessageToLoad]) async -> [Result<MessageWriter.Outcome, any Error>] {
        // Also when this consumer is stopped.
        let outcomes = await withoutCancellation { () -> [Result<MessageWriter.Outcome, any Error>] in
            let storage: SampleStorage
            do { storage = try await warehouse.sampleStorage() } catch {
                return messages.map { _ in .failure(error) }
            }
            let opened = await reader.open(messages, storage)
            var loaded = await writer.load(opened.compactMap { try? $0.get() })[...]
            return opened.map { opened in
                switch opened {
                case .success: loaded.removeFirst()
                case .failure(let error): .failure(error)
                }
            }
        }
        let isRefused = outcomes.contains { outcome in
            if case .success(.processed(.refused?)) = outcome { true } else { false }
        }
        if isRefused { await eraseRemains() }
        return outcomes
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

    /// Gives back messages that were not tried: that counts as no attempt.
    private func release(
        _ messages: [ReceivedMessage],
        after pause: Int,
        _ report: inout Report,
        _ failures: inout BatchFailures
    ) async {
        guard !messages.isEmpty else { return }
        report.released += messages.count
        do {
            try await withoutCancellation { try await queue.release(messages, after: pause, reason: nil) }
        } catch {
            // They come again by themselves.
            failures.machine = failures.machine ?? error
        }
    }

    /// Gives back a message that failed for a reason that nobody knows.
    private func putBack(
        _ received: ReceivedMessage,
        _ error: any Error,
        _ report: inout Report,
        _ failures: inout BatchFailures
    ) async {
        let kind = "\(type(of: error))"
        logger.error(
            "a message is put back",
            metadata: ["error": "\(kind)", "receives": "\(received.receiveCount)"]
        )
        report.released += 1
        let pause = min(3600, 5 << min(received.receiveCount, 10))
        do {
            try await withoutCancellation {
                try await queue.release(received, after: pause, reason: "the consumer failed: \(kind)")
            }
        } catch {
            failures.machine = failures.machine ?? error
        }
    }

    private func log(_ report: Report, since before: Report) {
        if report.failed > before.failed {
            // The reasons may quote what a participant sent.
            logger.warning(
                "messages could not be processed: indivo study message list says why",
                metadata: ["failed": "\(report.failed - before.failed)"]
            )
        }
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
