import Synchronization

/// Remembers which nonces were used, so that a request that was overheard cannot be sent again.
public protocol OAuthNonceStore: Sendable {
    /// Marks a nonce as used.
    ///
    /// - Returns: Whether it was unused before. Of two calls at the same time with the same nonce only one gives true.
    func use(_ nonce: String, timestamp: Int, consumerKey: String, token: String?) async throws -> Bool
}

/// A nonce store in memory, which forgets what is too old to be accepted anyway.
///
/// Nonces are kept apart by consumer, token and timestamp (RFC 5849, 3.3).
public final class OAuthNonceMemory: OAuthNonceStore {
    private struct Use: Hashable {
        var nonce: String
        var timestamp: Int
        var consumerKey: String
        var token: String?
    }

    private struct State {
        var uses: Set<Use> = []
        var cleanAt = 1024
    }

    private let state = Mutex(State())
    private let maximumAge: Int
    private let clock: @Sendable () -> Int

    /// - Parameters:
    ///   - maximumAge: For how many seconds after its timestamp a nonce is remembered; not less than the verifier's
    ///     ``OAuthVerificationPolicy/maximumAge``.
    ///   - clock: Gives the time in whole seconds since 1970-01-01T00:00:00Z.
    public init(maximumAge: Int = 300, clock: @escaping @Sendable () -> Int = OAuthSigner.systemTime) {
        self.maximumAge = maximumAge
        self.clock = clock
    }

    public func use(_ nonce: String, timestamp: Int, consumerKey: String, token: String?) -> Bool {
        let use = Use(nonce: nonce, timestamp: timestamp, consumerKey: consumerKey, token: token)
        return state.withLock { state in
            if state.uses.count >= state.cleanAt {
                let oldest = clock() - maximumAge
                state.uses = state.uses.filter { $0.timestamp >= oldest }
                state.cleanAt = max(1024, state.uses.count * 2)
            }
            return state.uses.insert(use).inserted
        }
    }
}
