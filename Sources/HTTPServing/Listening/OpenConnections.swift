import Foundation
import Synchronization

/// The ``ConnectionTable`` of a running server, and the calls that cut connections.
///
/// What is in the table is open: owners remove their connections before they close them, so that a descriptor that is
/// shut down under the lock is never another's.
final class OpenConnections: Sendable {
    private let table: Mutex<ConnectionTable>
    /// How many bytes of bodies may still come into memory.
    private let budget: Mutex<Int>

    /// A time that only goes forward.
    let now: @Sendable () -> ConnectionTable.Instant

    init(
        limit: Int, peerLimit: Int = .max, bodyBudget: Int, now: @escaping @Sendable () -> ConnectionTable.Instant = { .now }
    ) {
        self.now = now
        table = Mutex(ConnectionTable(limit: limit, peerLimit: peerLimit))
        budget = Mutex(bodyBudget)
    }

    /// Takes bytes of the budget for a body; false when they are not there.
    func reserve(_ bytes: Int) -> Bool {
        budget.withLock { budget in
            guard bytes <= budget else { return false }
            budget -= bytes
            return true
        }
    }

    /// Gives bytes back that were taken.
    func release(_ bytes: Int) { budget.withLock { $0 += bytes } }

    /// Whether an address has as many connections as it may, and requests are being handled on all of them.
    func isFull(of peer: String) -> Bool { table.withLock { $0.isFull(of: peer) } }

    /// - Returns: `nil` when there is no room for one more.
    func open(_ file: Int32, of peer: String = "", for duration: Duration) -> ConnectionTable.Key? {
        table.withLock { table in
            guard let opened = table.open(file, of: peer, at: now(), until: now() + duration) else { return nil }
            if let cut = opened.cut { shutDown(cut) }
            return opened.key
        }
    }

    func enter(_ phase: ConnectionTable.Phase, _ key: ConnectionTable.Key, for duration: Duration) {
        enter(phase, key, until: now() + duration)
    }

    func enter(_ phase: ConnectionTable.Phase, _ key: ConnectionTable.Key, until deadline: ConnectionTable.Instant) {
        table.withLock { $0.enter(phase, key, at: now(), until: deadline) }
    }

    func remove(_ key: ConnectionTable.Key) { table.withLock { $0.remove(key) } }

    func cutOverdue() { table.withLock { $0.cutOverdue(at: now()).forEach(shutDown) } }

    func cutLongestWaiting() {
        table.withLock { table in
            if let file = table.cutLongestWaiting() { shutDown(file) }
        }
    }

    private func shutDown(_ file: Int32) { _ = shutdown(file, Int32(SHUT_RDWR)) }
}
