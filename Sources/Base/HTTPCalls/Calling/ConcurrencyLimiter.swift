import Foundation
import Synchronization

/// Lets so many calls run at a time; further ones wait in the order in which they came.
package final class ConcurrencyLimiter: Sendable {
    private let state:
        Mutex<(free: Int, waiting: [(id: UUID, continuation: CheckedContinuation<Void, any Error>)])>

    package init(width: Int) { state = Mutex((max(1, width), [])) }

    /// Does `body` once there is room; throws `CancellationError` when the task is cancelled while it waits.
    package nonisolated(nonsending) func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await enter()
        defer { leave() }
        return try await body()
    }

    private nonisolated(nonsending) func enter() async throws {
        let id = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let turn = state.withLock { state -> Result<Void, any Error>? in
                    // Whoever is cancelled from here on is found among those who wait.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.free > 0 {
                        state.free -= 1
                        return .success(())
                    }
                    state.waiting.append((id, continuation))
                    return nil
                }
                if let turn { continuation.resume(with: turn) }
            }
        } onCancel: {
            let left = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            left?.resume(throwing: CancellationError())
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
