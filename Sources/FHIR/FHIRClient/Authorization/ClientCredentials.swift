import Foundation
import HTTPCalls
import IndivoBase

/// Gets tokens for the app itself: OAuth 2.0's client credentials grant (RFC 6749, section 4.4).
///
/// ```swift
/// let authorization = try ClientCredentials(
///     tokenURL: URL(string: "https://auth.example.org/token")!, scope: "system/Observation.write",
///     authentication: .basic(id: "uploader", secret: secret))
/// ```
/// A token is fetched when the first request needs it, once for all requests that wait for it; again shortly
/// before it expires, and when a server refuses it. The client's own secret goes to the token endpoint only,
/// over TLS.
public actor ClientCredentials: FHIRAuthorization {
    /// How the client proves who it is to the token endpoint.
    public enum Authentication: Sendable {
        /// Id and secret in the `Authorization` header (RFC 6749, section 2.3.1).
        case basic(id: String, secret: Secret)
        /// Id and secret in the form, for endpoints that do not take the header.
        case form(id: String, secret: Secret)
        /// A signed assertion (RFC 7523), as SMART backend services use it.
        case assertion(ClientAssertion)
    }

    private struct Token {
        var value: Secret
        /// When it is renewed, by the clock's `elapsed`.
        var end: Duration?
    }

    private let endpoint: TokenEndpoint
    private let scope: String?
    private let authentication: Authentication
    private let timing: CallTiming
    private var token: Token?
    private var fetching: Task<Token, any Error>?

    /// - Parameters:
    ///   - tokenURL: The token endpoint.
    ///   - scope: What to ask for, as in `system/Observation.write`.
    ///   - authentication: How the client proves who it is.
    ///   - plainHTTPHosts: The hosts to which HTTP without TLS is allowed, besides this machine.
    ///   - transport: What carries requests.
    ///   - timing: The clocks.
    /// - Throws: ``FHIRAuthorizationError`` for an address that cannot be used.
    public init(
        tokenURL: URL,
        scope: String? = nil,
        authentication: Authentication,
        plainHTTPHosts: Set<String> = [],
        transport: any HTTPTransport = .system,
        timing: CallTiming = .system
    ) throws(FHIRAuthorizationError) {
        endpoint = try TokenEndpoint(
            tokenURL,
            plainHTTPHosts: plainHTTPHosts,
            transport: transport,
            timing: timing
        )
        self.scope = scope
        self.authentication = authentication
        self.timing = timing
    }

    public func token() async throws -> Secret? {
        if let token, token.end.map({ timing.elapsed() < $0 }) ?? true { return token.value }
        return try await fetched().value
    }

    public func token(after refused: Secret?) async throws -> Secret? {
        // Another request may have renewed it already.
        if let token, token.value != refused { return token.value }
        return try await fetched().value
    }

    /// A new token; requests that come while it is fetched wait for the same.
    private func fetched() async throws -> Token {
        if let fetching { return try await fetching.value }
        let fetch = Task { try await request() }
        fetching = fetch
        defer { fetching = nil }
        let token = try await fetch.value
        self.token = token
        return token
    }

    private nonisolated func request() async throws -> Token {
        var form: FormParameters = ["grant_type": "client_credentials"]
        if let scope { form.append(name: "scope", value: scope) }
        let proof: TokenEndpoint.Authentication =
            switch authentication {
            case .basic(let id, let secret): .basic(id: id, secret: secret)
            case .form(let id, let secret): .form(id: id, secret: secret)
            case .assertion(let assertion): .assertion(assertion)
            }
        let (token, lifetime) = try TokenEndpoint.accessToken(in: try await endpoint.send(form, proof))
        let now = timing.elapsed()
        return Token(value: token, end: lifetime.map { now + TokenEndpoint.use(of: $0) })
    }
}
