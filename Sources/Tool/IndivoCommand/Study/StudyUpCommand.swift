import ArgumentParser
import FHIR
import Foundation
import IndivoBase
import Logging
import OrderedJSON
import RecordCommands
import StudyDelivery
import StudyServer
import StudyWarehouse

struct StudyUpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Run a small study's back end in one process: receiver, consumer and pages.",
        discussion: """
            A part that fails is started again, after a pause of a second that doubles up to a minute, \
            and the others go on; so it waits for a database that is not there yet. SIGTERM and Control-C \
            end it: requests and the current message are finished.

            The configuration is JSON; paths are relative to it:

            {"title": "Sleep study", "source": "SLEEP",
             "queue": "sqlite:queue.sqlite", "store": "sqlite:study.sqlite",
             "keys": "keys", "questionnaires": ["sleep.json"],
             "schedule": "schedule.json",
             "receiver": {"studies": ["org.example.sleep"], "port": 8084},
             "pages": {"users": "users", "port": 8090, "host": "pages.example.org"},
             "operations": {"port": 9464}, "audit": "audit.jsonl"}

            receiver has the members of the configuration of indivo study serve, with address and port; \
            pages (left out: none) has users, which indivo study user makes, address, port and host. keys \
            is the folder of private keys; without it there is no consumer, which then is somewhere else. \
            schedule is what the phones ask for, and lets the pages show who keeps up. \
            audit is where the pages write down who saw, exported and changed what. \
            freeText, identities, unproven, withdrawnData, samples, contentDays, knownDays and allowPKCS1 \
            are as the options of indivo study consume; consents ([{"version": "2.0", "requiredFrom": \
            "2026-09-01T00:00:00Z"}]) is its --require-consent. \
            operations has /health, 200 while everything works, and /metrics for Prometheus (left out: port \
            9464). --check opens every file that the configuration names, and starts nothing.

            \(StudyPlace.help)
            """
    )

    @Option(help: "The configuration.", completion: .json)
    var config: String

    @Flag(help: "Check the configuration, and start nothing.")
    var check = false

    @Flag(help: "Print a line of JSON for each part that is up, for programs.")
    var json = false

    @OptionGroup var console: MessageOptions

    func run() async throws {
        let file = try StudyUpFile(config, takesSeveral: true)
        if file.isOfSeveral { return try await run(StudiesFile(file)) }
        let plan = try file.plan()
        guard !check else {
            try file.checkFiles()
            try StandardStreams.say("\(config): \(plan.parts.joined(separator: ", "))")
            return
        }
        let up = StudyUp(plan: plan, report: report)
        var sources = StudyOperations.Sources()
        sources.consumers = plan.keys == nil ? [] : [("consumer", up.watch)]
        sources.files = plan.files
        try await run(up.parts, sources, at: plan.operations)
    }

    /// Several studies.
    private func run(_ file: StudiesFile) async throws {
        let plan = try file.plan()
        guard !check else {
            try file.checkFiles()
            try StandardStreams.say("\(config): \(plan.parts.joined(separator: ", "))")
            return
        }
        try OpenFiles.raiseLimit(to: Studies.openFiles(of: plan.studies.count))
        let studies = try await Studies(plan: plan, report: report)
        for (name, _) in plan.studies {
            report("receiver \(name)", studies.receiver.url.appending(path: name.description))
        }
        if let pages = studies.pages { report("pages", pages.url, host: plan.pages?.at.host) }
        var sources = StudyOperations.Sources()
        sources.consumers = studies.consumers
        sources.files = plan.files
        try await run(studies.parts, sources, at: plan.operations)
        await studies.stop()
    }

    /// Runs parts until the process is interrupted.
    private func run(
        _ parts: [Supervisor.Part],
        _ sources: StudyOperations.Sources,
        at address: StudyUpPlan.Address
    ) async throws {
        let supervisor = Supervisor(parts)
        var sources = sources
        sources.supervisor = supervisor
        let watched = sources
        let operations = try await CommandFailure.starting(
            "health and metrics",
            port: "“port” of “operations”"
        ) {
            try await StudyOperations.start(watched, address: address.address, port: address.port)
        }
        report("operations", operations.url)
        console.note("Stop it with Control-C.")
        let work = Task { await supervisor.run() }
        await Interrupt.wait()
        work.cancel()
        let patience = Task {
            try await Task.sleep(for: .seconds(45))
            // Nothing is lost: what was not finished is delivered again, as after a crash of the machine.
            StandardStreams.printError("warning: a database does not respond; its part is ended unfinished")
            Foundation.exit(ExitStatus.refused.rawValue)
        }
        await work.value
        patience.cancel()
        await operations.stop()
        console.note("All parts have ended.")
    }

    private var report: PartReport { PartReport(printsJSON: json) }
}

/// Reports the address of a part.
struct PartReport: Sendable {
    let printsJSON: Bool

    /// - Parameter host: The name under which a proxy with TLS serves it.
    func callAsFunction(_ part: String, _ url: URL, host: String? = nil) {
        let line: JSONValue = ["part": JSONValue(part), "url": JSONValue(url.absoluteString)]
        // If nobody reads the output any more, the parts continue.
        if printsJSON { try? StandardStreams.say(line.text()) }
        let from = url.absoluteString
        StandardStreams.printError("\(part): \(host.map { "https://\($0), from \(from)" } ?? from)")
    }
}

/// What a configuration requests.
struct StudyUpPlan: Sendable {
    /// Where a part listens.
    struct Address: Sendable {
        var address = "127.0.0.1"
        var port: UInt16
        var host: String?
    }

