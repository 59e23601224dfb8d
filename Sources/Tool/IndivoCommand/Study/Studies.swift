import Foundation
import RecordCommands
import StudyServer

/// What a configuration of several studies asks for.
struct StudiesPlan: Sendable {
    var title = "Studies"
    var studies: [(name: StudyName, plan: StudyUpPlan)] = []
    /// How it listens, for all studies.
    var receiver = ReceiverConfiguration()
    var pages: (users: URL, at: StudyUpPlan.Address)?
    var operations = StudyUpPlan.Address(port: 9464)
    var audit: URL?

    /// The files of the databases.
    var files: [(name: String, path: String)] {
        studies.flatMap { name, plan in plan.files.map { ("\(name) \($0.name)", $0.path) } }
    }

    var parts: [String] {
        studies.flatMap { name, plan in
            (plan.parts + (pages == nil ? [] : ["pages"])).map { "\($0) \(name)" }
        }
    }
}

/// The back ends of several studies: one receiver, one consumer each, one set of pages. A study whose
/// database is away waits for it, and the others go on.
struct Studies: Sendable {
    let plan: StudiesPlan
    let receiver: Receiver
    let pages: StudyPages?
    private let studies: [(name: StudyName, up: StudyUp)]

    /// The files, sockets and connections that so many studies have open at most.
    static func openFiles(of studies: Int) -> Int { 1024 + 32 * studies }

    /// Starts to listen.
    init(plan: StudiesPlan, report: PartReport) async throws {
        self.plan = plan
        let names = Set(plan.studies.map(\.name))
        receiver = try await CommandFailure.starting("the receiver") {
            try await Receiver.start(studies: names, plan.receiver)
        }
        pages = try await CommandFailure.starting("the pages") {
            guard let (users, at) = plan.pages else { return nil }
            var configuration = StudyPages.Configuration()
            configuration.title = plan.title
            return try await StudyPages.start(
                studies: names,
                users: StudyUserFile(users),
                configuration.served(at: at, audit: plan.audit)
            )
        }
        studies = plan.studies.map { name, plan in
            (name, StudyUp(plan: plan, report: report, name: name))
        }
    }

    /// The parts of each study, with connections of their own.
    var parts: [Supervisor.Part] {
        studies.flatMap { name, up in
            var parts = [
                Supervisor.Part("receiver \(name)") { isReady in
                    let queue = try await up.told { try await StudyBackEnd.queue(up.plan.queue) }
                    try await receiver.open(name, queue: queue, clients: up.plan.clients, up.plan.receiver)
                    isReady()
                    await up.rest()
                    receiver.close(name)
                }
            ]
            if up.plan.keys != nil { parts.append(Supervisor.Part("consumer \(name)", run: up.consume)) }
            if let pages {
                parts.append(
                    Supervisor.Part("pages \(name)") { isReady in
                        let (warehouse, queue) = try await up.told { try await up.shown() }
                        try await pages.open(name, warehouse: warehouse, queue: queue, up.pageConfiguration)
                        isReady()
                        await up.rest()
                        pages.close(name)
                    }
                )
            }
            return parts
        }
    }

    /// The consumers by the names of their parts.
    var consumers: [(part: String, watch: ConsumerWatch)] {
        studies.filter { $0.up.plan.keys != nil }.map { ("consumer \($0.name)", $0.up.watch) }
    }

    /// Finishes the requests under way, and listens no more.
    func stop() async {
        await receiver.stop()
        await pages?.stop()
    }
}
