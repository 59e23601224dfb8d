import Synchronization

/// Which versions of a record's documents were replaced, as far as this process has seen.
///
/// A second object of the same document then knows that it is outdated, without asking the server.
final class KnownVersions: Sendable {
    private let replaced = Mutex<[String: String]>([:])

    func note(_ id: String, replacedBy newer: String) { replaced.withLock { $0[id] = newer } }

    func isReplaced(_ id: String) -> Bool { replaced.withLock { $0[id] != nil } }
}
