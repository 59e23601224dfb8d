import IndivoBase

// What an app makes of its token.
@_exported import struct IndivoBase.Secret

/// The source of what a client sends as `Authorization`.
///
/// Its value goes to the origin of the client's base URL only, and never into a log.
///
/// ```swift
/// let client = try FHIRClient(base: base, authorization: .bearer(token))
/// ```
/// An app that renews its tokens by itself brings its own:
///
/// ```swift
/// struct SessionAuthorization: FHIRAuthorization {
///     let session: Session
///     func token() async throws -> Secret? { try await session.accessToken() }
///     func token(after refused: Secret?) async throws -> Secret? { try await session.renewedToken() }
/// }
/// ```
public protocol FHIRAuthorization: Sendable {
    /// The bearer token for a request that is about to be sent (RFC 6750, section 2.1); `nil` sends none.
    /// - Throws: ``FHIRAuthorizationError``, or what the source of tokens throws.
    func token() async throws -> Secret?

    /// Another token, after the server refused one with 401. Asked once for a request.
    /// - Returns: `nil`, or the same token, when there is no other.
    func token(after refused: Secret?) async throws -> Secret?
}

/// Why there is no token.
public struct FHIRAuthorizationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong, without a secret.
    public let description: String

    /// A reason, without a secret.
    public init(_ description: String) { self.description = description }
}

/// Sends no credentials.
public struct NoAuthorization: FHIRAuthorization {
    public func token() async throws -> Secret? { nil }
    public func token(after refused: Secret?) async throws -> Secret? { nil }
}

/// Sends one token, until it is refused.
public struct BearerAuthorization: FHIRAuthorization {
    private let bearer: Secret

    /// - Parameter token: An access token (RFC 6750).
    public init(token: Secret) { bearer = token }

    public func token() async throws -> Secret? { bearer }
    public func token(after refused: Secret?) async throws -> Secret? { nil }
}

extension FHIRAuthorization where Self == NoAuthorization {
    /// No credentials.
    public static var anonymous: NoAuthorization { NoAuthorization() }
}

extension FHIRAuthorization where Self == BearerAuthorization {
    /// One token, until it is refused.
    public static func bearer(_ token: Secret) -> BearerAuthorization { BearerAuthorization(token: token) }
}
