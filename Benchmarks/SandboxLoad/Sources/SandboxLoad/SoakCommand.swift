import ArgumentParser
import Foundation

/// Whether the sandbox stays right and stays small.
struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Many requests: fails on an error, a wrong answer, or memory that does not level off.",
        discussion: "The sandbox keeps its data in a file here, so that its memory is not what was pushed.")

    @Option(help: "The requests in all.")
    var requests = 100_000

    @Option(help: "The clients.")
    var clients = 32

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "indivo-load-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try ServerProcess(.sandbox, records: clients, database: folder.appending(path: "indivo.sqlite"))
        defer { server.stop() }
        let memory = MemoryTrace(server, step: max(1, requests / 20))
        print("memory after 0 requests: \(memory.first) MB")
        let result = try await Load(server: server, clients: clients) { done in
            guard let megabytes = memory.note(done) else { return }
            print("memory after \(done) requests: \(megabytes) MB")
            fflush(nil)
        }.run(requests: requests)
        print(result.summary)
        for problem in result.problems.prefix(10) { print("    \(problem)") }
        print(memory.verdict)
        if !result.problems.isEmpty || !memory.levelsOff { throw ExitCode.failure }
    }
}
