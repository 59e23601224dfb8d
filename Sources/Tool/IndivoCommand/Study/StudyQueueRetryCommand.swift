import ArgumentParser
import HTTPCalls
import RecordCommands
import StudyDelivery

struct StudyQueueRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Put a submission that was set aside back into the queue.",
        discussion: ExitStatus.help
    )

    @OptionGroup var study: StudyOptions

    @Argument(help: "The submission’s id, as list prints it.")
    var id: String

    func run() async throws {
        try await StudyConfiguration(study.config).queue().retry(id)
        study.console.note("Queued again. Deliver it: indivo study queue flush")
    }
}
