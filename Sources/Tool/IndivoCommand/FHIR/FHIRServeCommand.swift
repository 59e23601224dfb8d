import ArgumentParser
import FHIR
import FHIRSandbox
import Foundation
import OrderedJSON
import RecordCommands

struct FHIRServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run a FHIR R4 server for development and tests on this machine.",
        discussion: """
            The REST interface is at /fhir, pages that show patients are at /. Not for real patients' data.

            With a bearer token in the environment variable FHIR_TOKEN, clients need it; \
            a browser asks for it as the password.

            With --smart it is a SMART server too (SMART App Launch 2.2): people log in as demo with the \
            password demo, apps register themselves or are in the file of --apps, and the scopes of their \
            tokens hold. /auth/launch launches an app as a health record does. The file of --apps is JSON:

            {"users": [{"name": "ann", "password": "…", "fhirUser": "Patient/ann"}],
             "apps": [{"client_id": "growth", "redirect_uris": ["http://127.0.0.1:8002/callback"],
                       "launch_url": "http://127.0.0.1:8002/launch"},
                      {"client_id": "uploader", "grant_types": ["client_credentials"],
                       "scope": "system/*.cruds", "jwks": {"keys": […]}}]}
            """
    )

    @Option(help: "The port; 0 for a free one.")
    var port: UInt16 = 8080

    @Option(help: "Listen on this IPv4 address; anything but loopback puts the server on the network.")
    var address = "127.0.0.1"

    @Option(
        help: .value(
            "url",
            "The base URL by which clients on other machines know it, as https://fhir.example.org/fhir."
        )
    )
    var publicURL: String?

    @Option(help: "Keep the resources in this SQLite file; in memory unless given.", completion: .file())
    var database: String?

    @Flag(help: "Be a SMART server: logins, apps, tokens with scopes.")
    var smart = false

    @Option(
        help: "The apps and users of the SMART server, a file of JSON; implies --smart.",
        completion: .file()
    )
    var apps: String?

    @Option(help: .value("seconds", "How long an access token lives."))
    var expiresIn = 300

    @Option(
        parsing: .upToNextOption,
        help: "Store the resources of these files first: single resources and Bundles, in JSON or XML.",
        completion: .file(extensions: ["json", "xml"])
    )
    var load: [String] = []

    @OptionGroup var known: DefinitionOptions

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Refuse resources with errors.",
            discussion:
                "Without validation, what has a known type and a valid id is stored, whatever else it has."
        )
    )
    var validation = true

    @Flag(help: "Print one line of JSON first, for programs.")
    var json = false

    func run() async throws {
        var configuration = FHIRSandboxConfiguration()
        configuration.address = address
        configuration.port = port
        configuration.publicURL = try publicURL.map { text in
            guard let url = URL(string: text) else { throw CommandFailure("“\(text)” is no URL".shown()) }
            return url
        }
        configuration.refusesInvalid = validation
        configuration.definitions = try known.definitions()
        let token = ProcessInfo.processInfo.environment["FHIR_TOKEN"] ?? ""
        configuration.tokens = token.isEmpty ? [] : [token]
        if smart || apps != nil { configuration.smart = try smartConfiguration() }
        if let database { configuration.database = .file(URL(filePath: database)) }
        let sandbox = try await CommandFailure.starting("the server") {
            try await FHIRSandbox.start(configuration)
        }
        do {
            for path in load { try await store(path, in: sandbox) }
        } catch {
            await sandbox.stop()
            throw error
        }
        announce(sandbox)
        await Interrupt.wait()
        await sandbox.stop()
    }

    private func smartConfiguration() throws -> SMARTSandboxConfiguration {
        var configuration = SMARTSandboxConfiguration()
        configuration.accessTokenLifetime = max(1, expiresIn)
        guard let apps else { return configuration }
        do {
            try configuration.add(json: JSONValue(parsing: InputFile(path: apps).read()))
        } catch let error as JSONError {
            throw CommandFailure("\(error)", at: apps + ":")
        } catch let error as FHIRSandboxError {
            throw CommandFailure("\(error)", at: apps + ":")
        }
        return configuration
    }

    private func store(_ path: String, in sandbox: FHIRSandbox) async throws {
        let resource = try ResourceFile.resource(InputFile(path: path))
        do {
            let count = try await sandbox.load(resource)
            StandardStreams.printError(
                "Loaded \(count) \(count == 1 ? "resource" : "resources") of \(path.shown())."
            )
        } catch {
            throw CommandFailure("\(error)", at: path + ":")
        }
    }

    private func announce(_ sandbox: FHIRSandbox) {
        let base = sandbox.baseURL.absoluteString
        let pages = sandbox.pagesURL.absoluteString
        let text =
            """
            A FHIR R4 server, for development and tests only.
              REST     \(base)
              pages    \(pages)
            \(smart || apps != nil ? "  launch   \(pages)auth/launch\n" : "")\
            Try it:    curl \(base)/metadata
            Stop it with Control-C.
            """
        if json {
            print((["base": JSONValue(base), "pages": JSONValue(pages)] as JSONValue).text())
            StandardStreams.printError(text)
        } else {
            print(text)
        }
        // A program that reads this waits for it.
        fflush(nil)
    }
}
