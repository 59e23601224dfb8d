import Synchronization

/// Lets so many calls run at a time; further ones wait in the order in which they came.
package final class ConcurrencyLimiter: Sendable {
    private struct State {
        var free: Int
        var lastNumber = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        /// Those that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
    }

    private let state: Mutex<State>

    package init(width: Int) { state = Mutex(State(free: max(1, width))) }

    /// Does `body` once there is room.
    /// - Throws: What `body` throws; `CancellationError` when the task is cancelled while it waits.
    package nonisolated(nonsending) func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await enter()
        defer { leave() }
        return try await body()
    }

    private nonisolated(nonsending) func enter() async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Turn { case now, later, never }
                let turn = state.withLock { state -> Turn in
                    if state.cancelled.remove(number) != nil { return .never }
                    if state.free > 0 {
                        state.free -= 1
                        return .now
                    }
                    state.waiting.append((number, continuation))
                    return .later
                }
                switch turn {
                case .now: continuation.resume()
                case .later: break
                case .never: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let left = state.withLock { state -> CheckedContinuation<Void, any Error>? in
                if let index = state.waiting.firstIndex(where: { $0.number == number }) {
                    return state.waiting.remove(at: index).continuation
                }
                state.cancelled.insert(number)
                return nil
            }
            left?.resume(throwing: CancellationError())
        }
        // A cancellation that came when the turn had come already is no longer looked for.
        _ = state.withLock { $0.cancelled.remove(number) }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume()
    }
}
