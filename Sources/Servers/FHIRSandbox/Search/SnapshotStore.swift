import Foundation
import Synchronization

/// What searches found, so that their pages stay as they were when resources come and go in between.
///
/// The oldest are forgotten when there are too many.
final class SnapshotStore: Sendable {
    struct Snapshot: Sendable {
        /// What it is a result of: the path and the query. Pages of other queries are not in it.
        var origin: String
        /// The rows of the resources in order.
        var rows: [Int64]
    }

    private struct State {
        var byName: [String: Snapshot] = [:]
        var order: [String] = []
        var rowCount = 0
    }

    private static let snapshotLimit = 512
    private static let rowLimit = 2_000_000
    private let state = Mutex(State())

    func insert(_ snapshot: Snapshot) -> String {
        let name = UUID().uuidString.lowercased()
        state.withLock { state in
            state.byName[name] = snapshot
            state.order.append(name)
            state.rowCount += snapshot.rows.count
            while state.order.count > Self.snapshotLimit || state.rowCount > Self.rowLimit,
                state.order.count > 1
            {
                let removed = state.byName.removeValue(forKey: state.order.removeFirst())
                state.rowCount -= removed?.rows.count ?? 0
            }
        }
        return name
    }

    subscript(name: String) -> Snapshot? { state.withLock { $0.byName[name] } }
}
