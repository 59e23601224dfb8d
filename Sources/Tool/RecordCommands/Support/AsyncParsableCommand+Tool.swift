import ArgumentParser
import Foundation
import IndivoBase

extension AsyncParsableCommand {
    /// A line with the subcommands whose names are near to a word that names none.
    private static func suggestion(for arguments: [String]) -> String {
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
    ///
    /// - Parameter failure: What is said of an error, and the status; `nil` for the parser's.
    package static func runTool(
        failing failure: (any Error) -> CommandFailure? = { CommandFailure(any: $0) }
    ) async {
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
            let told = failure(error) ?? CommandFailure(message(for: error))
            StandardStreams.printError(told.description)
            Foundation.exit(told.status.rawValue)
        }
    }
}
