import ArgumentParser
import Foundation
import HTTPCalls
import OrderedJSON
import StudyDelivery

/// Which study, and how it is reached.
struct StudyOptions: ParsableArguments {
    @Option(help: "The study’s configuration, study.json (indivo study submit --help).", completion: .file())
    var config = "study.json"

    @OptionGroup var talk: MessageOptions
}

/// Where a study's server is.
struct StudyServerOptions: ParsableArguments {
    @Option(help: "The URL of the study’s server; that of the configuration unless given.")
    var server: String?

    @Option(
        help: ArgumentHelp(
            "A host to use without TLS; everybody on the way can read what is sent.",
            valueName: "host"
        )
    )
    var allowHttp: [String] = []

    func endpoint(_ configuration: StudyConfiguration) throws -> any StudyEndpoint {
        try configuration.endpoint(server, plainHTTPHosts: Set(allowHttp))
    }
}

struct StudySubmitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "Submit files to a study: queue them, and deliver what can be delivered now.",
        discussion: """
            With the protocol researchkit the files are one package; with c3pro each is a FHIR resource. \
            What was submitted before is not submitted again. The configuration is JSON:

            {"study": "org.example.sleep", "subject": "UUID", "item": "diary", "protocol": "researchkit",
             "server": "https://…", "encrypt": ["certificate.pem"], "cipher": "aes-256-gcm",
             "keyTransport": "rsa-oaep-sha256", "keyID": "…", "envelopeForm": "1", "fhirVersion": \
            "4.0.1", "queue": "folder",
             "resume": false}

            study, subject and, here or as --server, server are required. \
            resume says that a ResearchKit server keeps what came of an upload that broke off.

            \(StudyDeliveryOutcome.help)
            """
    )

    @Argument(help: "The files.", completion: .file())
    var files: [String]

    @OptionGroup var study: StudyOptions
    @OptionGroup var server: StudyServerOptions

    func run() async throws {
        let configuration = try StudyConfiguration(study.config)
        let endpoint = try server.endpoint(configuration)
        try configuration.refuseWithdrawn()
        let queue = try configuration.queue()
        for (name, submitted) in try await configuration.submit(files, to: queue) {
            switch submitted {
            case .queued:
                study.talk.note("\(name): queued as \(submitted.submission.id.uuidString.lowercased())")
            case .known(_, .delivered):
                study.talk.note("\(name): was delivered before, and is not sent again")
            case .known: study.talk.note("\(name): is in the queue already")
            }
        }
        try await StudyDeliveryOutcome(queue, endpoint, study.talk).finish(study.talk)
    }
}

/// The exit status of a delivery.
struct StudyDeliveryOutcome {
    static let help = """
        The exit status is 0 when everything was delivered, 1 when something was set aside, \
        2 for wrong use or bad input, 3 when the server fails or takes nothing, 4 when it is not reached.
        """

    private let queue: StudyQueue
    private let report: QueueReport

    /// Delivers; where a person looks at standard error, it shows how far each large submission is.
    init(_ queue: StudyQueue, _ endpoint: any StudyEndpoint, _ talk: MessageOptions) async throws {
        self.queue = queue
        let isShown = StandardStreams.errorIsTerminal && !talk.quiet
        let status = queue.status
        let progress = Task {
            guard isShown else { return }
            for await case .sending(_, let sent, let size) in status where size >= 1 << 20 {
                StandardStreams.hint("\r\(sent >> 20) of \(size >> 20) MiB\u{1B}[K")
            }
        }
        defer {
            progress.cancel()
            if isShown { StandardStreams.hint("\r\u{1B}[K") }
        }
        report = try await queue.deliver(to: endpoint)
    }

