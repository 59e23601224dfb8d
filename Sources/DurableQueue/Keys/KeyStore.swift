/// Keeps the key of a queue. ``FileKeyStore`` does so in a file; on Apple's systems the keychain is better.
///
/// ```swift
/// struct KeychainStore: KeyStore {
///     func key() throws -> QueueKey? { … }                // SecItemCopyMatching
///     func keep(_ key: QueueKey) throws -> QueueKey { … } // SecItemAdd
/// }
/// ```
public protocol KeyStore: Sendable {
    /// The key that is kept; `nil` when there is none yet.
    /// - Throws: When there is one that cannot or must not be used. Never return `nil` then: what was queued under the
    ///   key would seem to be damaged.
    func key() throws -> QueueKey?

    /// Keeps a key, unless there is one already: several processes may try at the same time.
    /// - Returns: The key that is kept from now on, durably.
    func keep(_ key: QueueKey) throws -> QueueKey
}
