import ArgumentParser

struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Look after changes that wait to be delivered to a record.",
        discussion: """
            Apps queue changes while there is no network; they wait in a folder of this person, sealed under a key. Only \
            flush asks the server, and needs secrets and a token; the others need to know whose outbox is meant.
            """,
        subcommands: [
            OutboxListCommand.self, OutboxShowCommand.self, OutboxFlushCommand.self, OutboxRetryCommand.self,
            OutboxDiscardCommand.self,
        ])
}
