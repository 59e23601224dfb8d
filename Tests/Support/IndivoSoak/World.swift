import DurableQueue
import Foundation
import IndivoBase
import IndivoTesting
import Synchronization

/// The processes of one world and the network between them: a server that is started anew when it was killed,
/// a proxy before it that lets happen what happens in networks, and clients, which are killed too. A seed
/// determines all of it.
final class World: Sendable {
    /// What goes wrong with a client's disk.
    struct DiskPlan: Codable {
        /// At which step of the disk the client kills itself.
        var death: Int?
        /// At which step it fails, with which error, and whether from then on.
        var fault: Fault?

        struct Fault: Codable {
            var step: Int
            var code: Int32
            var isLasting: Bool
        }
    }

    enum Role: String, Codable {
        /// Queues and delivers.
        case both
        /// Delivers what another process queues at the same time.
        case delivering
    }

    /// After so many runs of a record's clients nothing is killed any more, and after twice as many nothing
    /// fails.
    private static let stormyRuns = 12

    let folder: String
    let figures = Mutex(Figures())
    private let faults: FaultPlan
    private let deadline: Double
    private let server: [String]
    private let faulted: @Sendable (FaultProxy.Request) -> Void
    private let process = Mutex<ChildProcess?>(nil)
    private let client = Mutex<ChildProcess?>(nil)
    private let kill = Mutex<(kill: FaultPlan.Kill, from: Int)?>(nil)
    private let probability = Mutex(0.0)

    /// - Parameters:
    ///   - deadline: Seconds in which clients want a response.
    ///   - server: The arguments of the server's process; it writes its port into the file that follows them.
    ///   - faulted: Called with each request that meets a fault.
    init(
        _ faults: FaultPlan,
        folder: String,
        deadline: Double,
        server: [String],
        faulted: @escaping @Sendable (FaultProxy.Request) -> Void = { _ in }
    ) {
        self.faults = faults
        self.folder = folder
        self.deadline = deadline
        self.server = server
        self.faulted = faulted
    }

    /// The network before the server.
    /// - Parameter seen: Called with each request that a client sent.
    func proxy(seen: @escaping @Sendable (FaultProxy.Request) -> Void = { _ in }) throws -> FaultProxy {
        try FaultProxy(
            to: 0,
            watch: { [weak self] request, point in
                if point == .arrived { seen(request) }
                self?.watch(request, point)
            },
            fault: { [weak self] in self?.fault(of: $0) }
        )
    }

    func stop() { process.withLock { $0 }?.kill() }

    // MARK: Clients

    /// Runs clients of a record, one after the other, until one has finished: everything is delivered or set
    /// aside.
    func runClients(
        of record: Int,
        through proxy: FaultProxy,
        start: (Role, DiskPlan) throws -> ChildProcess
    ) async throws {
        for run in 0..<4 * World.stormyRuns {
            let isStormy = run < World.stormyRuns
            probability.withLock { $0 = isStormy ? 0.45 : run < 2 * World.stormyRuns ? 0.15 : 0 }
            var disk = DiskPlan(fault: isStormy ? faults.diskFault(record: record, run: run) : nil)
            let kill = isStormy ? faults.kill(record: record, run: run) : nil
            if case .diskStep(let step)? = kill?.moment { disk.death = step }
            _ = try await startServerIfNeeded(proxy)
            let companion =
                isStormy && faults.hasCompanion(record: record, run: run)
                ? try start(.delivering, DiskPlan()) : nil
            let end = try await runToEnd(try start(.both, disk), kill, proxy)
            companion?.kill()
            while let companion, companion.end == nil { try await Task.sleep(for: .milliseconds(1)) }
            if companion?.end == .killed { figures.withLock { $0.clientKills += 1 } }
            switch end {
            case .exited(SoakClient.done): return
            case .exited(SoakClient.diskFailed): figures.withLock { $0.diskFaults += 1 }
            case .exited(SoakClient.unfinished), .killed: break
            case .exited(let status): throw SoakFailure("a client of \(folder) ended with status \(status)")
            }
        }
        throw SoakFailure("record \(record) of \(folder) was not finished")
    }

    /// Runs one client to its end, whatever that is; the server is started again when it was killed.
    private func runToEnd(
        _ client: ChildProcess,
        _ kill: FaultPlan.Kill?,
        _ proxy: FaultProxy
    ) async throws -> ChildProcess.End {
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

    // MARK: Server

    private var portFile: String { folder + "/port" }

    /// Starts the server, or starts it anew when it was killed.
    func startServerIfNeeded(_ proxy: FaultProxy) async throws -> URL {
        if let running = process.withLock({ $0 }) {
            switch running.end {
            case nil: return try address()
            case .killed?: figures.withLock { $0.serverKills += 1 }
            case .exited(let status)?: throw SoakFailure("the server ended with status \(status)")
            }
        }
        try? FileManager.default.removeItem(atPath: portFile)
        let started = try ChildProcess(server + [portFile], output: folder + "/server.log")
        process.withLock { $0 = started }
        while !FileManager.default.fileExists(atPath: portFile) {
            // It may be killed before it listens; that is nothing special either.
            if case .killed? = started.end { return try await startServerIfNeeded(proxy) }
            if case .exited(let status)? = started.end {
                throw SoakFailure("the server ended with status \(status)")
            }
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
            guard let now = planned, case .request(let number, let wanted) = now.kill.moment else {
                return false
            }
            return request.number - now.from >= number && point == wanted
        }
        if isDue { strike() }
    }

    private func strike() {
        guard
            let planned = kill.withLock({ planned in
                defer { planned = nil }
                return planned
            })
        else { return }
        if planned.kill.victim != .server { client.withLock { $0 }?.kill() }
        if planned.kill.victim != .client { process.withLock { $0 }?.kill() }
    }

    private func fault(of request: FaultProxy.Request) -> FaultProxy.Fault? {
        let fault = faults.networkFault(
            request.number,
            probability: probability.withLock { $0 },
            delay: .seconds(deadline + 0.1)
        )
        guard let fault else { return nil }
        figures.withLock { $0.faults += 1 }
        faulted(request)
        return fault
    }
}

extension World.DiskPlan {
    /// Lets the disk fail, or the process die, at its step.
    var disk: @Sendable (DiskStep) -> Int32 {
        final class Counter: Sendable { let count = Mutex(0) }
        let counter = Counter()
        return { [death, fault] _ in
            let number = counter.count.withLock { count in
                defer { count += 1 }
                return count
            }
            if number == death { kill(getpid(), SIGKILL) }
            guard let fault, number == fault.step || (fault.isLasting && number > fault.step) else {
                return 0
            }
            return fault.code
        }
    }
}
