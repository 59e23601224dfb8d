/// Keeps the key of an outbox: ``FileKeyStore`` in a file, ``ItemKeyStore`` in the keychain of Apple's systems.
public protocol KeyStore: Sendable {
    /// The key that is kept; `nil` when there is none yet.
    ///
    /// - Throws: When there is one that cannot or must not be used. Never answer `nil` then: what was queued under the
    ///   key would seem to be damaged.
    func key() throws -> OutboxKey?

    /// Keeps a key, unless there is one already: several processes may try at the same time.
    ///
    /// - Returns: The key that is kept from now on, durably.
    func keep(_ key: OutboxKey) throws -> OutboxKey
}
