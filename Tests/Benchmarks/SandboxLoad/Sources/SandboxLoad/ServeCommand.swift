import ArgumentParser
import FlyingFox
import FlyingSocks
import Foundation
import IndivoSandbox

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The server's end: started by the other commands, until it is told to end.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)

    @Argument(transform: { text in
        guard let kind = ServerProcess.Kind(rawValue: text) else {
            throw ValidationError("sandbox or trivial")
        }
        return kind
    })
    var kind: ServerProcess.Kind

    @Option var records = 1
    @Option var database: String?

    func run() async throws {
        switch kind {
        case .sandbox: try await serveSandbox()
        case .trivial: try await serveTrivial()
        }
    }

    private func greet(_ greeting: ServerProcess.Greeting) throws {
        print(String(decoding: try JSONEncoder().encode(greeting), as: UTF8.self))
        fflush(nil)
    }

    private func serveSandbox() async throws {
        var configuration = SandboxConfiguration()
        if let database { configuration.database = .file(URL(fileURLWithPath: database)) }
        let records = records
        let sandbox = try await Sandbox.start(configuration) {
            SandboxApp.demo
            for number in 0..<records {
                SandboxAccount(
                    id: "person\(number)@example.org",
                    fullName: "Person \(number)",
                    password: "p",
                    records: [.init("Person \(number)", documents: Workload.history)]
                )
            }
        }
        var accesses: [ServerProcess.Access] = []
        for record in try await sandbox.records() {
            let issued = try await sandbox.issueAccessToken(
                app: SandboxApp.demo.id,
                record: record.id,
                account: record.owner
            )
            accesses.append(.init(record: record.id, token: issued.token, secret: issued.secret))
        }
        try greet(.init(port: sandbox.apiURL.port ?? 0, accesses: accesses))
        try await Task.sleep(for: .seconds(86_400))
    }

    private func serveTrivial() async throws {
        let server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: 0),
            pool: NoDelayPool(),
            logger: .disabled,
            handler: ClosureHTTPHandler { _ in HTTPResponse(statusCode: .ok, body: Data("2.0.0".utf8)) }
        )
        let running = Task { try await server.run() }
        try await server.waitUntilListening()
        guard case .ip4(_, let port) = await server.listeningAddress else { return }
        try greet(
            .init(
                port: Int(port),
                accesses: (0..<records).map { _ in .init(record: "r", token: "t", secret: "s") }
            )
        )
        try await running.value
    }
}

/// FlyingFox's own pool, with TCP_NODELAY: without it each answer waits for the client's delayed
/// acknowledgement.
private struct NoDelayPool: AsyncSocketPool {
    private let base: any AsyncSocketPool = HTTPServer.defaultPool()

    func prepare() async throws { try await base.prepare() }
    func run() async throws { try await base.run() }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        if (try? socket.remotePeer()) != nil {
            try? socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
        }
        try await base.suspendSocket(socket, untilReadyFor: events)
    }
}
