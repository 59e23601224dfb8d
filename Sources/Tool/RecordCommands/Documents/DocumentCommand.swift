import ArgumentParser

struct DocumentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "document",
        abstract: "Check and convert documents of a health record.",
        subcommands: [DocumentCheckCommand.self, DocumentConvertCommand.self]
    )
}
