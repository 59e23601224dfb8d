import ArgumentParser
import Foundation

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
            StandardStreams.printError(fullMessage(for: error))
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
