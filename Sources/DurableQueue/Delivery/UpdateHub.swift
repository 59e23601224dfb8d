import Synchronization

/// Hands updates to everybody who listens.
final class UpdateHub: Sendable {
    private struct Listener {
        let send: @Sendable (QueueUpdate) -> Void
        let finish: @Sendable () -> Void
    }

    private let listeners = Mutex<(next: Int, all: [Int: Listener])>((0, [:]))

    /// The updates from now on, each made into what the listener wants; what becomes `nil` is left out.
    func stream<Update: Sendable>(_ make: @escaping @Sendable (QueueUpdate) -> Update?) -> AsyncStream<Update> {
        let (stream, continuation) = AsyncStream.makeStream(of: Update.self)
        let listener = Listener(
            send: { if let update = make($0) { continuation.yield(update) } }, finish: { continuation.finish() })
        let number = listeners.withLock { listeners in
            listeners.next += 1
            listeners.all[listeners.next] = listener
            return listeners.next
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.listeners.withLock { $0.all.removeValue(forKey: number) }
        }
        return stream
    }

    func send(_ update: QueueUpdate) {
        for listener in listeners.withLock({ Array($0.all.values) }) { listener.send(update) }
    }

    deinit { for listener in listeners.withLock({ Array($0.all.values) }) { listener.finish() } }
}
