import Synchronization

/// The request tokens whose callbacks were used: the newest few hundred.
final class UsedCallbacks: Sendable {
    private let tokens = Mutex<[String]>([])
    private static let capacity = 512

    func contains(_ token: String) -> Bool { tokens.withLock { $0.contains(token) } }

    /// - Returns: Whether it was unused before.
    func use(_ token: String) -> Bool {
        tokens.withLock { tokens in
            guard !tokens.contains(token) else { return false }
            tokens.append(token)
            if tokens.count > Self.capacity { tokens.removeFirst() }
            return true
        }
    }
}
