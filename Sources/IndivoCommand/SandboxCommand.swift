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
            demo-secret, its start page http://127.0.0.1:8002/start. Not for real patients' data.
            """)

    @Option(help: "The port of the API; 0 for a free one.")
    var apiPort: UInt16 = 8000

    @Option(help: "The port of the pages; 0 for a free one.")
    var uiPort: UInt16 = 8001

    @Option(help: "Keep the data in this SQLite file; in memory unless given.", completion: .file())
    var database: String?

    func run() async throws {
        var configuration = SandboxConfiguration()
        configuration.apiPort = apiPort
        configuration.uiPort = uiPort
        if let database { configuration.database = .file(URL(filePath: database)) }
        let sandbox: Sandbox
        do {
            sandbox = try await Sandbox.start(configuration)
        } catch {
            print("The sandbox cannot start: \(error)")
            throw ExitCode.failure
        }
        print(
            """
            A sandbox Indivo server, for development and tests only.
              API    \(sandbox.apiURL)
              pages  \(sandbox.uiURL)
              login  demo, password demo
              app    demo@apps.example.org (also the consumer key), secret demo-secret
            Stop it with Control-C.
            """)
        await Interrupt.wait()
        await sandbox.stop()
    }
}
#endif
