import Foundation
import Indivo
import IndivoSandbox
import IndivoTesting
import OAuth1
import Synchronization

/// One world of its own: a server on a file, a network that fails before it, and records to which clients
/// write.
final class Epoch: Sendable {
    struct Settings: Sendable {
        var seed: UInt64
        var number: Int
        var folder: String
        var recordCount = 4
        var stepCount = 60
        var deadline = 0.5
    }

    private let settings: Settings
    private let world: World
    /// Changes whose requests met a fault.
    private let faulted: Faulted

    private final class Faulted: Sendable {
        let changes = Mutex<Set<String>>([])
    }

    init(_ settings: Settings) {
        self.settings = settings
        let faulted = Faulted()
        self.faulted = faulted
        world = World(
            FaultPlan(seed: settings.seed, epoch: settings.number),
            folder: settings.folder,
            deadline: settings.deadline,
            server: ["server", settings.folder + "/server.sqlite"],
            faulted: { request in
                if let change = Verification.change(of: request) {
                    faulted.changes.withLock { _ = $0.insert(change) }
                }
            }
        )
    }

    func run() async throws -> Figures {
        try FileManager.default.createDirectory(atPath: settings.folder, withIntermediateDirectories: true)
        let plans = try await prepare()
        let proxy = try world.proxy()
        defer {
            proxy.stop()
            world.stop()
        }
        guard let api = URL(string: "http://127.0.0.1:\(proxy.port)") else { throw SoakFailure("no address") }
        for (number, plan) in plans.enumerated() {
            var plan = plan
            plan.api = api
            plan.recordNumber = number
            faulted.changes.withLock { $0 = [] }
            try await world.runClients(of: number, through: proxy) { try start(plan, as: $0, $1) }
            await proxy.drain()
            let direct = try await world.startServerIfNeeded(proxy)
            var verification = Verification(plan, server: direct, faulted: faulted.changes.withLock { $0 })
            let found = try await verification.run()
            world.figures.withLock { $0 += found }
        }
        return world.figures.withLock { $0 }
    }

    private var database: String { settings.folder + "/server.sqlite" }

    /// Makes the records, and a token for each.
    private func prepare() async throws -> [ClientPlan] {
        let sandbox = try await Sandbox.start(SoakServer.configuration(database)) {
            SandboxApp(
                id: Soak.app,
                name: "Soak",
                consumerSecret: Soak.appSecret,
                startURL: "http://127.0.0.1:1/",
                callbackURL: "http://127.0.0.1:1/"
            )
            SandboxAccount(
                id: "soak@example.org",
                fullName: "Sam Soak",
                password: "soak",
                records: (0..<settings.recordCount).map { .init("Record \($0)", apps: [Soak.app]) }
            )
        }
        var plans: [ClientPlan] = []
        for record in try await sandbox.records() {
            let issued = try await sandbox.issueAccessToken(
                app: Soak.app,
                record: record.id,
                account: "soak@example.org"
            )
            plans.append(
                ClientPlan(
                    api: sandbox.apiURL,
                    record: record.id,
                    token: issued.token,
                    tokenSecret: issued.secret,
                    folder: settings.folder + "/client",
                    seed: settings.seed,
                    epoch: settings.number,
                    recordNumber: 0,
                    stepCount: settings.stepCount,
                    deadline: settings.deadline
                )
            )
        }
        await sandbox.stop()
        return plans
    }

    private func start(_ plan: ClientPlan, as role: World.Role, _ disk: World.DiskPlan) throws -> ChildProcess
    {
        var plan = plan
        plan.role = role
        plan.disk = disk
        let file = settings.folder + "/plan-\(role.rawValue).json"
        try JSONEncoder().encode(plan).write(to: URL(filePath: file))
        return try ChildProcess(["client", file], output: settings.folder + "/accepted-\(plan.recordNumber)")
    }
}
