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
        try GeneratorCommand.run(arguments).say(as: "indivo generate", insteadOf: "sdml2swift")
    }
}

extension GeneratorCommand.Outcome {
    /// Says what a generator has said, under the name of a command of the tool.
    package func say(as command: String, insteadOf generator: String) throws {
        for line in output {
            try StandardStreams.say(line.replacing("USAGE: \(generator)", with: "USAGE: \(command)"))
        }
        for line in errors { StandardStreams.printError(line) }
        if status != 0 { throw ExitCode(status) }
    }
}
