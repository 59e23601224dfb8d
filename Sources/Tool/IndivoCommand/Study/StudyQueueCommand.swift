import ArgumentParser

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
