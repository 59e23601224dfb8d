import Foundation
import Synchronization

/// A login that an app keeps, to continue without another one. It contains secrets, and so does its encoded
/// form.
public protocol KeptSession: Codable, Sendable {
    /// A store keeps the last session of each slot, such as an app on a server.
    var slot: String { get }
    /// When it was kept.
    var keptAt: Date { get }
}

/// A store for sessions, which are secrets.
///
/// The library brings ``FileSessionStore``, a file that only its owner can read, ``ItemSessionStore``, for
/// the keychain of Apple's systems, and ``MemorySessionStore``.
public protocol SessionStore<Session>: Sendable {
    /// What is kept.
    associatedtype Session: KeptSession

    /// All sessions that are kept, the oldest first.
    func sessions() async throws -> [Session]

    /// Keeps a session, in place of one in the same slot. When it returns, the session is on the disk.
    func keep(_ session: Session) async throws

    /// Forgets the session in the same slot; it is no error when there is none.
    func forget(_ session: Session) async throws
}

/// Keeps sessions as long as the process lives.
public final class MemorySessionStore<Session: KeptSession>: SessionStore {
    private let kept = Mutex<[Session]>([])

    /// A store without a session.
    public init() {}

    public func sessions() -> [Session] { kept.withLock { $0 } }

    public func keep(_ session: Session) {
        kept.withLock { $0 = $0.filter { $0.slot != session.slot } + [session] }
    }

    public func forget(_ session: Session) {
        kept.withLock { $0.removeAll { $0.slot == session.slot } }
    }
}

/// Sessions as JSON.
enum SessionJSON {
    static func encode(_ content: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(content)
    }

    static func decode<Content: Decodable>(_ type: Content.Type, from json: Data, in file: String) throws
        -> Content
    {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do { return try decoder.decode(type, from: json) } catch {
            throw SessionStoreError.malformed(file: file)
        }
    }
}
