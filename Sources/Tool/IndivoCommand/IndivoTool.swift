import ArgumentParser
import Foundation
import IndivoBase

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
        groupedSubcommands: [
            CommandGroup(
                name: "Login",
                subcommands: [
                    LoginCommand.self, LogoutCommand.self, SessionsCommand.self, SettingsCommand.self,
                ]
            ),
            CommandGroup(
                name: "Record",
                subcommands: [
                    RecordCommand.self, ReportsCommand.self, DocumentsCommand.self, AppDocumentsCommand.self,
                    DemographicsCommand.self, MessageCommand.self, NotifyCommand.self, AuditCommand.self,
                    OutboxCommand.self,
                ]
            ),
            CommandGroup(name: "Call", subcommands: [CallCommand.self, CallsCommand.self]),
            CommandGroup(
                name: "File",
                subcommands: [
                    DocumentCommand.self, SelectCommand.self, FormatCommand.self, GenerateCommand.self,
                ]
            ),
            CommandGroup(name: "FHIR", subcommands: [FHIRCommand.self]),
            CommandGroup(name: "Study", subcommands: [StudyCommand.self]),
            CommandGroup(name: "Survey", subcommands: [SurveyCommand.self]),
            CommandGroup(name: "Samples", subcommands: [SamplesCommand.self]),
            CommandGroup(name: "Sandbox", subcommands: [SandboxCommand.self]),
        ]
    )

    /// A line with the subcommands whose names are near to a word that names none.
    static func suggestion(for arguments: [String]) -> String {
        suggestion(for: arguments.filter { !$0.hasPrefix("-") }[...], in: configuration)
    }

    private static func suggestion(for words: ArraySlice<String>, in command: CommandConfiguration) -> String
    {
        guard let word = words.first else { return "" }
        let names = command.subcommands.map { $0._commandName }
        if let index = names.firstIndex(of: word) {
            return suggestion(for: words.dropFirst(), in: command.subcommands[index].configuration)
        }
        let near = Spelling.near(to: word, among: names, completing: true)
        return near.isEmpty ? "" : "\nDid you mean \(near.joined(separator: " or "))?"
    }

    /// Runs the command that the arguments name, and ends with what its errors mean to the shell.
    static func main() async {
        StandardStreams.prepare()
        do {
            var command = try parseAsRoot()
            if var command = command as? AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch is StandardStreams.OutputClosed {
            Foundation.exit(ExitStatus.done.rawValue)
        } catch let error as ExitCode {
            exit(withError: error)
        } catch let error where exitCode(for: error) == .validationFailure {
            let message = fullMessage(for: error).replacing("Error: ", with: "error: ", maxReplacements: 1)
            StandardStreams.printError(message + suggestion(for: Array(CommandLine.arguments.dropFirst())))
            Foundation.exit(ExitStatus.wrongUse.rawValue)
        } catch {
            // Help and versions are thrown too, and are no failures.
            if exitCode(for: error).isSuccess { exit(withError: error) }
            let failure = CommandFailure(any: error) ?? CommandFailure(message(for: error))
            StandardStreams.printError(failure.description)
            Foundation.exit(failure.status.rawValue)
        }
    }
}
