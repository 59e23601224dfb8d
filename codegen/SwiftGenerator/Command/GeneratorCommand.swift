import Foundation
import SDML

/// The tool `sdml2swift`, as a function: arguments in, messages and an exit status out.
public struct GeneratorCommand: Sendable {
    /// What a run of the tool gives.
    public struct Outcome: Sendable, Hashable {
        /// The exit status: 0 when all is well, 1 for problems in models or files that are not up to date, 2
        /// when the arguments make no sense or a file cannot be read or written.
        public var status: Int32
        /// What goes to standard output, a string a line.
        public var output: [String] = []
        /// What goes to standard error, a string a line.
        public var errors: [String] = []

        /// A run that ended so.
        public init(status: Int32, output: [String] = [], errors: [String] = []) {
            self.status = status
            self.output = output
            self.errors = errors
        }

        /// Writes the lines, and ends the program with the status.
        package func end() -> Never {
            for (lines, stream) in [(output, FileHandle.standardOutput), (errors, .standardError)] {
                // A reader that has gone away ends the tool quietly.
                try? stream.write(contentsOf: Data(lines.map { "\($0)\n" }.joined().utf8))
            }
            exit(status)
        }
    }

    /// Runs the tool with these arguments, the tool's name not among them.
    public static func run(_ arguments: [String]) -> Outcome {
        do {
            return try execute(arguments)
        } catch {
            return Outcome(status: 2, errors: ["error: \(error.message) Say --help for all options."])
        }
    }

    private typealias Failure = GeneratorArguments.Failure

    private static func execute(_ words: [String]) throws(Failure) -> Outcome {
        var arguments = try GeneratorArguments(words)
        if arguments.wantsHelp { return Outcome(status: 0, output: [GeneratorArguments.help]) }
        try arguments.readOptions()
        guard !arguments.inputs.isEmpty else { throw Failure("No file or folder of models is named.") }
        guard let output = arguments.output else { throw Failure("--output FOLDER is missing.") }

        let found = ModelFiles(arguments.inputs)
        let result = SwiftGenerator(options: arguments.options).generate(found.inputs)
        var outcome = Outcome(
            status: 0,
            errors: found.errors + found.warnings + result.diagnostics.map(\.description)
        )
        if result.hasErrors || !found.errors.isEmpty {
            outcome.status = found.errors.isEmpty ? 1 : 2
            return outcome
        }
        let folder = OutputFolder(path: output)
        folder.update(with: result.files, by: arguments, &outcome)
        return outcome
    }
}
