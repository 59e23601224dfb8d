#if Tool && Sandbox && Outbox
import ArgumentParser

struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Look after changes that wait to be delivered to a record.",
        discussion: """
            Apps queue changes while there is no network; they wait in a folder of this person, sealed under a key. Only \
            flush asks the server; the others need the record's session or token to know whose outbox is meant.
            """,
        subcommands: [
            OutboxListCommand.self, OutboxShowCommand.self, OutboxFlushCommand.self, OutboxRetryCommand.self,
            OutboxDiscardCommand.self,
        ])
}
#endif
