import OAuth1

/// The nonce and time of a signature, kept so that a request can be sent again as the very same request.
///
/// A server takes a nonce once. So of several copies of one request, whenever they arrive, it acts on one at most:
/// that makes calls safe to repeat which have no id to find them by.
package struct SigningStamp: Sendable, Hashable, Codable {
    package let nonce: String
    /// Seconds since 1970-01-01T00:00:00Z.
    package let timestamp: Int

    /// A stamp that was never used.
    init(at time: Int) {
        nonce = OAuthSigner.randomNonce()
        timestamp = time
    }
}
