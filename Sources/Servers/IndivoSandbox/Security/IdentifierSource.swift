/// Where the names of new things come from: random, except in a test that replays what was recorded.
package struct IdentifierSource: Sendable {
    /// What a new id is for.
    package enum Kind: Sendable { case record, carenet, document, fact, message, notification }

    /// A new id.
    package var id: @Sendable (Kind) -> String
    /// A new token, secret or verifier.
    package var token: @Sendable () -> String

    package init(id: @escaping @Sendable (Kind) -> String, token: @escaping @Sendable () -> String) {
        self.id = id
        self.token = token
    }

    func tokenPair() -> TokenPair { TokenPair(token: token(), secret: token()) }

    /// Random UUIDs, and tokens from the system's generator.
    package static let random = IdentifierSource(id: { _ in Secrets.id() }, token: Secrets.token)
}
