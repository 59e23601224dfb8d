import Foundation
import OAuth1
import Synchronization

/// A store for sessions, which are secrets.
///
/// The library brings ``FileSessionStore``, a file that only its owner can read, ``ItemSessionStore``, for the keychain of
/// Apple's systems, and ``MemorySessionStore``.
public protocol SessionStore: Sendable {
    /// All sessions that are kept, of all servers and apps, the oldest first.
    func sessions() async throws -> [IndivoSession]

    /// Keeps a session, in place of one for the same record (``IndivoSession/isForSameRecord(as:)``).
    func keep(_ session: IndivoSession) async throws

    /// Forgets the session for the same record; it is no error when there is none.
    func forget(_ session: IndivoSession) async throws
}

/// Keeps sessions as long as the process lives.
public final class MemorySessionStore: SessionStore {
    private let kept = Mutex<[IndivoSession]>([])

    /// A store without a session.
    public init() {}

    public func sessions() -> [IndivoSession] { kept.withLock { $0 } }

    public func keep(_ session: IndivoSession) {
        kept.withLock { kept in
            kept.removeAll { $0.isForSameRecord(as: session) }
            kept.append(session)
        }
    }

    public func forget(_ session: IndivoSession) {
        kept.withLock { $0.removeAll { $0.isForSameRecord(as: session) } }
    }
}
