import GRDB
import OAuth1
import Synchronization

/// A nonce that was used, for the time after a restart.
struct NonceRow: Codable, TableRow, PersistableRecord {
    static let databaseTableName = "nonce"
    static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace)

    var nonce: String
    var expiresAt: Int
}

/// Remembers which nonces were used: as on the real server each can be used once, whoever uses it. One is
/// forgotten when its timestamp is too old to be accepted: it may lie in the future, and then its nonce is
/// kept as much longer.
///
/// What is kept of a nonce is 64 bits of a keyed hash, so that a busy server needs little memory: a nonce
/// that was not used is taken for a used one once in 10¹³ requests or more seldom, and no one can make it
/// happen.
final class NonceMemory: OAuthNonceStore {
    /// Seconds for which a timestamp is accepted.
    static let window = 300

    /// What is to be stored; nil where nothing outlives the process.
    let pending: PendingRows<NonceRow>?
    /// When what is remembered may be forgotten, by the hash of the nonce; and how many entries make a
    /// clean-up due.
    private let state = Mutex((expiries: [Int: Int](), cleanAt: 4096))
    private let clock: @Sendable () -> Int

    init(outlivesProcess: Bool, clock: @escaping @Sendable () -> Int) {
        pending = outlivesProcess ? PendingRows() : nil
        self.clock = clock
    }

    func use(_ nonce: String, timestamp: Int, consumerKey: String, token: String?) -> Bool {
        let now = clock()
        // A timestamp may be as far ahead as its sender likes.
        let expiry = max(now, min(timestamp, Int.max / 2)) + NonceMemory.window
        // Swift's hasher has a random key of its own in every process.
        let key = nonce.hashValue
        return state.withLock { state in
            if state.expiries.count >= state.cleanAt {
                state.expiries = state.expiries.filter { $0.value >= now }
                state.cleanAt = max(4096, state.expiries.count * 2)
            }
            if let known = state.expiries[key], known >= now { return false }
            state.expiries[key] = expiry
            pending?.append(NonceRow(nonce: nonce, expiresAt: expiry))
            return true
        }
    }

    /// Takes up nonces that were used before a restart.
    func restore(_ nonces: [NonceRow]) {
        state.withLock { state in for used in nonces { state.expiries[used.nonce.hashValue] = used.expiresAt }
        }
    }
}