    var title = "Study"
    var source: String?
    var queue: StudyPlace
    var store: StudyPlace
    var keys: KeyRing?
    var questionnaires: [Questionnaire] = []
    var freeText = ResponseMapper.FreeText.loaded
    var identities = Disclosure.Identities.removed
    var samples: SampleStorage?
    var contentDays: Int?
    static let contentDays = 1...36_500
    var knownDays = 400
    static let knownDays = 1...36_500
    var rules = StudyRules()
    var receiver = ReceiverConfiguration()
    var clients = ReceiverClients.besideQueue
    var pages: (users: URL, at: Address)?
    var operations = Address(port: 9464)
    var audit: URL?
    var schedule: StudySchedule?

    var parts: [String] {
        ["receiver"] + (keys == nil ? [] : ["consumer"]) + (pages == nil ? [] : ["pages"])
    }

    /// The files of its databases.
    var files: [(name: String, path: String)] {
        [("queue", queue), ("warehouse", store)].compactMap { name, place in
            if case .file(let url) = place { (name, url.filePath) } else { nil }
        }
    }
}

/// The parts of a study's back end, each with connections of its own.
struct StudyUp: Sendable {
    let plan: StudyUpPlan
    let report: PartReport
    /// Which of several studies it is; `nil` for the only one.
    var name: StudyName?
    let watch = ConsumerWatch()

    var parts: [Supervisor.Part] {
        var parts = [Supervisor.Part("receiver", run: receive)]
        if plan.keys != nil { parts.append(Supervisor.Part("consumer", run: consume)) }
        if plan.pages != nil { parts.append(Supervisor.Part("pages", run: show)) }
        return parts
    }

    /// Waits for the end of the process.
    func rest() async {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }

    /// Converts the tool's errors into ones whose text the supervisor logs.
    func told<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error as CommandFailure {
            throw StudyOperationsError.failed(error.description)
        }
    }

    private func receive(_ isReady: @escaping @Sendable () -> Void) async throws {
        let receiver = try await told {
            let queue = try await StudyBackEnd.queue(plan.queue)
            return try await CommandFailure.starting("the receiver") {
                try await Receiver.start(queue: queue, clients: plan.clients, plan.receiver)
            }
        }
        report("receiver", receiver.url)
        isReady()
        await rest()
        await receiver.stop()
    }

    func consume(_ isReady: @escaping @Sendable () -> Void) async throws {
        guard let keys = plan.keys else { return }
        let consumer = try await told {
            let warehouse = try await StudyBackEnd.warehouse(plan.store, source: plan.source, makes: true)
            try await StudyBackEnd.store(plan.questionnaires, in: warehouse)
            try await StudyBackEnd.store(samplesAs: plan.samples, in: warehouse)
            return Consumer(
                queue: try await StudyBackEnd.queue(plan.queue),
                warehouse: warehouse,
                keys: keys,
                mapper: ResponseMapper(Codebook(plan.questionnaires), freeText: plan.freeText),
                questionnaires: plan.questionnaires,
                identities: plan.identities,
                rules: plan.rules,
                knownDays: plan.knownDays,
                contentDays: plan.contentDays,
                logger: logger
            )
        }
        isReady()
        await consumer.run(watchedBy: watch)
    }

    /// The consumer's logger, which names the study if there are several.
    private var logger: Logger {
        var logger = Logger(label: "study.consumer")
        logger[metadataKey: "study"] = name.map { "\($0)" }
        return logger
    }

    private func show(_ isReady: @escaping @Sendable () -> Void) async throws {
        guard let (users, at) = plan.pages else { return }
        let pages = try await told {
            let configured = pageConfiguration.served(at: at, audit: plan.audit)
            let (warehouse, queue) = try await shown()
            return try await CommandFailure.starting("the pages") {
                try await StudyPages.start(
                    warehouse: warehouse,
                    queue: queue,
                    users: StudyUserFile(users),
                    configured
                )
            }
        }
        report("pages", pages.url, host: at.host)
        isReady()
        await rest()
        await pages.stop()
    }

    /// What the pages show of the study, apart from its data.
    var pageConfiguration: StudyPages.Configuration {
        var configuration = StudyPages.Configuration()
        configuration.title = plan.title
        configuration.questionnaires = plan.questionnaires
        configuration.schedule = plan.schedule
        return configuration
    }

    /// What the pages read. Without a consumer in this process, another one makes the warehouse.
    func shown() async throws -> (Warehouse, any MessageQueue) {
        let warehouse = try await StudyBackEnd.warehouse(
            plan.store,
            source: plan.source,
            makes: plan.keys != nil
        )
        return (warehouse, try await StudyBackEnd.queue(plan.queue))
    }
}

extension StudyPages.Configuration {
    /// The same, served at an address.
    func served(at: StudyUpPlan.Address, audit: URL?) -> Self {
        var served = self
        served.address = at.address
        served.port = at.port
        served.host = at.host
        served.audit = audit.map { AuditLog($0) }
        return served
    }
}
