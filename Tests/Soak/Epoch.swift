import Foundation
import Indivo
import IndivoSandbox
import IndivoTesting
import OAuth1
import Synchronization

/// One world of its own: a server on a file, a network that fails before it, and records to which clients write.
final class Epoch: Sendable {
    struct Settings: Sendable {
        var seed: UInt64
        var number: Int
        var folder: String
        var recordCount = 4
        var stepCount = 60
        var deadline = 0.5
    }

    /// After so many runs of a record's clients nothing is killed any more, and after twice as many nothing fails.
    private static let stormyRuns = 12

    private let settings: Settings
    private let faults: FaultPlan
    private let server = Mutex<ChildProcess?>(nil)
    private let client = Mutex<ChildProcess?>(nil)
    private let kill = Mutex<(kill: FaultPlan.Kill, from: Int)?>(nil)
    private let probability = Mutex(0.0)
    private let figures = Mutex(Figures())
    /// Changes whose requests met a fault.
    private let faulted = Mutex<Set<String>>([])

    init(_ settings: Settings) {
        self.settings = settings
        faults = FaultPlan(seed: settings.seed, epoch: settings.number)
    }

    func run() async throws -> Figures {
        try FileManager.default.createDirectory(atPath: settings.folder, withIntermediateDirectories: true)
        let plans = try await prepare()
        let proxy = try FaultProxy(
            to: 0, watch: { [weak self] in self?.watch($0, $1) }, fault: { [weak self] in self?.fault(of: $0) })
        defer {
            proxy.stop()
            server.withLock { $0 }?.kill()
        }
        guard let api = URL(string: "http://127.0.0.1:\(proxy.port)") else { throw SoakFailure("no address") }
        for (number, plan) in plans.enumerated() {
            var plan = plan
            plan.api = api
            plan.recordNumber = number
            faulted.withLock { $0 = [] }
            try await write(plan, through: proxy)
            await proxy.drain()
            let direct = try await startServerIfNeeded(proxy)
            let faultedChanges = faulted.withLock { $0 }
            var verification = Verification(plan, server: direct, faulted: faultedChanges)
            let found = try await verification.run()
            figures.withLock { $0 += found }
        }
        return figures.withLock { $0 }
    }

    private var database: String { settings.folder + "/server.sqlite" }
    private var portFile: String { settings.folder + "/port" }

    /// Makes the records, and a token for each.
    private func prepare() async throws -> [ClientPlan] {
        let sandbox = try await Sandbox.start(SoakServer.configuration(database)) {
            SandboxApp(
                id: Soak.app, name: "Soak", consumerSecret: Soak.appSecret, startURL: "http://127.0.0.1:1/",
                callbackURL: "http://127.0.0.1:1/")
            SandboxAccount(
                id: "soak@example.org", fullName: "Sam Soak", password: "soak",
                records: (0..<settings.recordCount).map { .init("Record \($0)", apps: [Soak.app]) })
        }
        var plans: [ClientPlan] = []
        for record in try await sandbox.records() {
            let issued = try await sandbox.issueAccessToken(app: Soak.app, record: record.id, account: "soak@example.org")
            plans.append(
                ClientPlan(
                    api: sandbox.apiURL, record: record.id, token: issued.token, tokenSecret: issued.secret,
                    folder: settings.folder + "/client", seed: settings.seed, epoch: settings.number, recordNumber: 0,
                    stepCount: settings.stepCount, deadline: settings.deadline))
        }
        await sandbox.stop()
        return plans
    }

    /// Runs clients of a record, one after the other, until everything is delivered or set aside.
    private func write(_ plan: ClientPlan, through proxy: FaultProxy) async throws {
        for run in 0..<4 * Epoch.stormyRuns {
            let isStormy = run < Epoch.stormyRuns
            probability.withLock { $0 = isStormy ? 0.45 : run < 2 * Epoch.stormyRuns ? 0.15 : 0 }
            var plan = plan
            plan.diskFault = isStormy ? faults.diskFault(record: plan.recordNumber, run: run) : nil
            let kill = isStormy ? faults.kill(record: plan.recordNumber, run: run) : nil
            if case .diskStep(let step)? = kill?.moment { plan.deathAtDiskStep = step }
            _ = try await startServerIfNeeded(proxy)
            let companion = isStormy && faults.hasCompanion(record: plan.recordNumber, run: run)
                ? try start(plan, as: .delivering) : nil
            let end = try await runClient(plan, kill, proxy)
            companion?.kill()
            while let companion, companion.end == nil { try await Task.sleep(for: .milliseconds(1)) }
            if companion?.end == .killed { figures.withLock { $0.clientKills += 1 } }
            switch end {
            case .exited(SoakClient.done): return
            case .exited(SoakClient.diskFailed): figures.withLock { $0.diskFaults += 1 }
            case .exited(SoakClient.unfinished), .killed: break
            case .exited(let status): throw SoakFailure("a client of epoch \(settings.number) ended with status \(status)")
            }
        }
        throw SoakFailure("record \(plan.recordNumber) of epoch \(settings.number) was not finished")
    }

