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
        if let file = arguments.optionsFile { try readOptions(file, into: &arguments) }
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
        do {
            let folder = OutputFolder(path: output)
            let plan = try folder.plan(for: result.files)
            if !arguments.isCheck { try folder.apply(plan) }
            if arguments.isCheck, !plan.isEmpty {
                outcome.status = 1
                outcome.errors += differences(plan, in: output, command: arguments.options.command)
            } else if !arguments.isQuiet {
                let upToDate = "\(count(plan.unchanged.count)) in \(output), up to date."
                outcome.output.append(arguments.isCheck ? upToDate : summary(of: plan, in: output))
            }
        } catch {
            outcome.status = 2
            outcome.errors += error.messages
        }
        return outcome
    }

    private static func readOptions(_ file: String, into arguments: inout GeneratorArguments) throws(Failure)
    {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw Failure("\(file) cannot be read.")
        }
        let words = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
            .flatMap { $0.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace) }.map(String.init)
        let given = arguments
        do throws(Failure) {
            try arguments.read(words)
            if arguments.inputs != given.inputs {
                throw Failure("it names files, and may hold options only.")
            }
            // Where the output goes is for who calls the tool to say: a plugin has told the build already.
            if arguments.output != given.output || arguments.optionsFile != given.optionsFile {
                throw Failure("--output and --options stand on the command line only.")
            }
            if let name = given.options.singleFile, arguments.options.singleFile != name {
                throw Failure("--single-file was given on the command line, as \(name).")
            }
        } catch {
            throw Failure("\(file): \(error.message)")
        }
    }

    private static func differences(_ plan: OutputFolder.Plan, in folder: String, command: String?)
        -> [String]
    {
        plan.written.map { "\(folder)/\($0.name): error: This is not what the generator gives today." }
            + plan.removed.map { "\(folder)/\($0): error: The generator does not give this file any more." }
            + [
                """
                error: The generated files are not up to date. \
                \(command.map { "Run \($0)." } ?? "Generate again.")
                """
            ]
    }

    private static func summary(of plan: OutputFolder.Plan, in folder: String) -> String {
        let removed =
            plan.removed.isEmpty
            ? "" : ", \(plan.removed.count) removed (\(plan.removed.joined(separator: ", ")))"
        return "\(folder): \(count(plan.written.count)) written, \(plan.unchanged.count) unchanged\(removed)."
    }

    private static func count(_ files: Int) -> String { files == 1 ? "1 file" : "\(files) files" }
}
