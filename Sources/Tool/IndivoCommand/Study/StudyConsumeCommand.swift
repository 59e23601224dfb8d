import ArgumentParser
import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import RecordCommands
import StudyDelivery
import StudyServer
import StudyWarehouse

struct StudyConsumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consume",
        abstract: "Decrypt what a study's receiver took, and write it into the warehouse.",
        discussion: """
            DIR has a folder for each key, named after the key's id, with the private-key.pem \
            of indivo study keys in it; a pass phrase comes from INDIVO_KEY_PASSPHRASE. \
            The warehouse has i2b2's tables. Facts are written once their participant's consent is there; \
            what cannot be processed is kept with its reason.

            With --once it ends when the queue is empty: the exit status is 0, 1 when there are \
            messages that could not be processed, or that were given up after five attempts, \
            2 for wrong use or bad input, and when the queue or the warehouse cannot be opened, 3 when \
            one of them fails later (what was received comes again). The reasons of messages are printed; \
            --reprocess processes them again, with the keys that are there now.

            With --withdraw - or --stop - the participant's id is a line of standard input: in the arguments \
            it is seen by everybody who lists the processes, and stays in the shell's history.

            \(StudyPlace.help) The queue may be sqs:URL; see indivo study serve.
            """
    )

    @OptionGroup var queue: StudyQueueURLOptions
    @OptionGroup var store: StudyStoreOptions

    @Option(help: "The folder of private keys.", completion: .directory)
    var keys: String

    @Option(
        parsing: .upToNextOption,
        help: "Questionnaires, which give labels, standard codes and the ontology.",
        completion: .json
    )
    var questionnaires: [String] = []

    @Option(
        help:
            """
            Texts in the participants' own words, notes and attachments: loaded, or omitted, \
            since they may name people.
            """
    )
    var freeText: ResponseMapper.FreeText = .loaded

    @Option(help: "Names and identifiers of people and devices in the resources: removed, or kept.")
    var identities: Disclosure.Identities = .removed

    @Option(
        help:
            """
            Withdrawals and corrections that no known app of their participant sent: pending (see indivo \
            study pending), or accepted.
            """
    )
    var unproven: UnprovenChanges = .pending

    @Option(
        help: .value(
            "erased|kept",
            """
            What becomes of the data of somebody whose withdrawal does not say it: erased, or kept, and \
            nothing more is taken.
            """
        )
    )
    var withdrawnData: WithdrawnData = .erased

    @Option(
        help: .value(
            "version=time",
            """
            A version of the consent, and the time from which on messages wait until their participants \
            have signed it or one that is required later (2.0=2026-09-01); once for each version.
            """
        )
    )
    var requireConsent: [String] = []

    @Option(
        help: .value(
            "facts|table",
            """
            Numbers of phones and watches: each a visit with facts, or a row of a table of their own with \
            facts of each day. All who write into the warehouse do the same; left out, what it has stays.
            """
        )
    )
    var samples: SampleStorage?

    @Flag(help: "End when the queue is empty.")
    var once = false

    @Flag(help: "Process again what could not be processed.")
    var reprocess = false

    @Option(
        help: .value(
            "uuid",
            """
            Remove everything of this participant, by the id on the phone, and end; \
            - reads the id from standard input.
            """
        )
    )
    var withdraw: String?

    @Option(
        help: .value(
            "uuid",
            """
            Take nothing more of this participant, whose data stay, and end; - reads the id from standard \
            input.
            """
        )
    )
    var stop: String?

    @OptionGroup var envelopes: StudyPKCS1Options

    @Option(help: "Seconds that 256 messages may take before another consumer gets them.")
    var visibility = 300

    @Option(
        help: "The most bytes of messages kept that wait for a consent or failed; more are left in the queue."
    )
    var keptBytes = 16 << 30

    @Option(
        help: .value(
            "days",
            """
            Remove the content of an envelope so many days after its receipt, once its facts are loaded \
            (default: it stays, encrypted). Consents and packages stay.
            """
        )
    )
    var contentDays: Int?

    @Option(help: "Days until the queue forgets the ids of what it had; the warehouse knows them longer.")
    var knownDays = 400

    @Option(
        help: .value(
            "port",
            "Serve /health and /metrics (for Prometheus) on this port of this machine; 0 for a free one."
        )
    )
    var metricsPort: UInt16?

    @OptionGroup var console: MessageOptions

    func validate() throws {
        guard (1...(1 << 50)).contains(keptBytes) else {
            throw ValidationError("--kept-bytes is a number from 1 to \(1 << 50).")
        }
        guard contentDays.map(StudyUpPlan.contentDays.contains) ?? true else {
            throw ValidationError(
                "--content-days is a number from 1 to \(StudyUpPlan.contentDays.upperBound)."
            )
        }
        guard StudyUpPlan.knownDays.contains(knownDays) else {
            throw ValidationError("--known-days is a number from 1 to \(StudyUpPlan.knownDays.upperBound).")
        }
        guard (1...43_200).contains(visibility) else {
            throw ValidationError("--visibility is a number from 1 to 43200.")
        }
        guard withdraw == nil || stop == nil else {
            throw ValidationError("--withdraw and --stop are two ways to leave; give one of them.")
        }
        _ = try rules()
    }

    func run() async throws {
        let leaver = try withdraw.map { try StudyParticipant.id($0, option: "withdraw") }
        let stopping = try stop.map { try StudyParticipant.id($0, option: "stop") }
        let keys = try StudyBackEnd.keys(self.keys, allowsPKCS1: envelopes.allowsPKCS1)
        let questionnaires = try StudyBackEnd.questionnaires(questionnaires)
        let warehouse = try await store.open(makes: true)
        try await StudyBackEnd.store(questionnaires, in: warehouse)
        try await StudyBackEnd.store(samplesAs: samples, in: warehouse)
        let queue = try await queue.open()
        let consumer = Consumer(
            queue: queue,
            warehouse: warehouse,
            keys: keys,
            mapper: ResponseMapper(Codebook(questionnaires), freeText: freeText),
            questionnaires: questionnaires,
            identities: identities,
            rules: try rules(),
            visibility: visibility,
            keptLimit: keptBytes,
            knownDays: knownDays,
            contentDays: contentDays
        )
        if let id = leaver ?? stopping, try await !Self.answered({ try await consumer.knows(id) }) {
            throw CommandFailure(
                "the warehouse knows nobody with this id, and nothing is changed; look at the id",
                status: .nothingFound
            )
        }
        if let leaver {
            // Whose it was is known by the digest alone.
            try StudyAudit.record("withdraw", ["participant": Consumer.digest(of: leaver)])
            let facts = try await Self.answered { try await consumer.withdraw(leaver) }
            try StandardStreams.say("\(facts) facts and samples removed")
            return
        }
        if let stopping {
            try StudyAudit.record("stop", ["participant": Consumer.digest(of: stopping)])
            try await Self.answered { try await consumer.stop(stopping) }
            try StandardStreams.say("nothing more is taken of the participant")
            return
        }
        if reprocess {
            try StudyAudit.record("reprocess", ["messages": "all that failed"])
            try report(
                try await Self.answered {
                    for letter in try await queue.deadLetters(limit: .max) {
                        try await queue.redeliver(letter.id)
                    }
                    return try await consumer.reprocessFailed()
                }
            )
        }
        if once {
            try report(try await Self.answered { try await consumer.drain() })
            try await finish(warehouse, queue)
        } else {
            let watch = ConsumerWatch()
            let operations = try await operations(watch)
            let work = Task { await consumer.run(watchedBy: watch) }
            console.note("Stop it with Control-C.")
            await Interrupt.wait()
            work.cancel()
            await work.value
            await operations?.stop()
        }
    }

    func rules() throws -> StudyRules {
        var rules = StudyRules()
        rules.unproven = unproven
        rules.withdrawnData = withdrawnData
        rules.consents = RequiredConsents(
            try requireConsent.map { text in
                let parts = text.split(separator: "=", omittingEmptySubsequences: false)
                guard parts.count > 1, let time = parts.last else {
                    throw ValidationError("--require-consent is VERSION=TIME, as 2.0=2026-09-01.")
                }
                let name = parts.dropLast().joined(separator: "=")
                let from = try StudyDueCommand.date(String(time), "--require-consent", .gmt)
                guard RequiredConsents.Version.isName(name) else {
                    throw ValidationError("A version of a consent has from 1 to 200 characters.")
                }
                return .init(name, from: WarehouseTime(FHIRDateTime(from)))
            }
        )
        return rules
    }

    /// Health and metrics, where they are asked for.
    private func operations(_ watch: ConsumerWatch) async throws -> StudyOperations? {
        guard let metricsPort else { return nil }
        var sources = StudyOperations.Sources()
        sources.consumers = [("consumer", watch)]
        if case .file(let file) = try store.place {
            sources.files = [("warehouse", file.filePath)]
        }
        let watched = sources
        return try await CommandFailure.starting("health and metrics") {
            try await StudyOperations.start(watched, port: metricsPort)
        }
    }

    /// What the queue and the warehouse are asked for; no failure of theirs looks like a message that could
    /// not be processed.
    private static func answered<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch {
            throw CommandFailure("the queue or the warehouse fails: \(error)", status: .refused)
        }
    }

    private func report(_ report: Consumer.Report) throws {
        let json: JSONValue = [
            "loaded": JSONValue(report.loaded), "kept": JSONValue(report.kept),
            "waiting": JSONValue(report.waiting),
            "failed": JSONValue(report.failed),
            "refused": JSONValue(report.refused), "pending": JSONValue(report.pending),
            "repeated": JSONValue(report.repeated),
            "released": JSONValue(report.released),
        ]
        try StandardStreams.say(json.text())
    }

    private func finish(_ warehouse: Warehouse, _ queue: any MessageQueue) async throws {
        let dead = try await Self.answered { try await queue.deadLetters(limit: 1000) }
        for letter in dead { StandardStreams.printError("\(letter.id) was given up: \(letter.reason)") }
        let failed = try await Self.answered { try await warehouse.read { try $0.failedMessages() } }
        for message in failed { StandardStreams.printError("\(message.id): \(message.state.reason ?? "")") }
        let pending = try await Self.answered { try await warehouse.read { try $0.pendingMessages() } }
        for message in pending {
            StandardStreams.printError("\(message.id) waits for a decision: \(message.state.reason ?? "")")
        }
        if !pending.isEmpty {
            StandardStreams.printError("indivo study pending lists these messages, and decides.")
        }
        if !failed.isEmpty || !dead.isEmpty { throw ExitCode.nothingFound }
    }
}

extension ResponseMapper.FreeText: ExpressibleByArgument {}
extension Disclosure.Identities: ExpressibleByArgument {}
extension UnprovenChanges: ExpressibleByArgument {}
extension WithdrawnData: ExpressibleByArgument {}
extension SampleStorage: ExpressibleByArgument {}
