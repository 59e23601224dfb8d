import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import OrderedJSON

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

    private let url: URL
    private let address: ServerAddress
    private let scope: String?
    private let authentication: Authentication
    private let transport: any HTTPTransport
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
        do {
            address = try ServerAddress(tokenURL, plainHTTPHosts: plainHTTPHosts)
        } catch {
            throw FHIRAuthorizationError("the token endpoint's address cannot be used: \(error)")
        }
        url = tokenURL
        self.scope = scope
        self.authentication = authentication
        self.transport = transport
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
        var request = HTTPRequest(
            method: .post,
            scheme: address.scheme,
            authority: address.authority,
            path: (url.path(percentEncoded: true).isEmpty ? "/" : url.path(percentEncoded: true))
                + (url.query(percentEncoded: true).map { "?" + $0 } ?? "")
        )
        request.headerFields[.contentType] = FormParameters.contentType
        request.headerFields[.accept] = "application/json"
        switch authentication {
        case .basic(let id, let secret):
            let pair = PercentEncoding.encode(id) + ":" + PercentEncoding.encode(secret.reveal())
            request.headerFields[.authorization] = "Basic " + Data(pair.utf8).base64EncodedString()
        case .form(let id, let secret):
            form.append(name: "client_id", value: id)
            form.append(name: "client_secret", value: secret.reveal())
        case .assertion(let assertion):
            form.append(
                name: "client_assertion_type",
                value: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            )
            form.append(
                name: "client_assertion",
                value: try await assertion.signed(audience: url.absoluteString, at: timing.now())
            )
        }
        let http = try await transport.send(request, body: Data(form.encoded.utf8))
        return try token(in: http, at: timing.elapsed())
    }

    /// The token in a response (RFC 6749, section 5).
    private nonisolated func token(in http: HTTPAnswer, at now: Duration) throws(FHIRAuthorizationError)
        -> Token
    {
        let status = http.response.status.code
        var limits = JSONLimits()
        limits.bytes = 256 << 10
        guard let json = try? JSONValue(parsing: http.body, limits: limits) else {
            throw FHIRAuthorizationError(
                "the token endpoint's response (\(status)) is not JSON; check its address"
            )
        }
        guard (200..<300).contains(status) else {
            throw FHIRAuthorizationError(
                "the token endpoint refuses (\(status)): \(Self.code(json["error"]))"
            )
        }
        guard let value = json["access_token"]?.string, Self.isToken(value) else {
            throw FHIRAuthorizationError("the token endpoint's response has no access token")
        }
        guard json["token_type"]?.string?.lowercased() == "bearer" else {
            throw FHIRAuthorizationError("the token endpoint gives tokens of another type than Bearer")
        }
        // A tenth of the lifetime early, at most half a minute; for a year at most.
        let end = json["expires_in"]?.double.flatMap { seconds -> Duration? in
            guard seconds.isFinite else { return nil }
            let lifetime = min(max(0, seconds), 31_536_000)
            return now + .seconds(lifetime - min(30, lifetime / 10))
        }
        return Token(value: Secret(value), end: end)
    }

    /// An error's code, if it is one of letters and underscores (RFC 6749, section 5.2).
    private nonisolated static func code(_ error: JSONValue?) -> String {
        guard let code = error?.string, (1...40).contains(code.utf8.count),
            code.utf8.allSatisfy({
                $0 == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            })
        else { return "no reason given" }
        return code
    }

    /// Whether a text can stand in a header (RFC 6750, section 2.1).
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
