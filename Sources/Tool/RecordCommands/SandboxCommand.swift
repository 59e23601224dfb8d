import ArgumentParser
import Foundation
import IndivoBase
import IndivoSandbox
import OrderedJSON

struct SandboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox",
        abstract: "Run an Indivo server for development and tests on this machine.",
        discussion: """
            The account is demo, password demo; the app's id and consumer key are demo@apps.example.org, \
            its secret demo-secret. An admin app, admin@apps.example.org with the secret demo-admin-secret, \
            may make accounts and records by the API's own calls; other apps are registered with --app. \
            Not for real patients' data.
            """
    )

    @Option(name: [.long, .customLong("api-port")], help: "The port of the API; 0 for a free one.") var port:
        UInt16 = 8000

    @Option(help: "The port of the pages; 0 for a free one.") var uiPort: UInt16 = 8001

    @Option(
        help: "Use the models of the SDML files in this folder; they are read again when they change.",
        completion: .directory
    )
    var models: String?

    @Option(help: "Load the documents of this folder into a new record.", completion: .directory) var load:
        String?

    @Option(
        help: ArgumentHelp(
            """
            Register the app of this manifest (JSON), under its id as consumer key; \
            may be given several times.
            """,
            discussion: "A secret is made up and printed, unless the manifest has a “consumer_secret”.",
            valueName: "manifest"
        ),
        completion: .json
    )
    var app: [String] = []

    @Option(help: "Listen on this IPv4 address; anything but loopback puts the sandbox on the network.")
    var address = "127.0.0.1"

    @Option(help: "Keep the data in this SQLite file; in memory unless given.", completion: .file())
    var database: String?

    @Flag(help: "Print one line of JSON for programs, and the text for people to standard error.") var json =
        false

    func run() async throws {
        var configuration = SandboxConfiguration()
        configuration.address = address
        configuration.apiPort = port
        configuration.uiPort = uiPort
        configuration.modelFolder = models.map { URL(filePath: $0) }
        configuration.apps = try app.map { try SandboxApp(manifestFile: $0) }
        if let database { configuration.database = .file(URL(filePath: database)) }
        let sandbox = try await CommandFailure.starting("the sandbox") {
            try await Sandbox.start(configuration)
        }
        do {
            if let load { try await self.load(URL(filePath: load), into: sandbox) }
            try await announce(sandbox, apps: configuration.apps)
        } catch {
            await sandbox.stop()
            throw CommandFailure(any: error) ?? CommandFailure("\(error)")
        }
        await Interrupt.wait()
        await sandbox.stop()
    }

    private func load(_ folder: URL, into sandbox: Sandbox) async throws {
        let report = try await sandbox.load(folder: folder)
        StandardStreams.printError(
            "Loaded \(report.storedCount) documents into the record of \(report.record.label)."
        )
        for refused in report.refused {
            StandardStreams.printError("  \(refused.file) is refused: \(refused.reason)")
        }
    }

    private func announce(_ sandbox: Sandbox, apps: [SandboxApp]) async throws {
        let found = try await sandbox.records()
        if json {
            let list: [JSONValue] = found.map { ["id": JSONValue($0.id), "label": JSONValue($0.label)] }
            let summary: JSONValue = [
                "api": JSONValue(sandbox.apiURL.absoluteString),
                "ui": JSONValue(sandbox.uiURL.absoluteString),
                "app_id": JSONValue(SandboxApp.demo.id),
                "consumer_key": JSONValue(SandboxApp.demo.consumerKey),
                "consumer_secret": JSONValue(SandboxApp.demo.consumerSecret), "account": "demo",
                "password": "demo",
                "records": JSONValue(list),
            ]
            print(summary.text(.spacedASCII))
        }
        let records = found.map { "           \($0.id)  \($0.label)".shown() }.joined(separator: "\n")
        let more = apps.map {
            "\n  app      \($0.id), consumer key \($0.consumerKey), secret \($0.consumerSecret)"
        }
        let text = """
            A sandbox Indivo server, for development and tests only.
              API      \(sandbox.apiURL.absoluteString)
              pages    \(sandbox.uiURL.absoluteString)
              login    demo, password demo
              app      \(SandboxApp.demo.id) (also the consumer key), secret \(SandboxApp.demo.consumerSecret)
              admin    \(SandboxMachineApp.demoAdmin.id) (also the consumer key), \
            secret \(SandboxMachineApp.demoAdmin.consumerSecret)\(more.joined())
              records
            \(records)
            Try it:    curl \(sandbox.apiURL.absoluteString)/apps/
            Stop it with Control-C.
            """
        if json { StandardStreams.printError(text) } else { print(text) }
        // A program that reads this waits for it.
        fflush(nil)
    }
}

extension SandboxApp {
    fileprivate init(manifestFile path: String) throws {
        let data = try InputFile(path: path).read()
        let members = try? JSONValue(parsing: data)
        let secret = members?["consumer_secret"]?.string ?? UUID().uuidString.lowercased()
        do {
            try self.init(
                manifest: data,
                consumerKey: members?["consumer_key"]?.string,
                consumerSecret: secret
            )
        } catch {
            throw CommandFailure("\(error)", at: path + ":")
        }
    }
}
