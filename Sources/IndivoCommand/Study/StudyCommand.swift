import ArgumentParser

struct StudyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "study",
        abstract: "Make consents of studies, and see what their schedules ask for.",
        subcommands: [StudyConsentCommand.self, StudyDueCommand.self])
}
