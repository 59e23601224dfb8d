import ArgumentParser
import FHIR
import FHIRClient
import Foundation
import IndivoBase
import Logging
import RecordCommands

/// Which FHIR server a command is about. The token comes from the environment, never from arguments.
struct FHIRConnectionOptions: ParsableArguments {
    @Option(help: .value("url", "The base URL of the FHIR server (FHIR_BASE)."))
    var base: String?

    @Option(
        help: .value(
            "host",
            "A host to use without TLS; everybody on the way can read what is sent."
        )
    )
    var allowHttp: [String] = []

    @OptionGroup var console: MessageOptions

    /// The client of the server, with the token of the environment.
    /// - Throws: ``CommandFailure``, `FHIRClientError`.
    func client() throws -> FHIRClient { try Self.client(base: base, allowHTTP: allowHttp, console: console) }

    /// The client of a server, for commands that have other options of their own.
    /// - Throws: ``CommandFailure``, `FHIRClientError`.
    static func client(base: String?, allowHTTP: [String], console: MessageOptions) throws -> FHIRClient {
        let url = try url(base)
        let token = ProcessInfo.processInfo.environment["FHIR_TOKEN"].flatMap {
            $0.isEmpty ? nil : Secret($0)
        }
        let options = FHIRClient.Options(plainHTTPHosts: Set(allowHTTP))
        if token == nil, let launch = try keptLaunch(url, allowHTTP: allowHTTP) {
            return try FHIRClient(launch, logger: logger(console), options: options)
        }
        return try FHIRClient(
            base: url,
            authorization: EnvironmentAuthorization(bearer: token),
            logger: logger(console),
            options: options
        )
    }

    /// The base URL of the argument or the environment.
    /// - Throws: ``CommandFailure``.
    static func url(_ base: String?) throws -> URL {
        guard let text = base ?? ProcessInfo.processInfo.environment["FHIR_BASE"], !text.isEmpty else {
            throw CommandFailure(
                """
                the base URL of the FHIR server is missing; give it with --base or in FHIR_BASE, as \
                https://fhir.example.org/r4
                """
            )
        }
        guard let url = URL(string: text) else { throw CommandFailure("“\(text)” is no URL".shown()) }
        return url
    }

    static func logger(_ console: MessageOptions) -> Logger {
        var logger = Logger(label: "fhir", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = console.verbose ? .debug : .critical
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
        The server is named by --base or FHIR_BASE; a bearer token is read from FHIR_TOKEN, or “indivo fhir \
        login” keeps a session. \(ExitStatus.help)
        """
}

/// `Patient`, `Patient/7` or `Patient/7/_history/2`, as an argument.
struct FHIRAddress: ExpressibleByArgument {
    let type: String
    let id: String?
    let version: String?

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard [1, 2, 4].contains(parts.count), parts.allSatisfy({ !$0.isEmpty }),
            parts.count < 4 || parts[2] == "_history",
            parts[0].first?.isLetter == true
        else { return nil }
        type = parts[0]
        id = parts.count > 1 ? parts[1] : nil
        version = parts.count == 4 ? parts[3] : nil
    }

    /// Its id.
    /// - Throws: ``CommandFailure`` where it has none.
    func requiredID() throws -> String {
        guard let id else { throw CommandFailure("name the resource by type and id, as in \(type)/7") }
        return id
    }
}

extension CommandFailure {
    /// What the tool says of an interaction that failed, with the server's own words.
    ///
    /// - Parameter hints: What may be wrong with the request, a line each.
    init(_ error: FHIRClientError, hints: [String] = []) {
        let issues = error.outcome?.issue.map { "\n  \($0.message)" }.joined() ?? ""
        let next = Self.nextCommand(after: error).map { "\nnext: \($0)" } ?? ""
        let hints = hints.map { "\nhint: \($0)" }.joined()
        self.init("\(error)".inToolsWords + issues + hints + next, status: ExitStatus(error))
    }

    private static func nextCommand(after error: FHIRClientError) -> String? {
        switch error.reason {
        case .notFound where error.outcome == nil, .notSupported where error.outcome == nil:
            // A FHIR server explains itself; what answers without an OperationOutcome is probably not one.
            "the FHIR API may be under another path of the server, such as /fhir; check the base URL with "
                + "“indivo fhir capabilities”"
        case .notReachable, .timedOut, .malformedResponse:
            "check the base URL with “indivo fhir capabilities”"
        case .unauthorized, .forbidden:
            "“indivo fhir login”, or set FHIR_TOKEN to a token that the server takes"
        case .notSupported: "“indivo fhir capabilities” says what the server supports"
        case .invalid where error.interaction.hasPrefix("search"):
            "“indivo fhir capabilities” lists the search parameters of each type"
        case .invalid: "“indivo fhir check FILE” says what is wrong with a resource"
        case .conflict, .preconditionFailed: "“indivo fhir history TYPE/ID” lists the versions"
        default: nil
        }
    }
}

extension ExitStatus {
    /// What an error of an interaction means to the shell.
    fileprivate init(_ error: FHIRClientError) {
        self =
            switch error.reason {
            case .badArgument: .wrongUse
            case .notReachable, .timedOut, .responseLost: .notReached
            case .notFound, .deleted, .cancelled: .nothingFound
            default: .refused
            }
    }
}
