import OAuth1
import Synchronization

/// A person's record on a server, as far as a token lets the app into it.
///
/// ```swift
/// for try await medication in record.reports(of: Medication.self) { … }
/// try await record.add(Medication())
/// ```
public final class IndivoRecord: Sendable {
    /// The server that has the record.
    public let server: IndivoServer
    /// The record's id (a UUID).
    public let id: String
    /// The token by which the app acts, with its secret. Keep it only where secrets are kept.
    public let token: OAuthToken

    /// The versions that this process has seen replaced: a second object of the same document then knows that
    /// it is outdated.
    let replacedVersions = Mutex<Set<String>>([])
    /// Messages of which it is not known whether they arrived, or all of their attachments. When one is sent
    /// again, and the server says that it has it, that is this message. Another with its id is still refused.
    let unresolvedMessages = Mutex<[String: OutgoingMessage]>([:])

    init(server: IndivoServer, id: String, token: OAuthToken) {
        self.server = server
        self.id = id
        self.token = token
    }

    /// The record's label, its demographics' id, and when it was made (`record`).
    /// - Throws: ``IndivoError``.
    public func information() async throws -> RecordInformation {
        try await send(.record).value(RecordInformation.self)
    }

    /// What the app keeps for itself in this record.
    public var appDocuments: AppDocuments { AppDocuments(scope: self) }

    /// The part of the record that is shared through a carenet, as far as this record's token may see it.
    /// - Parameter id: The carenet's id, as ``RecordDocument/carenets()`` gives it.
    public func carenet(_ id: String) -> IndivoCarenet {
        IndivoCarenet(server: server, id: id, token: token, record: self)
    }

    /// An account, as this record's token may see it.
    /// - Parameter id: The e-mail address of the person who granted the token. Whatever the app adds names it
    ///   as the creator.
    public func account(_ id: String) -> IndivoAccount { IndivoAccount(server: server, id: id, token: token) }
}

extension IndivoRecord: RecordReference, CallScope {
    var credentials: OAuthCredentials? { OAuthCredentials(consumer: server.app.consumer, token: token) }
    var variables: [String: String] { ["record": id, "app": server.app.id] }
    var record: IndivoRecord? { self }
}
