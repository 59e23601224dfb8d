import Synchronization

/// How much more a queue may take, by what it reported last and what this receiver has sent since.
///
/// The queue is asked once a second, and less often where that takes long: to count a large table is work.
/// What other receivers put in meanwhile is not known here.
final class QueueQuota: Sendable {
    private struct Load {
        var messages = 0
        var bytes = 0

        mutating func add(_ message: StudyMessage, _ sign: Int = 1) {
            messages += sign
            bytes += sign * message.body.count
        }
    }

    private struct State {
        var status: MessageQueueStatus?
        var until = ContinuousClock.now
        var isAsking = false
        /// What is being sent. The queue may count it already; then it counts twice for a moment, which is
        /// the safe side.
        var underWay = Load()
        /// What was sent since the queue was asked.
        var sent = Load()
    }

    private let state = Mutex(State())
    private let limits: (depth: Int, bytes: Int)

    init(depth: Int, bytes: Int) { limits = (depth, bytes) }

    /// Whether the quota is used up.
    func isFull(_ queue: any MessageQueue) async throws -> Bool {
        try await ask(queue)
        return state.withLock { !fits(1, $0) }
    }

    /// Sends a message within the quota.
    ///
    /// - Returns: Whether it is new; `nil` if the quota is used up.
    func send(_ message: StudyMessage, to queue: any MessageQueue) async throws -> Bool? {
        try await ask(queue)
        let isTaken = state.withLock { state in
            guard fits(message.body.count, state) else { return false }
            state.underWay.add(message)
            return true
        }
        guard isTaken else { return nil }
        // Where that fails, it may be there or not: it counts until the queue is asked again.
        var isNew = true
        defer {
            state.withLock { state in
                state.underWay.add(message, -1)
                if isNew { state.sent.add(message) }
            }
        }
        isNew = try await queue.send(message)
        return isNew
    }

    private func fits(_ bytes: Int, _ state: State) -> Bool {
        guard let status = state.status else { return false }
        return status.depth + state.underWay.messages + state.sent.messages < limits.depth
            && (status.bytes ?? 0) + state.underWay.bytes + state.sent.bytes + bytes <= limits.bytes
    }

    private func ask(_ queue: any MessageQueue) async throws {
        let start = ContinuousClock.now
        let sent = state.withLock { state -> Load? in
            guard state.status == nil || state.until <= start && !state.isAsking else { return nil }
            state.isAsking = true
            return state.sent
        }
        guard let sent else { return }
        defer { state.withLock { $0.isAsking = false } }
        let status = try await queue.status()
        state.withLock { state in
            state.status = status
            state.sent.messages -= min(sent.messages, state.sent.messages)
            state.sent.bytes -= min(sent.bytes, state.sent.bytes)
            state.until = .now + max(.seconds(1), start.duration(to: .now) * 20)
        }
    }
}
