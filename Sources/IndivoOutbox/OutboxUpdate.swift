import Indivo
import Synchronization

/// Something that happened in an outbox.
public enum OutboxUpdate: Sendable {
    /// A change was queued, or put back into the queue.
    case queued(OutboxItem)
    /// A change is being sent.
    case sending(OutboxItem)
    /// The server has the change.
    case delivered(OutboxItem)
    /// The change was set aside; the item says why.
    case setAside(OutboxItem)
    /// The item was discarded.
    case discarded(OutboxItem)
    /// Nothing more can be delivered for now.
    case stopped(DeliveryStop)
    /// Everything that can go has gone.
    case finished(DeliveryReport)
}

/// Hands updates to everybody who listens.
final class UpdateHub: Sendable {
    private let listeners = Mutex<(next: Int, all: [Int: AsyncStream<OutboxUpdate>.Continuation])>((0, [:]))

    func stream() -> AsyncStream<OutboxUpdate> {
        let (stream, continuation) = AsyncStream.makeStream(of: OutboxUpdate.self)
        let number = listeners.withLock { listeners in
            listeners.next += 1
            listeners.all[listeners.next] = continuation
            return listeners.next
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.listeners.withLock { $0.all.removeValue(forKey: number) }
        }
        return stream
    }

    func tell(_ update: OutboxUpdate) {
        for listener in listeners.withLock({ Array($0.all.values) }) { listener.yield(update) }
    }

    deinit {
        for listener in listeners.withLock({ Array($0.all.values) }) { listener.finish() }
    }
}
