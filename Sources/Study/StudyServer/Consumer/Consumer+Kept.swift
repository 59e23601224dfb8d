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
        for id in failed { _ = try await reprocess(id, &report) }
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
        guard let stored = try await warehouse.read({ try $0.message(id) }), let body = stored.body,
            let content = StudyMessage.Content(rawValue: stored.kind)
        else { return false }
        let message = StudyMessage(
            id: stored.id,
            content: content,
            received: stored.received,
            client: stored.client,
            body: body
        )
        let state = try await process(
            message,
            again: true,
            isApproved: isApproved,
            owner: stored.participant
        )
        if state == .refused { await eraseRemains() }
        report.count(state)
        return true
    }

    /// Processes messages whose consent has come, also where another consumer ended after it had written it,
    /// and what the study's team wants processed.
    ///
    /// - Returns: Whether there were any.
    func processKept(_ report: inout Report, _ failure: inout (any Error)?) async throws -> Bool {
        let (ready, requested, approved) = try await warehouse.read { warehouse in
            (
                try warehouse.messagesWithConsent(limit: Self.batchSize),
                try warehouse.requestedMessages(limit: Self.batchSize),
                try warehouse.approvedMessages(limit: Self.batchSize)
            )
        }
        // One that cannot be processed now does not hold up the others.
        for id in ready where !Task.isCancelled {
            do { _ = try await reprocess(id, &report) } catch { failure = error }
        }
        for id in requested where !Task.isCancelled {
            do { try await reprocessRequested(id, &report) } catch { failure = error }
        }
        for id in approved where !Task.isCancelled {
            do { try await processApproved(id, &report) } catch { failure = error }
        }
        return !ready.isEmpty || !requested.isEmpty || !approved.isEmpty
    }
}
