import Foundation
import Synchronization

/// The ``ConnectionTable`` of a running server, and the calls that cut connections.
///
/// What is in the table is open: owners remove their connections before they close them, so that a descriptor that is
/// shut down under the lock is never another's.
final class OpenConnections: Sendable {
    private let table: Mutex<ConnectionTable>

    init(limit: Int) { table = Mutex(ConnectionTable(limit: limit)) }

    /// - Returns: `nil` when there is no room for one more.
    func open(_ file: Int32, for duration: Duration) -> ConnectionTable.Key? {
        table.withLock { table in
            guard let opened = table.open(file, at: .now, until: .now + duration) else { return nil }
            if let cut = opened.cut { shutDown(cut) }
            return opened.key
        }
    }

    func enter(_ phase: ConnectionTable.Phase, _ key: ConnectionTable.Key, for duration: Duration) {
        table.withLock { $0.enter(phase, key, at: .now, until: .now + duration) }
    }

    func remove(_ key: ConnectionTable.Key) { table.withLock { $0.remove(key) } }

    func cutOverdue() { table.withLock { $0.cutOverdue(at: .now).forEach(shutDown) } }

    func cutLongestWaiting() {
        table.withLock { table in
            if let file = table.cutLongestWaiting() { shutDown(file) }
        }
    }

    private func shutDown(_ file: Int32) { _ = shutdown(file, Int32(SHUT_RDWR)) }
}
