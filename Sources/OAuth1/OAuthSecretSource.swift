import SecretText

/// Knows the secrets that an ``OAuthVerifier`` verifies with.
public protocol OAuthSecretSource: Sendable {
    /// The secret of a consumer, or nil for one that is not known.
    func consumerSecret(forKey key: String) async throws -> Secret?

    /// The secret of a token that belongs to this consumer and is in force, or nil if there is no such token.
    func tokenSecret(forToken token: String, consumerKey: String) async throws -> Secret?
}
