import Foundation

/// Secrets by name, as a keychain keeps them: `Keychain` on Apple's systems, or a secret service of your own.
///
/// ``ItemSessionStore`` keeps sessions in it, and `ItemKeyStore` of IndivoOutbox the key of an outbox. An
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

    /// Removes an item; a missing one is not an error.
    func remove(_ name: String) throws
}

/// Keeps sessions in a keychain, or what else keeps secrets by name: one item a session.
///
/// ```swift
/// let keychain = Keychain(service: "org.example.meds.sessions")
/// let options = IndivoServer.Options(sessions: ItemSessionStore(keychain))
/// ```
public struct ItemSessionStore: SessionStore {
    private let items: any SecretItems

    /// - Parameter items: Items that nothing else is kept in.
    public init(_ items: any SecretItems) { self.items = items }

    /// - Throws: ``IndivoSession/StoreError/malformed(file:)``, or what the items throw.
    public func sessions() throws -> [IndivoSession] {
        try items.names().compactMap { name -> IndivoSession? in
            // Removed by another process in between.
            guard let content = try items.content(of: name) else { return nil }
            return try IndivoSession.read(
                IndivoSession.Stored.self,
                from: content,
                in: "an item of the keychain"
            ).session
        }.sorted { ($0.keptAt, $0.record) < ($1.keptAt, $1.record) }
    }

    public func keep(_ session: IndivoSession) throws {
        let content = try IndivoSession.json(of: IndivoSession.Stored(session))
        let name = Self.name(of: session)
        // A further turn means that another process added it, and removed it, in between.
        while try !items.replace(name, with: content), try !items.add(content, as: name) {}
    }

    public func forget(_ session: IndivoSession) throws { try items.remove(Self.name(of: session)) }

    /// The same for sessions of the same record (``IndivoSession/isForSameRecord(as:)``).
    private static func name(of session: IndivoSession) -> String {
        [IndivoSession.place(session.api), session.app, session.record].joined(separator: "\n")
    }
}
