import Foundation
import Synchronization

/// A store for sessions, which are secrets.
///
/// The library brings ``FileSessionStore``, a file that only its owner can read, ``ItemSessionStore``, for
/// the keychain of Apple's systems, and ``MemorySessionStore``.
public protocol SessionStore: Sendable {
    /// All sessions that are kept, of all servers and apps, the oldest first.
    func sessions() async throws -> [IndivoSession]

    /// Keeps a session, in place of one for the same record (``IndivoSession/isForSameRecord(as:)``).
    func keep(_ session: IndivoSession) async throws

    /// Forgets the session for the same record; a missing one is not an error.
    func forget(_ session: IndivoSession) async throws
}

/// Keeps sessions as long as the process lives.
public final class MemorySessionStore: SessionStore {
    private let kept = Mutex<[IndivoSession]>([])

    /// A store without a session.
    public init() {}

    public func sessions() -> [IndivoSession] { kept.withLock { $0 } }

    public func keep(_ session: IndivoSession) {
        kept.withLock { $0 = $0.filter { !$0.isForSameRecord(as: session) } + [session] }
    }

    public func forget(_ session: IndivoSession) {
        kept.withLock { $0.removeAll { $0.isForSameRecord(as: session) } }
    }
}

/// What an app keeps of a login to open the record again without another: a token for a record of an account
/// on a server.
public struct IndivoSession: Sendable, Hashable {
    /// The address of the API.
    public let api: URL
    /// The app's id.
    public let app: String
    /// The record's id.
    public let record: String
    /// The token, with its secret.
    public let token: OAuthToken
    /// A name by which the person knows it, such as the record's label; it is about a patient.
    public var label: String?
    /// When it was kept.
    public var keptAt: Date

    /// A session to be kept.
    public init(
        api: URL,
        app: String,
        record: String,
        token: OAuthToken,
        label: String? = nil,
        keptAt: Date = Date()
    ) {
        self.api = api
        self.app = app
        self.record = record
        self.token = token
        self.label = label
        self.keptAt = keptAt
    }

    /// Whether both are for the same record on the same server and for the same app.
    public func isForSameRecord(as other: IndivoSession) -> Bool {
        Self.place(api) == Self.place(other.api) && app == other.app && record == other.record
    }

    /// An address by which two spellings of it are the same.
    package static func place(_ url: URL) -> String {
        ServerAddress(url).map { "\($0.scheme)://\($0.authority)\($0.path)" } ?? url.absoluteString
    }

    /// Why sessions cannot be read or kept. No secret is in it.
    public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
        /// Others than the owner can read or write the file, or it is another's: its secrets may be known.
        case readableByOthers(file: String, mode: String)
        /// The file is a link, or no plain file.
        case notAPlainFile(file: String)
        /// The file is not what this library writes.
        case malformed(file: String)
        /// The system does not let it be read.
        case cannotRead(file: String, reason: String)
        /// The system does not let it be written.
        case cannotWrite(file: String, reason: String)

        public var description: String {
            switch self {
            case .readableByOthers(let file, let mode):
                "the sessions in \(file) are not used, since others can read the file, or it is theirs "
                    + "(mode \(mode)); if nobody did, run chmod 600 on it, else delete it and log in again"
            case .notAPlainFile(let file):
                "\(file) is no plain file, and no sessions are read from it or written to it; take it away"
            case .malformed(let file):
                "\(file) does not hold sessions as this library writes them; delete it and log in again"
            case .cannotRead(let file, let reason): "the sessions in \(file) cannot be read: \(reason)"
            case .cannotWrite(let file, let reason): "the sessions cannot be kept in \(file): \(reason)"
            }
        }

        init(_ failure: PrivateFile.Failure, of file: String) {
            self =
                switch failure {
                case .readableByOthers(let mode): .readableByOthers(file: file, mode: mode)
                case .notAPlainFile: .notAPlainFile(file: file)
                case .cannotRead(let reason): .cannotRead(file: file, reason: reason)
                case .cannotWrite(let reason): .cannotWrite(file: file, reason: reason)
                }
        }
    }

    /// JSON as sessions are stored in.
    static func json(of content: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(content)
    }

    static func read<Content: Decodable>(_ type: Content.Type, from json: Data, in file: String) throws
        -> Content
    {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do { return try decoder.decode(type, from: json) } catch { throw StoreError.malformed(file: file) }
    }

    /// A session as it is stored, in JSON.
    struct Stored: Codable {
        private let api: URL
        private let app, record, token, secret: String
        private let label: String?
        private let keptAt: Date

        init(_ session: IndivoSession) {
            api = session.api
            app = session.app
            record = session.record
            label = session.label
            keptAt = session.keptAt
            token = session.token.value
            secret = session.token.secret.reveal()
        }

        var session: IndivoSession {
            let token = OAuthToken(value: token, secret: Secret(secret))
            return IndivoSession(
                api: api,
                app: app,
                record: record,
                token: token,
                label: label,
                keptAt: keptAt
            )
        }
    }
}
