import ArgumentParser
import Foundation

/// How fast the sandbox is, beside a handler that does nothing on the same HTTP library, which is the limit.
struct MeasureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure",
        abstract: "Requests a second, p50 and p99 with 1, 8 and 32 clients."
    )

    @Option(help: "The requests of each run.")
    var requests = 6000

    func run() async throws {
        print("signed requests, nine reads to a write; clients and server share this machine's cores")
        var failures = 0
        for clients in [1, 8, 32] {
            for kind in [ServerProcess.Kind.sandbox, .trivial] {
                let server = try ServerProcess(kind, records: clients)
                defer { server.stop() }
                let result = try await Load(server: server, clients: clients).run(requests: requests)
                failures += result.problems.count
                let name = kind == .sandbox ? "the sandbox        " : "the limit, no work "
                print(String(format: "%2d clients  ", clients) + name + result.summary)
                for problem in result.problems.prefix(5) { print("    \(problem)") }
            }
        }
        if failures > 0 { throw ExitCode.failure }
    }
}
