import Foundation
import IndivoSandbox
import Logging

/// The server process: a sandbox on a file, which writes its port into another file once it listens.
enum SoakServer {
    static func run(database: String, portFile: String) async throws {
        let sandbox = try await Sandbox.start(configuration(database))
        try Data("\(sandbox.apiURL.port ?? 0)".utf8).write(to: URL(filePath: portFile), options: .atomic)
        // Until it is killed.
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    static func configuration(_ database: String) -> SandboxConfiguration {
        var configuration = SandboxConfiguration()
        configuration.database = .file(URL(filePath: database))
        configuration.demoData = false
        configuration.logger = Logger(label: "soak") { _ in SwiftLogNoOpLogHandler() }
        return configuration
    }
}
