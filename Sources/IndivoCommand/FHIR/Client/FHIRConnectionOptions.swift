import ArgumentParser
import FHIRClient
import Foundation
import Logging
import SecretText
import ShownText

/// Which FHIR server a command is about. The token comes from the environment, never from arguments.
struct FHIRConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The base URL of the FHIR server (FHIR_BASE).", valueName: "url"))
    var base: String?

    @Option(
        help: ArgumentHelp(
            "A host that may be asked without TLS, by everybody's leave on the way.", valueName: "host"))
    var allowHttp: [String] = []

    @OptionGroup var talk: TalkOptions

    /// The client of the server, with the token of the environment.
    /// - Throws: ``CommandFailure``, `FHIRClientError`.
    func client() throws -> FHIRClient { try Self.client(base: base, allowHTTP: allowHttp, talk: talk) }

    /// The client of a server, for commands that have other options of their own.
    /// - Throws: ``CommandFailure``, `FHIRClientError`.
    static func client(base: String?, allowHTTP: [String], talk: TalkOptions) throws -> FHIRClient {
        let environment = ProcessInfo.processInfo.environment
        guard let text = base ?? environment["FHIR_BASE"], !text.isEmpty else {
            throw CommandFailure(
                "the base URL of the FHIR server is missing; give it with --base or in FHIR_BASE, as https://fhir.example.org/r4")
        }
        guard let url = URL(string: text) else { throw CommandFailure("“\(text)” is no URL".shown()) }
        let token = environment["FHIR_TOKEN"].flatMap { $0.isEmpty ? nil : Secret($0) }
        return try FHIRClient(
            base: url, authorization: EnvironmentAuthorization(bearer: token), logger: logger(talk),
            options: FHIRClient.Options(plainHTTPHosts: Set(allowHTTP)))
    }

    private static func logger(_ talk: TalkOptions) -> Logger {
        var logger = Logger(label: "fhir", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = talk.verbose ? .debug : .critical
        return logger
    }
}

/// The token of the environment, or none.
private struct EnvironmentAuthorization: FHIRAuthorization {
    let bearer: Secret?
    func token() async throws -> Secret? { bearer }
    func token(after refused: Secret?) async throws -> Secret? { nil }
}

/// What FHIR's commands have in common in their help.
enum FHIRClientHelp {
    static let connection = """
        The server is named by --base or FHIR_BASE; a bearer token is read from FHIR_TOKEN. \(ExitStatus.help)
        """
}
