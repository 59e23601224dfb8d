import IndivoBase

/// Keeps sessions in a keychain, or what else keeps secrets by name: one item a session.
///
/// ```swift
/// let keychain = Keychain(service: "org.example.meds.sessions")
/// let options = IndivoServer.Options(sessions: ItemSessionStore(keychain))
/// ```
public struct ItemSessionStore<Session: KeptSession>: SessionStore {
    private let items: any SecretItems

    /// - Parameter items: Items that nothing else is kept in.
    public init(_ items: any SecretItems) { self.items = items }

    /// - Throws: ``SessionStoreError/malformed(file:)``, or what the items throw.
    public func sessions() throws -> [Session] {
        try items.names().compactMap { name -> Session? in
            // Removed by another process in between.
            guard let content = try items.content(of: name) else { return nil }
            return try SessionJSON.decode(Session.self, from: content, in: "an item of the keychain")
        }.sorted { ($0.keptAt, $0.slot) < ($1.keptAt, $1.slot) }
    }

    public func keep(_ session: Session) throws {
        let content = try SessionJSON.encode(session)
        // A further turn means that another process added it, and removed it, in between.
        while try !items.replace(session.slot, with: content), try !items.add(content, as: session.slot) {}
    }

    public func forget(_ session: Session) throws { try items.remove(session.slot) }
}
