import ArgumentParser
import Foundation
import Indivo
import IndivoSandbox
import ShownText

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show the main job against the embedded sandbox.",
        discussion: """
            Starts a sandbox server on free ports of this machine and does through the library what an app would: logs in, \
            reads medications, adds, replaces and archives one, and is refused with a wrong secret.
            """)

    @Option(help: "Put the SDMX documents of this folder into a new record first, and use that record.", completion: .directory)
    var load: String?

    func run() async throws {
        do {
            let documents = try load.map { try DemoDocuments(folder: URL(filePath: $0)) }
            try await Demo(documents: documents).run()
        } catch let error as ExitCode {
            throw error
        } catch {
            print("The demo stopped: \(error)".shown(keepsLines: true))
            throw ExitCode.failure
        }
    }
}
