#if Sandbox
import OAuth1
import Synchronization

/// Remembers which nonces were used.
///
/// As on the real server a nonce can be used once, whoever uses it. It is forgotten when its timestamp is too old to be
/// accepted: a timestamp may lie in the future, and then its nonce is kept as much longer.
final class NonceMemory: OAuthNonceStore {
    /// Seconds for which a timestamp is accepted.
    static let window = 300

    private struct State {
        var expiries: [String: Int] = [:]
        var cleanAt = 4096
        /// Used since the last call of `takeFresh`.
        var fresh: [(nonce: String, expiry: Int)] = []
    }

    private let state = Mutex(State())
    private let clock: @Sendable () -> Int

    init(clock: @escaping @Sendable () -> Int) { self.clock = clock }

    func use(_ nonce: String, timestamp: Int, consumerKey: String, token: String?) -> Bool {
        let now = clock()
        let expiry = max(now, timestamp) + NonceMemory.window
        return state.withLock { state in
            if state.expiries.count >= state.cleanAt {
                state.expiries = state.expiries.filter { $0.value >= now }
                state.cleanAt = max(4096, state.expiries.count * 2)
            }
            if let known = state.expiries[nonce], known >= now { return false }
            state.expiries[nonce] = expiry
            state.fresh.append((nonce, expiry))
            return true
        }
    }

    /// The nonces that were used since this was asked last, to be stored.
    func takeFresh() -> [(nonce: String, expiry: Int)] {
        state.withLock { state in
            defer { state.fresh = [] }
            return state.fresh
        }
    }

    /// Gives back what could not be stored.
    func putBack(_ nonces: [(nonce: String, expiry: Int)]) {
        state.withLock { $0.fresh = nonces + $0.fresh }
    }

    /// Takes up nonces that were used before a restart.
    func restore(_ nonces: [(nonce: String, expiry: Int)]) {
        state.withLock { state in
            for (nonce, expiry) in nonces { state.expiries[nonce] = expiry }
        }
    }
}
#endif
