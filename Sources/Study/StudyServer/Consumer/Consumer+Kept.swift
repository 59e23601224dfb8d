import StudyWarehouse

extension Consumer {
    /// Processes a message again that could not be processed: there may be another key now, or another
    /// consent.
    ///
    /// - Returns: False when no such message is kept.
    public func reprocess(_ id: String) async throws -> Bool {
        var report = Report()
        return try await reprocess(id, &report)
    }

    /// Processes again all that could not be processed.
    public func reprocessFailed() async throws -> Report {
        var report = Report()
        let failed = try await warehouse.read { try $0.failedMessages(limit: .max).map(\.id) }
        var failure: (any Error)?
        try await reprocessTogether(failed, &report, &failure)
        if let failure { throw failure }
        return report
    }

    private func reprocessRequested(_ id: String, _ report: inout Report) async throws {
        guard try await warehouse.transaction({ try $0.takeReprocessingRequest(id) }) else { return }
        do { _ = try await reprocess(id, &report) } catch {
            // Also when this consumer is stopped.
            _ = try? await withoutCancellation {
                try await warehouse.transaction { try $0.requestReprocessing(id) }
            }
            throw error
        }
    }

    private func processApproved(_ id: String, _ report: inout Report) async throws {
        guard try await warehouse.transaction({ try $0.takeApproval(id) }) else { return }
        do { _ = try await reprocess(id, isApproved: true, &report) } catch {
            // Also when this consumer is stopped.
            _ = try? await withoutCancellation { try await warehouse.transaction { try $0.approve(id) } }
            throw error
        }
    }

    private func reprocess(_ id: String, isApproved: Bool = false, _ report: inout Report) async throws
        -> Bool
    {
        guard let message = try await warehouse.read({ try Self.kept(id, isApproved: isApproved, $0) }) else {
            return false
        }
        try await reprocess([message], &report)
        return true
    }

    /// A message that the warehouse keeps; `nil` where its content is gone.
    private static func kept(
        _ id: String,
        isApproved: Bool,
        _ warehouse: WarehouseTransaction
    ) throws -> MessageToLoad? {
        guard let stored = try warehouse.message(id), let body = stored.body,
            let content = StudyMessage.Content(rawValue: stored.kind)
        else { return nil }
        let message = StudyMessage(
            id: stored.id,
            content: content,
            received: stored.received,
            client: stored.client,
            body: body
        )
        return MessageToLoad(
            message: message,
            again: true,
            isApproved: isApproved,
            owner: stored.participant
        )
    }

    /// - Throws: The first error, after each of them was tried.
    private func reprocess(_ messages: [MessageToLoad], _ report: inout Report) async throws {
        var failure: (any Error)?
        for outcome in await load(messages) {
            switch outcome {
            case .success(.processed(let state)): report.count(state)
            case .success(.overQuota): report.released += 1
            case .failure(let error): failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Processes messages again, as many at once as the memory can hold.
    private func reprocessTogether(_ ids: [String], _ report: inout Report, _ failure: inout (any Error)?)
        async throws
    {
        var rest = ids[...]
        while !rest.isEmpty, !Task.isCancelled {
            let ids = rest
            let (messages, count) = try await warehouse.read { warehouse in
                var messages: [MessageToLoad] = []
                var size = 0
                var count = 0
                for id in ids where size < Self.maximumSize {
                    count += 1
                    guard let message = try Self.kept(id, isApproved: false, warehouse) else { continue }
                    size += message.estimatedSize
                    messages.append(message)
                }
                return (messages, count)
            }
            rest = rest.dropFirst(count)
            do { try await reprocess(messages, &report) } catch { failure = error }
        }
    }

    /// Whether to ask the warehouse for kept messages that can be processed now: when the queue is empty, and
    /// otherwise for a twentieth of the time, since the query takes long where many messages wait.
    func shouldCheckKept(_ isIdle: Bool) -> Bool { isIdle || nextKept.hasCome }

    /// The most messages with a consent by now that are looked for at once.
    private static let maximumReady = 16 * batchSize

    /// Processes waiting messages whose consent has arrived, even if another consumer stopped right after it
    /// had written the consent, and messages that the study's team wants processed.
    ///
    /// - Returns: Whether there were any.
    func processKept(_ report: inout Report, _ failure: inout (any Error)?) async throws -> Bool {
        let start = ContinuousClock.now
        let (ready, requested, approved) = try await warehouse.read { warehouse in
            (
                try warehouse.messagesWithConsent(writer.rules.consents, limit: Self.maximumReady),
                try warehouse.requestedMessages(limit: Self.batchSize),
                try warehouse.approvedMessages(limit: Self.batchSize)
            )
        }
        nextKept.set(after: start.duration(to: .now) * 20)
        // One that cannot be processed now does not hold up the others.
        try await reprocessTogether(ready, &report, &failure)
        for id in requested where !Task.isCancelled {
            do { try await reprocessRequested(id, &report) } catch { failure = error }
        }
        for id in approved where !Task.isCancelled {
            do { try await processApproved(id, &report) } catch { failure = error }
        }
        return !ready.isEmpty || !requested.isEmpty || !approved.isEmpty
    }
}