    func finish(_ talk: MessageOptions) async throws {
        for item in report.delivered { try StandardStreams.say(item.id) }
        for item in report.setAside {
            if case .setAside(let reason) = item.state {
                StandardStreams.printError("\(item.id) is set aside: \(reason)")
            }
        }
        let items = try await queue.items()
        let setAside = items.count { if case .setAside = $0.state { true } else { false } }
        talk.note("\(report.delivered.count) delivered, \(report.remaining) wait, \(setAside) set aside.")
        for problem in report.stopped.values {
            let isReached = (problem as? StudyServerProblem) != nil
            throw CommandFailure("\(problem)", status: isReached ? .refused : .notReached)
        }
        if setAside > 0 { throw ExitCode(ExitStatus.nothingFound.rawValue) }
    }
}

struct StudyQueueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "List, retry and remove what waits for delivery to a study.",
        subcommands: [
            StudyQueueListCommand.self, StudyQueueFlushCommand.self, StudyQueueRetryCommand.self,
            StudyQueueDiscardCommand.self,
        ]
    )
}

struct StudyQueueListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what is queued and what was set aside.",
        discussion: ExitStatus.help
    )

    @OptionGroup var study: StudyOptions

    @ArgumentParser.Flag(help: "List what was delivered as well, as far as it is remembered.")
    var all = false

    @ArgumentParser.Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let queue = try StudyConfiguration(study.config).queue()
        let items = try await all ? queue.itemsAndDelivered() : queue.items()
        let rows = items.map { item -> [(String, JSONValue)] in
            let submission = StudySubmission(item)
            return [
                ("id", JSONValue(item.id)), ("item", JSONValue(submission?.item)),
                ("bytes", JSONValue(item.payloadSize)),
                ("encrypted", submission.map { JSONValue($0.protection != .none) } ?? .null),
                ("queued", JSONValue(StudyTime(item.queuedAt).description)),
                ("state", JSONValue(Self.describe(item.state))),
            ]
        }
        if json {
            let objects = JSONValue(
                rows.map { row in JSONValue(members: row.map { JSONMember(name: $0.0, value: $0.1) }) }
            )
            return try StandardStreams.write(Data(objects.utf8(.pretty) + [0x0A]))
        }
        guard !rows.isEmpty else {
            study.talk.note("nothing is queued")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        let table = TextTable(
            header: ["ID", "ITEM", "BYTES", "ENCRYPTED", "QUEUED", "STATE"],
            rows: rows.map { $0.map { $0.1.string ?? ($0.1.isNull ? "" : $0.1.text()) } }
        )
        for line in table.lines(width: StandardStreams.outputWidth) { try StandardStreams.say(line) }
    }

    private static func describe(_ state: QueueItem.State) -> String {
        switch state {
        case .queued: "queued"
        case .waiting(let id): "waits for \(id)"
        case .setAside(let reason): "set aside: \(reason)"
        case .damaged(let reason): "damaged: \(reason)"
        case .delivered: "delivered"
        }
    }
}

struct StudyQueueFlushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush",
        abstract: "Deliver what can be delivered now.",
        discussion: StudyDeliveryOutcome.help
    )

    @OptionGroup var study: StudyOptions
    @OptionGroup var server: StudyServerOptions

    func run() async throws {
        let configuration = try StudyConfiguration(study.config)
        let endpoint = try server.endpoint(configuration)
        try configuration.refuseWithdrawn()
        try await StudyDeliveryOutcome(try configuration.queue(), endpoint, study.talk).finish(study.talk)
    }
}

struct StudyQueueRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Put a submission that was set aside back into the queue.",
        discussion: ExitStatus.help
    )

    @OptionGroup var study: StudyOptions

    @Argument(help: "The submission’s id, as list prints it.")
    var id: String

    func run() async throws {
        try await StudyConfiguration(study.config).queue().retry(id)
        study.talk.note("Queued again. Deliver it: indivo study queue flush")
    }
}

