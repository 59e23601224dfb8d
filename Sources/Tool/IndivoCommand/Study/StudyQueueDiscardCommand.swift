import ArgumentParser
import HTTPCalls
import RecordCommands
import StudyDelivery

struct StudyQueueDiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Remove a submission from the queue for good.",
        discussion: ExitStatus.help
    )

    @OptionGroup var study: StudyOptions

    @Flag(help: "Confirm: the content of the submission is lost.")
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
        study.console.note("Discarded.")
    }
}
