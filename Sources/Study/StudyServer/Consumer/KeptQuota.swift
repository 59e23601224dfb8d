import StudyWarehouse
import Synchronization

/// How many more bytes a warehouse keeps of messages that wait for a consent or could not be processed:
/// anybody whom a receiver lets in can send such messages, and only a person removes those that failed.
///
/// The warehouse is asked once a second, and less often where that takes long. What other consumers keep
/// meanwhile is not known here, so several consumers may exceed the limit by that much.
final class KeptQuota: Sendable {
    /// The warehouse keeps no more messages of this kind.
    struct Exceeded: Error {}

    private let limit: Int
    private let state = Mutex((left: 0, until: ContinuousClock.now))

    init(limit: Int) { self.limit = limit }

    /// How many bytes more are kept.
    var left: Int { state.withLock { $0.left } }

    /// Counts messages that are kept.
    func take(_ bytes: Int) { state.withLock { $0.left -= bytes } }

    /// Asks the warehouse, when it was not asked lately.
    func refresh(from warehouse: Warehouse) async throws {
        let start = ContinuousClock.now
        guard state.withLock({ $0.until <= start }) else { return }
        let kept = try await warehouse.read { try $0.keptBytes() }
        state.withLock { $0 = (limit - kept, .now + max(.seconds(1), start.duration(to: .now) * 20)) }
    }
}

extension StoredMessage.State {
    /// Whether its message is kept to be processed later.
    var awaitsProcessing: Bool {
        switch self {
        case .waiting, .failed, .pending: true
        case .loaded, .kept, .refused, .dismissed: false
        }
    }
}
