import ArgumentParser
import Foundation
import OrderedJSON
import RecordCommands
import StudyServer
import StudyWarehouse

struct StudyPendingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pending",
        abstract: "List the withdrawals and corrections that wait for a decision, and decide.",
        discussion: """
            A withdrawal, a correction or a further consent counts at once when the app delivers \
            it that delivered the participant's first consent. What another app delivers (one that \
            was installed anew, or somebody else's), and what comes as a package without a login, \
            waits until it is approved or refused here or on the pages. Ask the participant first.

            Without an option each message is a line: its id, when it was received, and why it waits. \
            --of - lists those of one participant, whose id on the phone is a line of standard input. \
            What is approved is done by the running consumer; the app that delivered it may speak for the \
            participant from then on. \(ExitStatus.help)

            \(StudyPlace.help)
            """
    )

    @OptionGroup var store: StudyStoreOptions

    @Option(
        name: .customLong("of"),
        help: .value(
            "uuid",
            "Only messages of this participant, by the id on the phone; - reads it from standard input."
        )
    )
    var participant: String?

    @Option(help: .value("id", "Approve this message; may be repeated."))
    var approve: [String] = []

    @Option(
        help: .value("id", "Refuse this message, and delete its content; may be repeated.")
    )
    var refuse: [String] = []

    @Flag(help: "A line of JSON for each message.")
    var json = false

    @OptionGroup var console: MessageOptions

    func run() async throws {
        let participant = try participant.map { try StudyParticipant.id($0, option: "of") }
        let warehouse = try await store.open(makes: false)
        var missing = 0
        for id in approve { try StudyAudit.record("approve", ["message": id]) }
        for id in refuse { try StudyAudit.record("refuse", ["message": id]) }
        for id in approve {
            missing += try report(id, "approved", try await warehouse.transaction { try $0.approve(id) })
        }
        for id in refuse {
            missing += try report(id, "refused", try await warehouse.transaction { try $0.dismiss(id) })
        }
        if missing > 0 { throw ExitCode.nothingFound }
        guard approve.isEmpty, refuse.isEmpty else { return }
        let digest = participant.map(Consumer.digest(of:))
        for message in try await warehouse.read({ try $0.pendingMessages(limit: .max) })
        where digest == nil || message.participant == digest {
            let reason = message.state.reason ?? ""
            let line: JSONValue = [
                "id": JSONValue(message.id), "received": JSONValue(message.received),
                "reason": JSONValue(reason),
            ]
            try StandardStreams.say(json ? line.text() : "\(message.id)  \(message.received)  \(reason)")
        }
    }

    /// - Returns: How many messages were not there: none or one.
    private func report(_ id: String, _ words: String, _ isDone: Bool) throws -> Int {
        guard isDone else {
            StandardStreams.printError("\(id): no such message waits for a decision")
            return 1
        }
        try StandardStreams.say("\(words) \(id)")
        return 0
    }
}

/// A participant's id, which stands in no list of processes when it comes from standard input.
enum StudyParticipant {
    static func id(_ text: String, option: String) throws -> UUID {
        guard text == "-" else {
            guard let id = UUID(uuidString: text) else { throw CommandFailure("--\(option) is no UUID") }
            return id
        }
        if StandardStreams.inputIsTerminal { StandardStreams.hint("The participant's id: ") }
        guard let id = readLine().flatMap({ UUID(uuidString: $0.trimmingCharacters(in: .whitespaces)) })
        else {
            throw CommandFailure(
                """
                standard input has no UUID on its first line; type one, or pass a file: … --\(option) - < FILE
                """
            )
        }
        return id
    }
}
