import Foundation
import Logging
import OAuth1

/// An Indivo X server, and the app that talks to it.
///
/// ```swift
/// let server = IndivoServer(
///     api: URL(string: "https://indivo.example.org:8000")!,
///     ui: URL(string: "https://indivo.example.org")!,
///     app: AppCredentials(id: "meds@apps.example.org", consumerKey: "…", consumerSecret: "…"))
/// let record = try await server.selectRecord { loginURL in open(loginURL) }
/// ```
public final class IndivoServer: Sendable {
    /// The address of the REST API.
    public let api: URL
    /// The address of the pages people see: login, record choice, authorisation.
    public let ui: URL
    /// The app.
    public let app: AppCredentials

    let calls: CallClient
    let logger: Logger

    /// - Parameters:
    ///   - api: The address of the REST API, scheme, host and port. Mostly not the same as `ui`.
    ///   - ui: The address of the UI server.
    ///   - app: The app's credentials.
    ///   - transport: What carries requests; the system's own unless a test or an app brings another.
    ///   - logger: Gets the name and status of each call, never a secret or anything about the patient.
    public init(
        api: URL, ui: URL, app: AppCredentials, transport: any HTTPTransport = .system,
        logger: Logger = Logger(label: "indivo")
    ) {
        self.api = api
        self.ui = ui
        self.app = app
        self.logger = logger
        calls = CallClient(base: api, transport: transport, logger: logger)
    }

    /// The version the server says it has, such as `2.0.0` (`get_version`).
    public func version() async throws -> String {
        try await calls.send(.getVersion, as: nil).text
    }

    /// A record for which the app already has a token, as one kept from an earlier login.
    public func record(id: String, token: OAuthToken) -> IndivoRecord {
        IndivoRecord(server: self, id: id, token: token)
    }

    var twoLegged: OAuthCredentials { OAuthCredentials(consumer: app.consumer) }
}
