import ArgumentParser
import FHIRClient
import Foundation
import IndivoBase
import SMARTLaunch

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

    @Option(help: "The client's id, as it is registered with the server.")
    var clientID: String

    @Option(help: "What to ask for, with blanks between the scopes.")
    var scope = "openid fhirUser launch/patient offline_access patient/*.rs"

    @Option(help: "Where the browser comes back to, exactly as it is registered.")
    var redirectURI = "http://127.0.0.1:8002/callback"

    @OptionGroup var connection: FHIRConnectionOptions

    func run() async throws {
        guard let redirect = URL(string: redirectURI) else {
            throw CommandFailure("“\(redirectURI)” is no URL".shown())
        }
        let server = try connection.server(
            SMARTApp(
                id: clientID,
                redirectURI: redirect,
                scopes: [SMARTScope](parsing: scope),
                authentication: FHIRConnectionOptions.clientAuthentication
            )
        )
        do {
            let launch = try await server.launch { page in
                connection.talk.note("Open this page in a browser:")
                try StandardStreams.say(page.absoluteString)
                fflush(nil)
                connection.talk.note(
                    "Waiting for the browser to come back to \(redirectURI). Control-C ends it."
                )
            }
            try await launch.keep()
            let patient = launch.context.patient.map { ", patient \($0)" } ?? ""
            connection.talk.note("You are logged in\(patient). Granted: \(launch.scopes.text)".shown())
        } catch let error as SMARTError {
            throw CommandFailure("\(error)".inToolsWords, status: .refused)
        }
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
            connection.talk.note("There is no session to forget.")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        do {
            try await launch.logOut()
        } catch let error as SMARTError {
            throw CommandFailure("\(error)".inToolsWords, status: .refused)
        }
        connection.talk.note("Logged out.")
    }
}

extension FHIRConnectionOptions {
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
