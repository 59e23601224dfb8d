import DurableQueue
import Foundation
import HTTPCalls
import IndivoTesting
import OrderedJSON
import StudyDelivery
import Synchronization

/// One world of its own: a study's server that counts, a network that fails before it, and participants who
/// submit.
final class DeliveryEpoch: Sendable {
    private static let participants = 4
    private static let perParticipant = 50
    /// In one world.
    static var submissions: Int { participants * perParticipant }
    private static let deadline = 0.5

    private let seed: UInt64
    private let number: Int
    private let folder: String

    init(seed: UInt64, number: Int, folder: String) {
        self.seed = seed
        self.number = number
        self.folder = folder
    }

    private var uploads: String { folder + "/uploads" }

    func run() async throws -> Figures {
        try FileManager.default.createDirectory(atPath: folder + "/client", withIntermediateDirectories: true)
        let key = try StudyPrivateKey(bits: 2048)
        let world = World(
            FaultPlan(seed: seed, epoch: number),
            folder: folder,
            deadline: Self.deadline,
            server: ["delivery-server", uploads]
        )
        var plan = DeliveryPlan(
            wire: number.isMultiple(of: 2) ? .researchKit : .c3pro,
            server: URL(filePath: "/"),
            subject: UUID(),
            folder: folder + "/client",
            seed: seed,
            epoch: number,
            participant: 0,
            count: Self.perParticipant,
            deadline: Self.deadline
        )
        try Data(key.certificate(subject: "CN=Soak", days: 2).pem.utf8).write(to: plan.certificateFile)
        let search = SecretSearch(["what was planted": plan.planted])
        let onTheWire = Mutex<[String]>([])
        let proxy = try world.proxy { request in
            let found = search.found(in: request.bytes)
            if !found.isEmpty { onTheWire.withLock { $0 += found } }
        }
        defer {
            proxy.stop()
            world.stop()
        }
        guard let server = URL(string: "http://127.0.0.1:\(proxy.port)") else {
            throw SoakFailure("no address")
        }
        plan.server = server
        var verification = DeliveryVerification(uploads: uploads, key: key)
        for participant in 0..<Self.participants {
            plan.participant = participant
            plan.subject = UUID()
            try await world.runClients(of: participant, through: proxy) { try start(plan, as: $0, $1) }
            await proxy.drain()
            try await verification.check(plan, accepted: output(participant))
        }
        try verification.checkNothingElse()
        verification.search(folder, search)
        let wire = onTheWire.withLock { $0 }
        for name in wire { print("seed \(seed), epoch \(number): on the wire: \(name)") }
        var figures = world.figures.withLock { $0 }
        figures += verification.figures
        figures.readable += wire.count
        let log = (try? String(contentsOfFile: folder + "/server.log", encoding: .utf8)) ?? ""
        figures.repeated = log.split(separator: "\n").count { $0.hasPrefix("repeated ") }
        return figures
    }

    private func output(_ participant: Int) -> String { folder + "/accepted-\(participant)" }

    private func start(_ plan: DeliveryPlan, as role: World.Role, _ disk: World.DiskPlan) throws
        -> ChildProcess
    {
        var plan = plan
        plan.role = role
        plan.disk = disk
        let file = folder + "/plan-\(role.rawValue).json"
        try JSONEncoder().encode(plan).write(to: URL(filePath: file))
        return try ChildProcess(["delivery-client", file], output: output(plan.participant))
    }
}
