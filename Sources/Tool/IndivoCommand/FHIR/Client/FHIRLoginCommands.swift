import ArgumentParser
import FHIRClient
import Foundation
import IndivoBase
import RecordCommands

struct FHIRLoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in to a FHIR server in a browser (SMART App Launch), and keep the session.",
        discussion: """
            indivo fhir login --base https://fhir.example.org/r4 --client-id growth
            indivo fhir search Observation --base https://fhir.example.org/r4

            Prints the address of the page where to log in, and waits until the browser comes back to this \
            machine. The session is kept in a file that only you can read, and refreshed and used by every \
            fhir command for that server, until “indivo fhir logout”; FHIR_TOKEN takes precedence. The \
            secret of a confidential client comes from FHIR_CLIENT_SECRET.
            """
    )

    @OptionGroup var app: SMARTAppOptions

    @Option(help: "Where the browser comes back to, exactly as it is registered.")
    var redirectURI = SMARTAppOptions.redirectURI

    @OptionGroup var connection: FHIRConnectionOptions

    func run() async throws {
        _ = try await connection.logIn(
            app.app(redirectURI: redirectURI, scope: SMARTAppOptions.readingScope)
        ) { page in
            try StandardStreams.say(page.absoluteString)
            fflush(nil)
        }
    }
}

/// The app that a login is for.
struct SMARTAppOptions: ParsableArguments {
    /// What is asked for to read.
    static let readingScope = "openid fhirUser launch/patient offline_access patient/*.rs"
    /// What is asked for to read, and to store what a survey extracts.
    static let writingScope = "openid fhirUser launch/patient offline_access patient/*.crus"
    static let redirectURI = "http://127.0.0.1:8002/callback"

    @Option(help: "The client's id, as it is registered with the server; needed for a login.")
    var clientID: String?

    @Option(
        help: .value(
            "scopes",
            "What to ask for, with blanks between the scopes; by default to read the patient's data."
        )
    )
    var scope: String?

    /// - Parameter usual: What is asked for where nothing is said.
    /// - Throws: ``CommandFailure`` where the client's id is missing.
    func app(redirectURI: String, scope usual: String) throws -> SMARTApp {
        guard let redirect = URL(string: redirectURI) else {
            throw CommandFailure("“\(redirectURI)” is no URL".shown())
        }
        return try app(redirectURI: redirect, scope: usual)
    }

    func app(redirectURI: URL, scope usual: String) throws -> SMARTApp {
        guard let clientID, !clientID.isEmpty else {
            throw CommandFailure(
                "a login needs the client's id, as it is registered with the server; give it with --client-id"
            )
        }
        return SMARTApp(
            id: clientID,
            redirectURI: redirectURI,
            scopes: [SMARTScope](parsing: scope ?? usual),
            authentication: FHIRConnectionOptions.clientAuthentication
        )
    }
}

struct FHIRLogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Forget the session with a FHIR server, and have the server revoke its tokens."
    )

    @OptionGroup var connection: FHIRConnectionOptions

    func run() async throws {
        guard let launch = try connection.keptLaunch() else {
            connection.console.note("There is no session to forget.")
            throw ExitCode.nothingFound
        }
        do {
            try await launch.logOut()
        } catch let error as SMARTError {
            throw CommandFailure("\(error)".inToolsWords, status: .refused)
        }
        connection.console.note("Logged out.")
    }
}

extension FHIRConnectionOptions {
    /// Logs in by the browser, which comes back to this machine, and keeps the session.
    /// - Parameter show: Gets the page where a person logs in.
    /// - Throws: ``CommandFailure``.
    func logIn(_ app: SMARTApp, show: (URL) throws -> Void) async throws -> SMARTLaunch {
        let server = try server(app)
        do {
            let launch = try await server.launch { page in
                console.note("Open this page in a browser:")
                try show(page)
                console.note("Waiting for the browser to come back to \(app.redirectURI). Control-C ends it.")
            }
            try await launch.keep()
            let patient = launch.context.patient.map { ", patient \($0)" } ?? ""
            console.note("You are logged in\(patient). Granted: \(launch.scopes.text)".shown())
            return launch
        } catch let error as SMARTError {
            throw CommandFailure("\(error)".inToolsWords, status: .refused)
        }
    }

    /// The client of a launch.
    /// - Throws: `FHIRClientError`.
    func client(of launch: SMARTLaunch) throws -> FHIRClient {
        let options = FHIRClient.Options(plainHTTPHosts: Set(allowHttp))
        return try FHIRClient(launch, logger: Self.logger(console), options: options)
    }

    /// The server with SMART.
    /// - Throws: ``CommandFailure``.
    func server(_ app: SMARTApp) throws -> SMARTServer {
        try Self.server(Self.url(base), app, allowHTTP: allowHttp)
    }

    /// The launch that ``FHIRLoginCommand`` kept for the server; nil without one.
    /// - Throws: ``CommandFailure``.
    func keptLaunch() throws -> SMARTLaunch? { try Self.keptLaunch(Self.url(base), allowHTTP: allowHttp) }

    static func keptLaunch(_ base: URL, allowHTTP: [String]) throws -> SMARTLaunch? {
        let store: FileSessionStore<SMARTSession> = .standard
        let kept: SMARTSession?
        do { kept = try store.sessions().last { $0.isFor(base) } } catch {
            throw CommandFailure("\(error)".inToolsWords)
        }
        guard let kept else { return nil }
        let app = SMARTApp(
            id: kept.clientID,
            redirectURI: base,
            scopes: kept.scopes,
            authentication: clientAuthentication
        )
        return try server(base, app, allowHTTP: allowHTTP).launch(of: kept)
    }

    private static func server(_ base: URL, _ app: SMARTApp, allowHTTP: [String]) throws -> SMARTServer {
        do {
            return try SMARTServer(
                base: base,
                app: app,
                options: SMARTServer.Options(plainHTTPHosts: Set(allowHTTP))
            )
        } catch {
            throw CommandFailure("\(error)".inToolsWords)
        }
    }

    /// The secret of the environment, or none.
    static var clientAuthentication: SMARTApp.Authentication {
        guard let secret = ProcessInfo.processInfo.environment["FHIR_CLIENT_SECRET"], !secret.isEmpty else {
            return .none
        }
        return .secret(Secret(secret))
    }
}
