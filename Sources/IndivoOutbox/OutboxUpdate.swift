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

    init?(_ update: QueueUpdate) {
        switch update {
        case .queued(let item): self = .queued(OutboxItem(item))
        case .sending(let item): self = .sending(OutboxItem(item))
        case .delivered(let item): self = .delivered(OutboxItem(item))
        case .setAside(let item): self = .setAside(OutboxItem(item))
        case .discarded(let item): self = .discarded(OutboxItem(item))
        case .stopped(_, let error):
            guard let stop = error as? DeliveryStop else { return nil }
            self = .stopped(stop)
        case .finished(let report): self = .finished(DeliveryReport(report))
        }
    }
}
