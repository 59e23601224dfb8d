import ArgumentParser
import SwiftGenerator

struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Write Swift document classes for the models of SDML files.",
        usage: "indivo generate [options] <file-or-folder> … --output <folder>",
        discussion: "The same as sdml2swift: every option is handed on. indivo generate --help lists them."
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of sdml2swift.") var arguments: [String] =
        []

    func run() throws {
        let outcome = GeneratorCommand.run(arguments)
        for line in outcome.output {
            try StandardStreams.say(line.replacing("USAGE: sdml2swift", with: "USAGE: indivo generate"))
        }
        for line in outcome.errors { StandardStreams.printError(line) }
        if outcome.status != 0 { throw ExitCode(outcome.status) }
    }
}
