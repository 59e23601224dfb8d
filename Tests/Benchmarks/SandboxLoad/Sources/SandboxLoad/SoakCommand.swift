import ArgumentParser
import Foundation

/// Whether the sandbox stays right and stays small.
struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Many requests: fails on an error, a wrong answer, or memory that does not level off.",
        discussion: """
            The sandbox is a process of its own and keeps its data in a file, so that its memory is neither \
            the clients' \
            nor what was pushed.
            """
    )

    /// What the HTTP library keeps of a request goes after half a minute: a run has to last for some of them.
    private static let leastTime = Duration.seconds(120)

    @Option(help: "The requests in all, at least; a run takes two minutes at least.")
    var requests = 100_000

    @Option(help: "The clients.")
    var clients = 32

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "indivo-load-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "indivo.sqlite")
        let server = try ServerProcess(.sandbox, records: clients, database: file)
        defer { server.stop() }
        let memory = MemoryTrace(server, step: max(1, requests / 20))
        print("requests   memory of the server   data in its file")
        report(0, memory.first, file)
        let result = try await Load(server: server, clients: clients) { done in
            guard let megabytes = memory.note(done) else { return }
            report(done, megabytes, file)
        }.run(requests: requests, atLeast: SoakCommand.leastTime)
        print(result.summary)
        for problem in result.problems.prefix(10) { print("    \(problem)") }
        print(memory.errorClass)
        if !result.problems.isEmpty || !memory.levelsOff { throw ExitCode.failure }
    }

    private func report(_ done: Int, _ megabytes: Double, _ file: URL) {
        let size = (try? FileManager.default.attributesOfItem(atPath: file.path))?[.size] as? Int ?? 0
        print(String(format: "%8d   %17.1f MB   %13.1f MB", done, megabytes, Double(size) / 1_000_000))
        fflush(nil)
    }
}
