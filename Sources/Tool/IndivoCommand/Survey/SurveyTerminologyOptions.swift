import ArgumentParser
import FHIRClient
import Foundation
import RecordCommands
import Surveys

/// Which terminology servers a command may ask for value sets.
struct SurveyTerminologyOptions: ParsableArguments {
    @Option(
        name: .customLong("terminology"),
        help: .value(
            "url",
            """
            A terminology server that may be asked for value sets where the questionnaire prefers it; the \
            first is asked also for what it has no preference for. May be given several times.
            """
        )
    )
    var servers: [String] = []

    @Option(
        name: .customLong("terminology-cache"),
        help: .value(
            "folder",
            "Keep what terminology servers say in this folder, for a week."
        ),
        completion: .directory
    )
    var cache: String?

    /// The servers; without one the given client's.
    ///
    /// - Parameter connection: Which hosts may be used without TLS, and what is told.
    /// - Throws: ``CommandFailure``, `FHIRClientError`.
    func terminology(_ connection: FHIRConnectionOptions, own: FHIRClient) throws -> SurveyTerminology {
        try terminology(connection) ?? SurveyTerminology(own, cache: folder)
    }

    /// The servers, the first of which is asked where the questionnaire has no preference; nil without one.
    ///
    /// - Throws: ``CommandFailure``, `FHIRClientError`.
    func terminology(_ connection: FHIRConnectionOptions) throws -> SurveyTerminology? {
        let clients = try clients(connection)
        return clients.first.map { SurveyTerminology($0, cache: folder, allowed: clients) }
    }

    private var folder: URL? { cache.map { URL(filePath: $0, directoryHint: .isDirectory) } }

    /// Clients without credentials: those of the record are the record's.
    private func clients(_ connection: FHIRConnectionOptions) throws -> [FHIRClient] {
        try servers.map { address in
            guard let url = URL(string: address) else {
                throw CommandFailure("“\(address)” is no URL".shown())
            }
            return try FHIRClient(
                base: url,
                logger: FHIRConnectionOptions.logger(connection.console),
                options: FHIRClient.Options(plainHTTPHosts: Set(connection.allowHttp))
            )
        }
    }
}
