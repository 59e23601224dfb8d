#if Tool && Sandbox && Outbox
import ArgumentParser

struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Look after changes that wait to be delivered to a record.",
        discussion: """
            Server, app, record and token come from the environment: INDIVO_API, INDIVO_CONSUMER_KEY (also the app's id, \
            unless INDIVO_APP names another), INDIVO_CONSUMER_SECRET, INDIVO_RECORD, INDIVO_TOKEN and \
            INDIVO_TOKEN_SECRET. Only flush needs the secrets and the token.
            """,
        subcommands: [
            OutboxListCommand.self, OutboxShowCommand.self, OutboxFlushCommand.self, OutboxRetryCommand.self,
            OutboxDiscardCommand.self,
        ])
}
#endif
