import ArgumentParser
import FHIRClient
import RecordCommands
import StudyDelivery

/// FHIR has a type of this name too.
typealias Flag = ArgumentParser.Flag

@main
struct IndivoTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "indivo",
        abstract: "Work with personally controlled health records on an Indivo X server.",
        discussion: """
            Begin with indivo sandbox, a server to try things with, and indivo login. \
            Which server and app are meant is told in the environment (indivo settings --help).

            Results go to standard output, everything else to standard error. \(ExitStatus.help)

            The shell completes commands, options, models and paths once it has read a script, as by

            eval "$(indivo --generate-completion-script bash)"
            indivo --generate-completion-script zsh > ~/.zfunc/_indivo
            indivo --generate-completion-script fish | source
            """,
        version: PackageVersion.text,
        groupedSubcommands: RecordCommandList.groups + [
            CommandGroup(name: "FHIR", subcommands: [FHIRCommand.self]),
            CommandGroup(name: "Study", subcommands: [StudyCommand.self]),
            CommandGroup(name: "Survey", subcommands: [SurveyCommand.self]),
            CommandGroup(name: "Samples", subcommands: [SamplesCommand.self]),
        ]
    )

    static func main() async {
        await runTool { error in
            switch error {
            case let error as FHIRClientError: CommandFailure(error)
            case let error as StudyError: CommandFailure("\(error)".inToolsWords)
            default: CommandFailure(any: error)
            }
        }
    }
}