struct StudyQueueDiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Remove a submission from the queue for good.",
        discussion: ExitStatus.help
    )

    @OptionGroup var study: StudyOptions

    @ArgumentParser.Flag(help: "Confirm: the content of the submission is lost.")
    var yes = false

    @Argument(help: "The submission’s id, as list prints it.")
    var id: String

    func run() async throws {
        let queue = try StudyConfiguration(study.config).queue()
        guard let item = try await queue.itemsAndDelivered().first(where: { $0.id == id }) else {
            throw QueueError.noSuchItem(id: id)
        }
        guard yes || item.isDelivered else {
            throw CommandFailure(
                "item \(id) was not delivered, and what it holds would be gone; say --yes to discard it"
            )
        }
        try await queue.discard(id)
        study.talk.note("Discarded.")
    }
}

struct StudyWithdrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Leave a study: empty the queue, and tell the study’s server.",
        discussion: """
            The decision is stored first; then everything that waits for the study is discarded, \
            and the server is sent a revoked Contract with the participant’s random id. \
            What was interrupted goes on when the command runs again. A participant who left can submit \
            nothing more until the server knows. \(ExitStatus.help)
            """
    )

    @OptionGroup var study: StudyOptions
    @OptionGroup var server: StudyServerOptions

    @ArgumentParser.Flag(help: "Confirm: what waits for delivery is lost.")
    var yes = false

    func run() async throws {
        let configuration = try StudyConfiguration(study.config)
        let endpoint = try server.endpoint(configuration)
        let protection = try configuration.protection()
        let queue = try configuration.queue()
        let participants = configuration.participants()
        if try configuration.withdrawal(in: participants) == nil {
            let waiting = try await queue.items().count
            guard yes else {
                throw CommandFailure(
                    "\(waiting) submissions wait for delivery and would be gone; say --yes to withdraw"
                )
            }
            // Somebody else of the study may be enrolled still, whose withdrawal was interrupted.
            while try configuration.withdrawal(in: participants) == nil {
                _ = try participants.enrol(in: configuration.study, as: configuration.subject)
                try participants.withdraw(from: configuration.study)
            }
        }
        var problem: (any Error)?
        let results = try await participants.finishWithdrawals(
            emptying: { withdrawal in
                guard withdrawal.participant == configuration.subject else { throw OtherParticipant() }
                _ = try await queue.discardAll()
            },
            reporting: { withdrawal in
                do {
                    return try await withdrawal.report(
                        to: endpoint,
                        as: configuration.withdrawalForm,
                        protection: protection
                    )
                } catch {
                    problem = error
                    throw error
                }
            }
        )
        switch results.first(where: { $0.withdrawal.participant == configuration.subject })?.result {
        case .finished: study.talk.note("Withdrawn: nothing is kept here, and the server knows.")
        case .refused(let reason):
            throw CommandFailure(
                "nothing is kept here; the server refuses the report for good: \(reason)",
                status: .refused
            )
        case .pending(let reason):
            throw CommandFailure(
                "nothing is kept here, and the server does not know yet: \(reason). Run this again.",
                status: problem is StudyServerProblem ? .refused : .notReached
            )
        case nil:
            guard case .refused(let reason)? = try configuration.withdrawal(in: participants)?.state else {
                throw CommandFailure("another process is withdrawing just now")
            }
            throw CommandFailure(
                "nothing is kept here; the server refused the report for good: \(reason)",
                status: .refused
            )
        }
    }

    /// A withdrawal of another configuration, which knows its server.
    private struct OtherParticipant: Error {}
}

extension StudyConfiguration {
    /// The withdrawal of the participant, as long as the server does not know.
    func withdrawal(in participants: ParticipantStore) throws -> Withdrawal? {
        try participants.withdrawals().first { $0.participant == subject && $0.study == study }
    }

    /// - Throws: ``CommandFailure`` when the participant is withdrawing.
    func refuseWithdrawn() throws {
        guard try withdrawal(in: participants()) != nil else { return }
        throw CommandFailure(
            """
            the participant withdrew from \(study), and nothing more is submitted; \
            indivo study withdraw tells the server
            """
        )
    }
}