    private func start(_ plan: ClientPlan, as role: ClientPlan.Role) throws -> ChildProcess {
        var plan = plan
        plan.role = role
        if role == .delivering {
            plan.deathAtDiskStep = nil
            plan.diskFault = nil
        }
        let file = settings.folder + "/plan-\(role.rawValue).json"
        try JSONEncoder().encode(plan).write(to: URL(filePath: file))
        return try ChildProcess(["client", file], output: settings.folder + "/accepted-\(plan.recordNumber)")
    }

    /// Runs one client to its end, whatever that is; the server is started again when it was killed.
    private func runClient(
        _ plan: ClientPlan, _ kill: FaultPlan.Kill?, _ proxy: FaultProxy
    ) async throws -> ChildProcess.End {
        let client = try start(plan, as: .both)
        self.client.withLock { $0 = client }
        self.kill.withLock { $0 = kill.map { ($0, proxy.requestCount) } }
        let begin = ContinuousClock.now
        defer { self.kill.withLock { $0 = nil } }
        while true {
            if let end = client.end {
                if end == .killed { figures.withLock { $0.clientKills += 1 } }
                return end
            }
            if case .time(let duration)? = kill?.moment, ContinuousClock.now - begin >= duration { strike() }
            _ = try await startServerIfNeeded(proxy)
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Starts the server, or starts it anew when it was killed.
    private func startServerIfNeeded(_ proxy: FaultProxy) async throws -> URL {
        if let running = server.withLock({ $0 }) {
            switch running.end {
            case nil: return try address()
            case .killed?: figures.withLock { $0.serverKills += 1 }
            case .exited(let status)?: throw SoakFailure("the server ended with status \(status)")
            }
        }
        try? FileManager.default.removeItem(atPath: portFile)
        let process = try ChildProcess(["server", database, portFile], output: settings.folder + "/server.log")
        server.withLock { $0 = process }
        while !FileManager.default.fileExists(atPath: portFile) {
            // It may be killed before it listens; that is nothing special either.
            if case .killed? = process.end { return try await startServerIfNeeded(proxy) }
            if case .exited(let status)? = process.end { throw SoakFailure("the server ended with status \(status)") }
            try await Task.sleep(for: .milliseconds(2))
        }
        let address = try address()
        proxy.redirect(to: UInt16(address.port ?? 0))
        return address
    }

    private func address() throws -> URL {
        let port = try String(contentsOfFile: portFile, encoding: .utf8)
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw SoakFailure("no port: \(port)") }
        return url
    }

    // MARK: Called by the proxy

    private func watch(_ request: FaultProxy.Request, _ point: FaultProxy.Point) {
        let isDue = kill.withLock { planned in
            guard let now = planned, case .request(let number, let wanted) = now.kill.moment else { return false }
            return request.number - now.from >= number && point == wanted
        }
        if isDue { strike() }
    }

    private func strike() {
        guard let planned = kill.withLock({ planned in
            defer { planned = nil }
            return planned
        }) else { return }
        if planned.kill.victim != .server { client.withLock { $0 }?.kill() }
        if planned.kill.victim != .client { server.withLock { $0 }?.kill() }
    }

    private func fault(of request: FaultProxy.Request) -> NetworkFault? {
        let fault = faults.networkFault(
            request.number, probability: probability.withLock { $0 },
            delay: .seconds(settings.deadline + 0.1))
        guard let fault else { return nil }
        figures.withLock { $0.faults += 1 }
        if let change = Verification.change(of: request) { faulted.withLock { _ = $0.insert(change) } }
        return fault
    }
}
