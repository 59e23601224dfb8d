import Foundation
import OAuth1

/// A person's record on a server, as far as a token lets the app into it.
///
/// ```swift
/// for medication in try await record.reports(of: Medication.self) { … }
/// try await record.add(Medication())
/// ```
public final class IndivoRecord: Sendable {
    public let server: IndivoServer
    /// The record's id (a UUID).
    public let id: String
    /// The token by which the app acts, with its secret. Keep it only where secrets are kept.
    public let token: OAuthToken

    init(server: IndivoServer, id: String, token: OAuthToken) {
        self.server = server
        self.id = id
        self.token = token
    }

    /// The record's label, its demographics' id, and when it was made (`record`).
    public func information() async throws -> RecordInformation {
        try await send(.record).value(RecordInformation.self, root: "Record")
    }

    func send(
        _ call: IndivoCall, path variables: [String: String] = [:], query: FormParameters = [:],
        body: CallClient.Body? = nil
    ) async throws -> Answer {
        try await server.calls.send(
            call, as: OAuthCredentials(consumer: server.app.consumer, token: token),
            path: variables.merging(["record": id, "app": server.app.id]) { given, _ in given }, query: query, body: body)
    }
}
