import ArgumentParser
import Foundation
import HTTPCalls
import OrderedJSON
import RecordCommands
import StudyDelivery

struct StudyQueueListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what is queued and what was set aside.",
        discussion: ExitStatus.help
    )

    @OptionGroup var study: StudyOptions

    @Flag(help: "List what was delivered as well, as far as it is remembered.")
    var all = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let queue = try StudyConfiguration(study.config).queue()
        let items = try await all ? queue.itemsAndDelivered() : queue.items()
        let rows = items.map { item -> [(String, JSONValue)] in
            let submission = StudySubmission(item)
            return [
                ("id", JSONValue(item.id)), ("item", JSONValue(submission?.item)),
                ("bytes", JSONValue(item.payloadSize)),
                ("encrypted", submission.map { JSONValue($0.isEncrypted) } ?? .null),
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
            study.console.note("nothing is queued")
            throw ExitCode.nothingFound
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
