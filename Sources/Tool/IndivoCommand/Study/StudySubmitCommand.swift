import ArgumentParser
import Foundation
import HTTPCalls
import OrderedJSON
import RecordCommands
import StudyDelivery

/// Which study, and how it is reached.
struct StudyOptions: ParsableArguments {
    @Option(
        help: "The phone’s configuration (indivo study submit --help); not that of indivo study up.",
        completion: .json
    )
    var config = "study.json"

    @OptionGroup var console: MessageOptions
}

/// Where a study's server is.
struct StudyServerOptions: ParsableArguments {
    @Option(help: "The URL of the study’s server; that of the configuration unless given.")
    var server: String?

    @Option(
        help: .value(
            "host",
            "A host to use without TLS; everybody on the way can read what is sent."
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
            What was submitted before is not submitted again. A QuestionnaireResponse names the participant: \
            its subject is Patient/UUID, with the configuration's subject for UUID. The configuration is the \
            phone's, not that of indivo study up:

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
                study.console.note("\(name): queued as \(submitted.submission.id.uuidString.lowercased())")
            case .known(_, .delivered):
                study.console.note("\(name): was delivered before, and is not sent again")
            case .known: study.console.note("\(name): is in the queue already")
            }
        }
        try await StudyDeliveryOutcome(queue, endpoint, study.console).finish(study.console)
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
    init(_ queue: StudyQueue, _ endpoint: any StudyEndpoint, _ console: MessageOptions) async throws {
        self.queue = queue
        let isShown = StandardStreams.errorIsTerminal && !console.quiet
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

    func finish(_ console: MessageOptions) async throws {
        for item in report.delivered { try StandardStreams.say(item.id) }
        for item in report.setAside {
            if case .setAside(let reason) = item.state {
                StandardStreams.printError("\(item.id) is set aside: \(reason)")
            }
        }
        let items = try await queue.items()
        let setAside = items.count { if case .setAside = $0.state { true } else { false } }
        console.note("\(report.delivered.count) delivered, \(report.remaining) wait, \(setAside) set aside.")
        for problem in report.stopped.values {
            let isReached = (problem as? StudyServerProblem) != nil
            throw CommandFailure("\(problem)", status: isReached ? .refused : .notReached)
        }
        if setAside > 0 { throw ExitCode.nothingFound }
    }
}
