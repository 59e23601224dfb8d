import ArgumentParser
import Foundation
import Indivo
import Logging

/// Which server, app and record a command is about. Secrets come from elsewhere, never from arguments.
///
/// ```swift
/// @OptionGroup var connection: ConnectionOptions
///
/// func run() async throws {
///     let record = try await connection.openRecord(talk)
/// ```
struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The address of the API (INDIVO_API).", valueName: "url"))
    var api: String?

    @Option(help: ArgumentHelp("The address of the server's pages (INDIVO_UI).", valueName: "url"))
    var ui: String?

    @Option(help: ArgumentHelp("The app's id (INDIVO_APP_ID); the consumer key unless given.", valueName: "id"))
    var appId: String?

    @Option(
        help: ArgumentHelp("The consumer key (INDIVO_CONSUMER_KEY); the app's id unless given.", valueName: "key"))
    var consumerKey: String?

    @Option(
        help: ArgumentHelp(
            "The record's id (INDIVO_RECORD); that of the kept session unless given.", valueName: "id"))
    var record: String?

    @Option(
        help: ArgumentHelp(
            "A file of settings, mode 0600 (INDIVO_CREDENTIALS); ~/.config/indivo/credentials unless given.",
            valueName: "file"),
        completion: .file())
    var credentials: String?

    @Option(
        help: ArgumentHelp(
            "The file in which login keeps sessions, mode 0600 (INDIVO_SESSIONS).", valueName: "file"),
        completion: .file())
    var sessions: String?

    @Option(
        help: ArgumentHelp(
            "A host that may be asked without TLS, by everybody's leave on the way (INDIVO_ALLOW_HTTP).",
            valueName: "host"))
    var allowHttp: [String] = []

    /// Everything that is known of the connection, whatever its source.
    /// - Throws: ``CommandFailure``.
    func settings() throws -> Settings {
        var options: [Setting: String] = [:]
        options[.api] = api
        options[.ui] = ui
        options[.appID] = appId
        options[.consumerKey] = consumerKey
        options[.record] = record
        options[.credentials] = credentials
        options[.sessions] = sessions
        if !allowHttp.isEmpty { options[.allowHTTP] = allowHttp.joined(separator: ",") }
        return try Settings(options: options)
    }

    /// The server, with the app's own credentials. The settings name it, else a kept session does.
    /// - Throws: ``CommandFailure``.
    func server(_ talk: TalkOptions) async throws -> IndivoServer {
        try await Connection(settings(), talk).server()
    }

    /// The record that the environment's token or a kept session opens.
    /// - Parameter isOnline: Whether the server will be asked; otherwise no secret needs to be known.
    /// - Throws: ``CommandFailure``, which says how to log in.
    func openRecord(_ talk: TalkOptions, isOnline: Bool = true) async throws -> IndivoRecord {
        try await Connection(settings(), talk).record(isOnline: isOnline)
    }
}
