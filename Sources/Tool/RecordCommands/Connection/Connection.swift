import ArgumentParser
import Foundation
import Indivo
import Logging

/// Finds the server and the record that the settings mean.
struct Connection {
    let settings: Settings
    let store: FileSessionStore<IndivoSession>
    private let console: MessageOptions

    init(_ settings: Settings, _ console: MessageOptions) {
        self.settings = settings
        self.console = console
        store = settings[.sessions].map { FileSessionStore(file: URL(filePath: $0)) } ?? .standard
    }

    /// The server, with the address of its pages if that matters, and the app, with its secret if requests
    /// are signed.
    func server(needsPages: Bool = false, isSigned: Bool = true) async throws -> IndivoServer {
        let session = settings[.api] == nil && !needsPages ? try soleServer() : nil
        let api = try session?.api ?? settings.address(.api)
        let id = try session?.app ?? settings.app ?? (isSigned ? settings.require(.appID) : "")
        var options = IndivoServer.Options(sessions: store)
        options.plainHTTPHosts = Set(settings[.allowHTTP]?.split(separator: ",").map(String.init) ?? [])
        let ui = needsPages || settings[.ui] != nil ? try settings.address(.ui) : api
        let secret = Secret(isSigned ? try settings.require(.consumerSecret) : "")
        let app = AppCredentials(id: id, consumerKey: settings[.consumerKey] ?? id, consumerSecret: secret)
        return IndivoServer(api: api, ui: ui, app: app, logger: logger, options: options)
    }

    /// The record, by the token of the environment, else by a kept session. Where no server is asked, no
    /// secret is needed.
    func record(isOnline: Bool = true) async throws -> IndivoRecord {
        if !isOnline, let id = settings[.record] {
            return try await server(isSigned: false).record(id: id, token: OAuthToken(value: "", secret: ""))
        }
        if settings[.token] != nil || settings[.tokenSecret] != nil {
            let token = OAuthToken(
                value: try settings.require(.token),
                secret: Secret(try settings.require(.tokenSecret))
            )
            let id = try settings.require(.record)
            // A token is for the server that is named with it, not for one that is remembered.
            _ = try settings.address(.api)
            return try await server().record(id: id, token: token)
        }
        let server = try await server(isSigned: isOnline)
        let session = try choose(from: await server.keptSessions())
        return server.record(id: session.record, token: session.token)
    }

    /// The sessions that may be meant.
    func keptSessions() throws -> [IndivoSession] { try store.sessions().filter(settings.fit) }

    /// The session for the record that is named, or the only one there is: the wrong patient's record is
    /// worse than a question.
    func choose(from sessions: [IndivoSession]) throws -> IndivoSession {
        if let id = settings[.record] {
            if let session = sessions.last(where: { $0.record == id }) { return session }
            throw CommandFailure(
                "there is no session for the record \(id); run “indivo login” to open it"
                    + (sessions.isEmpty ? "" : ", or name one of those that “indivo sessions” lists")
                    + (UUID(uuidString: id) != nil
                        ? "" : ". A record's id looks like 6f9619ff-8b86-4d01-b42d-00cf4fc964ff")
            )
        }
        let session = try sessions.first.orFail(
            "there is no session for this server and app; run “indivo login”",
            .wrongUse
        )
        guard sessions.count == 1 else {
            let list = sessions.map { "  \($0.record)  \($0.label ?? "")".onOneLine }.joined(separator: "\n")
            throw CommandFailure(
                "several records are open; name one with --record, or set INDIVO_RECORD:\n\(list)"
            )
        }
        return session
    }

    /// The session whose server and app are meant when no address is given: all that are kept are for the
    /// same.
    private func soleServer() throws -> IndivoSession? {
        let sessions = try keptSessions()
        return sessions.allSatisfy { $0.api == sessions[0].api && $0.app == sessions[0].app }
            ? sessions.first : nil
    }

    private var logger: Logger {
        var logger = Logger(label: "indivo", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = console.verbose ? .debug : .critical
        return logger
    }
}

/// Which server, app and record a command is about. Secrets come from elsewhere, never from arguments.
package struct ConnectionOptions: ParsableArguments {
    @Option(help: .value("url", "The address of the API (INDIVO_API).")) var api: String?

    @Option(help: .value("url", "The address of the server's pages (INDIVO_UI).")) var ui: String?

    @Option(help: .value("id", "The app's id (INDIVO_APP_ID); the consumer key unless given.")) var appId:
        String?

    @Option(help: .value("key", "The consumer key (INDIVO_CONSUMER_KEY); the app's id unless given."))
    var consumerKey: String?

    @Option(help: .value("id", "The record's id (INDIVO_RECORD); that of the kept session unless given."))
    var record: String?

    @Option(
        help: .value(
            "file",
            "A file of settings, mode 0600 (INDIVO_CREDENTIALS); ~/.config/indivo/credentials unless given."
        ),
        completion: .file()
    )
    var credentials: String?

    @Option(
        help: .value("file", "The file in which login keeps sessions, mode 0600 (INDIVO_SESSIONS)."),
        completion: .file()
    )
    var sessions: String?

    @Option(
        help: .value(
            "host",
            "A host to use without TLS; everybody on the way can read what is sent (INDIVO_ALLOW_HTTP)."
        )
    )
    var allowHttp: [String] = []

    package init() {}

    /// Everything that is known of the connection, whatever its source.
    func settings() throws -> Settings {
        let options: [Setting: String?] = [
            .api: api, .ui: ui, .appID: appId, .consumerKey: consumerKey, .record: record,
            .credentials: credentials,
            .sessions: sessions, .allowHTTP: allowHttp.isEmpty ? nil : allowHttp.joined(separator: ","),
        ]
        return try Settings(options: options.compactMapValues(\.self))
    }

    func open(_ console: MessageOptions) throws -> Connection { Connection(try settings(), console) }

    /// The record that the environment's token or a kept session opens.
    package func record(_ console: MessageOptions) async throws -> IndivoRecord {
        try await open(console).record()
    }
}
