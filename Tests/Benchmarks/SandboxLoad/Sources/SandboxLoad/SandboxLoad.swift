import ArgumentParser

@main
struct SandboxLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Drives a sandbox with signed requests, nine reads to a write.",
        subcommands: [MeasureCommand.self, SoakCommand.self, ServeCommand.self],
        defaultSubcommand: MeasureCommand.self
    )
}
