import ArgumentParser
import Foundation
import OrderedJSON
import StudyDelivery

struct StudyQueueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Look after what waits to be delivered to a study.",
        subcommands: [
            StudyQueueListCommand.self, StudyQueueFlushCommand.self, StudyQueueRetryCommand.self, StudyQueueDiscardCommand.self,
        ])
}

struct StudyQueueListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what is queued, and what was delivered as far as it is remembered.",
        discussion: ExitStatus.help)

    @OptionGroup var study: StudyOptions

    @ArgumentParser.Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let items = try await StudyConfiguration(study.config).queue().items()
        let rows = items.map { item -> [(String, JSONValue)] in
            let submission = StudySubmission(item)
            return [
                ("id", JSONValue(item.id)), ("item", JSONValue(submission?.item)), ("bytes", JSONValue(item.payloadSize)),
                ("encrypted", submission.map { JSONValue($0.isEncrypted) } ?? .null),
                ("queued", JSONValue(StudyTime(item.queuedAt).description)), ("state", JSONValue(Self.describe(item.state))),
            ]
        }
        if json {
            let objects = JSONValue(rows.map { row in JSONValue(members: row.map { JSONMember(name: $0.0, value: $0.1) }) })
            return try StandardStreams.write(Data(objects.utf8(.pretty) + [0x0A]))
        }
        guard !rows.isEmpty else {
            study.talk.note("nothing is queued")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        let table = TextTable(
            header: ["ID", "ITEM", "BYTES", "ENCRYPTED", "QUEUED", "STATE"],
            rows: rows.map { $0.map { $0.1.string ?? ($0.1.isNull ? "" : $0.1.text()) } })
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
        commandName: "flush", abstract: "Deliver what can be delivered now.", discussion: StudyDeliveryOutcome.help)

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
        commandName: "retry", abstract: "Put a submission that was set aside back into the queue.", discussion: ExitStatus.help)

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
        commandName: "discard", abstract: "Take a submission out of the queue for good.", discussion: ExitStatus.help)

    @OptionGroup var study: StudyOptions

    @ArgumentParser.Flag(help: "Really do it: what the submission holds is gone afterwards.")
    var yes = false

    @Argument(help: "The submission’s id, as list prints it.")
    var id: String

    func run() async throws {
        let queue = try StudyConfiguration(study.config).queue()
        guard let item = try await queue.items().first(where: { $0.id == id }) else { throw QueueError.noSuchItem(id: id) }
        if case .delivered = item.state {} else if !yes {
            throw CommandFailure("\(item) was not delivered, and what it holds would be gone; say --yes to discard it")
        }
        try await queue.discard(id)
        study.talk.note("Discarded.")
    }
}
