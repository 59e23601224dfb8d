import Foundation

/// Secrets by name, as a keychain keeps them: `Keychain` on Apple's systems, or a secret service of your own.
///
/// `ItemSessionStore` keeps sessions in it, and `ItemKeyStore` of IndivoOutbox the key of an outbox. An
/// item is added, replaced and removed as a whole, for all processes that see it.
public protocol SecretItems: Sendable {
    /// The names of all items.
    func names() throws -> [String]

    /// What an item holds; `nil` when there is none of that name.
    func content(of name: String) throws -> Data?

    /// Adds an item, and returns whether it did: `false` when there is one of that name already, which stays.
    func add(_ content: Data, as name: String) throws -> Bool

    /// Replaces what an item holds, and returns whether it did: `false` when there is none of that name.
    func replace(_ name: String, with content: Data) throws -> Bool

    /// Removes an item; it is no error when there is none.
    func remove(_ name: String) throws
}
