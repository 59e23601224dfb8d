import Foundation

extension IndivoRecord {
    /// The session to keep, with which this record can be opened again without a login.
    public func session(label: String? = nil) -> IndivoSession {
        IndivoSession(
            api: server.api,
            app: server.app.id,
            record: id,
            token: token,
            label: label,
            keptAt: server.options.timing.now()
        )
    }

    /// Keeps the record's token in the server's session store (``IndivoServer/Options/sessions``), so that
    /// ``IndivoServer/keptRecords()`` has it the next time. Nothing is kept without this call.
    /// - Parameter label: A name by which the person knows it, to choose from several.
    /// - Throws: ``IndivoError``, ``IndivoError/LoginError/sessionNotKept(_:)``.
    public func keepSession(label: String? = nil) async throws {
        try await server.withSessions { try await $0.keep(session(label: label)) }
    }

    /// Logs out: forgets the kept session, and sends nothing with this token any more.
    ///
    /// No call revokes a token on an Indivo server. A token ends when the person removes the app from the
    /// record, or when an administrator cleans up. To make the next login ask for a password, also open
    /// ``IndivoServer/logoutURL`` in the browser.
    /// - Throws: ``IndivoError``, ``IndivoError/LoginError/sessionNotKept(_:)``; the token is not used any
    ///   more even then.
    public func logOut() async throws {
        server.calls.accepted.end(token)
        try await server.withSessions { try await $0.forget(session()) }
    }
}

extension IndivoServer {
    /// The sessions that are kept for this server and app, the oldest first.
    /// - Throws: ``IndivoError``, ``IndivoError/LoginError/sessionNotKept(_:)``.
    public func keptSessions() async throws -> [IndivoSession] {
        try await withSessions { try await $0.sessions() }.filter {
            $0.app == app.id && IndivoSession.place($0.api) == IndivoSession.place(api)
        }
    }

    /// The records that can be opened without a login, since their sessions are kept.
    ///
    /// ```swift
    /// let record = if let kept = try await server.keptRecords().last { kept }
    ///     else { try await server.selectRecord { url in open(url) } }
    /// ```
    /// Only the first call shows whether the server still accepts the token. If it throws an
    /// ``IndivoError/Reason/refused(causes:)``, log in again, best with ``authorize(record:callback:open:)``.
    /// - Throws: ``IndivoError``, ``IndivoError/LoginError/sessionNotKept(_:)``.
    public func keptRecords() async throws -> [IndivoRecord] {
        try await keptSessions().map { record(id: $0.record, token: $0.token) }
    }

    /// Uses the session store, and converts what it throws.
    func withSessions<Value: Sendable>(
        _ body: (any SessionStore<IndivoSession>) async throws -> Value
    ) async throws(IndivoError) -> Value {
        do { return try await body(options.sessions) } catch {
            throw IndivoError(.sessionNotKept(SessionStoreError.reason(error)))
        }
    }

    /// The page that ends the person's session in the browser.
    public var logoutURL: URL { ui.appending(path: "logout", directoryHint: .notDirectory) }
}
