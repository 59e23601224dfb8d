import Crypto
import Foundation
import IndivoBase
import Synchronization
import WebServing

/// Who is logged in: by the digests of the tokens in their cookies, and in memory alone.
final class SessionTable: Sendable {
    /// A person who is logged in.
    struct Session: Sendable {
        let name: String
        /// The hash of the password they came with: another one ends the session.
        let hash: PasswordHash
        /// What a form has to bring back.
        let csrf: String
        fileprivate let began: Duration
        fileprivate var used: Duration
    }

    /// How long a session lasts, and how long without a request.
    static let lifetime = (whole: Duration.seconds(8 * 3600), idle: Duration.seconds(3600))
    private static let maximumSessions = 1000

    private let sessions = Mutex<[SHA256Digest: Session]>([:])
    private let elapsed: @Sendable () -> Duration

    init(elapsed: @escaping @Sendable () -> Duration) { self.elapsed = elapsed }

    /// Begins a session.
    ///
    /// - Returns: The token of its cookie.
    func begin(_ name: String, _ hash: PasswordHash) -> String {
        let token = RandomToken.make(length: 40)
        let now = elapsed()
        let session = Session(
            name: name,
            hash: hash,
            csrf: RandomToken.make(length: 32),
            began: now,
            used: now
        )
        sessions.withLock { sessions in
            sessions = sessions.filter { Self.isValid($0.value, now) }
            if sessions.count >= Self.maximumSessions,
                let oldest = sessions.min(by: { $0.value.used < $1.value.used })
            {
                sessions[oldest.key] = nil
            }
            sessions[Self.digest(token)] = session
        }
        return token
    }

    /// The session of a token.
    func session(_ token: String?) -> Session? {
        guard let token, RandomToken.isToken(token, length: 40) else { return nil }
        let digest = Self.digest(token)
        let now = elapsed()
        return sessions.withLock { sessions in
            guard let session = sessions[digest], Self.isValid(session, now) else {
                sessions[digest] = nil
                return nil
            }
            sessions[digest]?.used = now
            return session
        }
    }

    /// Ends the session of a token.
    func end(_ token: String?) {
        guard let token else { return }
        let digest = Self.digest(token)
        sessions.withLock { $0[digest] = nil }
    }

    private static func isValid(_ session: Session, _ now: Duration) -> Bool {
        now - session.began < lifetime.whole && now - session.used < lifetime.idle
    }

    private static func digest(_ token: String) -> SHA256Digest { SHA256.hash(data: Data(token.utf8)) }
}
