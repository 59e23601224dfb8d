import ArgumentParser
import HTTPCalls
import StudyDelivery

struct StudyQueueFlushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush",
        abstract: "Deliver what can be delivered now.",
        discussion: StudyDeliveryOutcome.help
    )

    @OptionGroup var study: StudyOptions
    @OptionGroup var server: StudyServerOptions

    func run() async throws {
        let configuration = try StudyConfiguration(study.config)
        let endpoint = try server.endpoint(configuration)
        try configuration.refuseWithdrawn()
        try await StudyDeliveryOutcome(try configuration.queue(), endpoint, study.console).finish(
            study.console
        )
    }
}
