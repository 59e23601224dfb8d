#if Tool && Sandbox
import ArgumentParser
import Foundation
import IndivoSandbox

struct SandboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox",
        abstract: "Run an Indivo server for development and tests on this machine.",
        discussion: """
            The account is demo, password demo; the app's id and consumer key are demo@apps.example.org, its secret \
            demo-secret. Not for real patients' data.
            """)

    @Option(name: [.long, .customLong("api-port")], help: "The port of the API; 0 for a free one.")
    var port: UInt16 = 8000

    @Option(help: "The port of the pages; 0 for a free one.")
    var uiPort: UInt16 = 8001

    @Option(help: "Know the models of the SDML files in this folder; read again when they change.", completion: .directory)
    var models: String?

    @Option(help: "Load the documents of this folder into a new record.", completion: .directory)
    var load: String?

    @Option(help: "Keep the data in this SQLite file; in memory unless given.", completion: .file())
    var database: String?

    @Flag(help: "Print one line of JSON first, for programs.")
    var json = false

    func run() async throws {
        var configuration = SandboxConfiguration()
        configuration.apiPort = port
        configuration.uiPort = uiPort
        configuration.modelFolder = models.map { URL(filePath: $0) }
        if let database { configuration.database = .file(URL(filePath: database)) }
        let sandbox: Sandbox
        do {
            sandbox = try await Sandbox.start(configuration)
        } catch {
            throw failure("The sandbox cannot start: \(error)")
        }
        do {
            if let load { try await self.load(URL(filePath: load), into: sandbox) }
            try await announce(sandbox)
        } catch {
            await sandbox.stop()
            throw failure("\(error)")
        }
        await Interrupt.wait()
        await sandbox.stop()
    }

    private func load(_ folder: URL, into sandbox: Sandbox) async throws {
        let report = try await sandbox.load(folder: folder)
        note("Loaded \(report.storedCount) documents into the record of \(report.record.label).")
        for refused in report.refused { note("  \(refused.file) is refused: \(refused.reason)") }
    }

    private func announce(_ sandbox: Sandbox) async throws {
        let summary = try await sandbox.summary()
        if json { print(summary.json) }
        let records = summary.records.map { "           \($0.id)  \($0.label)" }.joined(separator: "\n")
        print(
            """
            A sandbox Indivo server, for development and tests only.
              API      \(summary.api.absoluteString)
              pages    \(summary.ui.absoluteString)
              login    \(summary.account), password \(summary.account)
              app      \(summary.app.id) (also the consumer key), secret \(summary.app.consumerSecret)
              records
            \(records)
            Try it:    curl \(summary.api.absoluteString)/version
            Stop it with Control-C.
            """)
        // A program that reads this waits for it.
        fflush(nil)
    }

    private func failure(_ message: String) -> ExitCode {
        note(message)
        return .failure
    }

    private func note(_ message: String) {
        FileHandle.standardError.write(Data((message + "\n").utf8))
    }
}
#endif
