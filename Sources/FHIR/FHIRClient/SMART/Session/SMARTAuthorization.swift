#if SMART
import Foundation
import HTTPCalls
import IndivoBase
import OrderedJSON

/// The access token of a launch, refreshed when it expires or is refused: once for all requests that wait.
///
/// A kept session survives the end of the process at any moment: a refresh token that a refresh gives is on
/// the disk before the earlier one is forgotten and before the new access token is used. Where several
/// processes share a session, one takes over what another has refreshed.
public actor SMARTAuthorization: FHIRAuthorization {
    private let server: SMARTServer
    /// The id of the patient in context.
    nonisolated let patient: String?
    private(set) var session: SMARTSession
    /// Whether the session is in the store, and follows its changes there.
    private var isKept: Bool
    /// Whether the store has an earlier refresh token than the session.
    private var isUnsaved = false
    private var hasEnded = false
    private var refreshing: Task<SMARTSession, any Error>?

    init(_ session: SMARTSession, _ server: SMARTServer, isKept: Bool) {
        patient = session.context.patient
        self.session = session
        self.server = server
        self.isKept = isKept
    }

    private var store: any SessionStore<SMARTSession> { server.options.sessions }

    public func token() async throws -> Secret? {
        try await described {
            let isFresh = session.expiresAt.map { server.options.timing.now() < $0 } ?? true
            // Without a refresh token the server decides.
            guard !isFresh || isUnsaved, session.refreshToken != nil, !hasEnded else {
                return try usableToken()
            }
            return try await refreshed(unless: isFresh && isUnsaved ? nil : session.accessToken).accessToken
        }
    }

    public func token(after refused: Secret?) async throws -> Secret? {
        try await described {
            // Another request may have refreshed it already.
            if session.accessToken != refused, !hasEnded { return session.accessToken }
            guard session.refreshToken != nil, !hasEnded else { return nil }
            return try await refreshed(unless: refused).accessToken
        }
    }

    private func usableToken() throws(SMARTError) -> Secret {
        if hasEnded { throw server.failure(.sessionEnded, .refresh) }
        return session.accessToken
    }

    /// What a request fails with has no secret in it.
    private func described(_ body: () async throws -> Secret?) async throws -> Secret? {
        do { return try await body() } catch let error as SMARTError {
            if error.reason == .cancelled { throw CancellationError() }
            throw FHIRAuthorizationError(error.description)
        }
    }

    /// A session with another access token; requests that come meanwhile wait for the same.
    private func refreshed(unless stale: Secret?) async throws -> SMARTSession {
        if let refreshing {
            let session = try await refreshing.value
            guard !hasEnded else { throw server.failure(.sessionEnded, .refresh) }
            return session
        }
        let task = Task { try await refresh(stale) }
        refreshing = task
        defer { refreshing = nil }
        let session = try await task.value
        guard !hasEnded else { throw server.failure(.sessionEnded, .refresh) }
        return session
    }

    private func refresh(_ stale: Secret?) async throws -> SMARTSession {
        guard !isUnsaved else { return try await saved() }
        if let other = try await elsewhere() {
            // Its refresh token is the newer one, whatever became of its access token.
            session = other
            if other.accessToken != stale, isFresh(other) { return session }
        }
        switch await outcome(of: session) {
        case .success(let next): session = next
        case .failure(let error) where error.reason == .refused(code: "invalid_grant"):
            // Another process may have used the token in between, and kept what it got.
            guard let other = try await elsewhere() else {
                hasEnded = true
                throw server.failure(.sessionEnded, .refresh)
            }
            let isUsable = isFresh(other) && other.accessToken != stale
            session = isUsable ? other : try await requested(with: other)
        case .failure(let error): throw error
        }
        isUnsaved = isKept
        return try await saved()
    }

    private func outcome(of session: SMARTSession) async -> Result<SMARTSession, SMARTError> {
        do throws(SMARTError) { return .success(try await requested(with: session)) } catch {
            return .failure(error)
        }
    }

    private func isFresh(_ session: SMARTSession) -> Bool {
        session.expiresAt.map { server.options.timing.now() < $0 } ?? true
    }

    /// The session in the store, if another process has refreshed it.
    private func elsewhere() async throws -> SMARTSession? {
        guard isKept else { return nil }
        let kept: [SMARTSession]
        do { kept = try await store.sessions() } catch { throw notKept(error) }
        return kept.last { $0.slot == session.slot && $0.refreshToken != session.refreshToken }
    }

    private func saved() async throws -> SMARTSession {
        if isUnsaved {
            do { try await store.keep(session) } catch { throw notKept(error) }
            isUnsaved = false
        }
        return session
    }

    private func notKept(_ error: any Error) -> SMARTError {
        server.failure(.sessionNotKept(SessionStoreError.reason(error)), .refresh)
    }

    /// Asks for another access token. A response that got lost is asked for again with the same refresh
    /// token, which servers that replace refresh tokens permit until the new one is used.
    private func requested(with session: SMARTSession) async throws(SMARTError) -> SMARTSession {
        guard let refreshToken = session.refreshToken else {
            throw server.failure(.sessionEnded, .refresh)
        }
        let response = try await server.send(
            ["grant_type": "refresh_token", "refresh_token": refreshToken.reveal()],
            to: session.tokenEndpoint,
            .refresh,
            isSafeToRetry: true
        )
        let (token, lifetime, json) = try server.tokens(in: response, .refresh)
        var next = session
        next.accessToken = token
        next.keptAt = server.options.timing.now()
        next.expiresAt = lifetime.map { next.keptAt + TokenEndpoint.use(of: $0).inSeconds }
        if let rotated = json["refresh_token"]?.string { next.refreshToken = Secret(rotated) }
        if let scope = json["scope"]?.string { next.scopes = [SMARTScope](parsing: scope) }
        // The patient of a session stays the same, whatever the server says later.
        if let patient = json["patient"]?.string, patient != session.context.patient {
            throw server.failure(
                .malformedResponse("the server refreshes the session for another patient; log in again"),
                .refresh
            )
        }
        return next
    }

    // MARK: Keeping

    func keep() async throws {
        session.keptAt = server.options.timing.now()
        do { try await store.keep(session) } catch { throw notKept(error) }
        isKept = true
        isUnsaved = false
    }

    /// Forgets the session, and gives no token any more.
    func end() async throws -> SMARTSession {
        hasEnded = true
        // What a refresh that is under way gets is to be forgotten and revoked, too.
        if let refreshing { _ = try? await refreshing.value }
        isKept = false
        isUnsaved = false
        do { try await store.forget(session) } catch { throw notKept(error) }
        return session
    }
}
#endif
