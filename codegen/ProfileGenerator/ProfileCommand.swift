import FHIRValidation
import Foundation
import SwiftGenerator

/// `profile2swift` as a function from arguments to messages and a status.
package enum ProfileCommand {
    package typealias Outcome = GeneratorCommand.Outcome
    private typealias Failure = ArgumentReader.Failure

    /// Runs the tool with these arguments, the tool's name not among them.
    package static func run(_ words: [String]) -> Outcome {
        do throws(Failure) {
            var arguments = try ProfileArguments(words)
            if arguments.wantsHelp { return Outcome(status: 0, output: [ProfileArguments.help]) }
            try arguments.readOptions()
            guard let output = arguments.output else {
                throw Failure("--output FOLDER is missing.")
            }
            if arguments.inputs.isEmpty, arguments.profiles.isEmpty {
                throw Failure("No file, folder or package is named, and no --profile.")
            }
            return generate(arguments, into: output)
        } catch {
            return Outcome(status: 2, errors: ["error: \(error.message) Say --help for all options."])
        }
    }

    private static func generate(_ arguments: ProfileArguments, into output: String) -> Outcome {
        let definitions = FHIRDefinitions()
        var urls: [String] = []
        var remarks: [String] = []
        do throws(FHIRDefinitionsError) {
            for file in arguments.definitions {
                remarks += try definitions.add(contentsOf: URL(filePath: file))
            }
            for file in arguments.inputs {
                let added = try definitions.added(contentsOf: URL(filePath: file))
                urls += added.urls
                remarks += added.remarks
            }
        } catch {
            return Outcome(status: 2, errors: ["error: \(error)"])
        }
        let result = ProfileGenerator.generate(
            arguments.profiles.isEmpty ? urls : arguments.profiles,
            asked: Set(arguments.profiles),
            from: definitions,
            options: arguments.options
        )
        var outcome = Outcome(
            status: result.errors.isEmpty ? 0 : 1,
            errors: result.errors.map { "error: \($0)" }
        )
        if !arguments.isQuiet { outcome.errors += (remarks + result.remarks).map { "remark: \($0)" } }
        guard result.errors.isEmpty else { return outcome }
        let folder = OutputFolder(path: output, marker: ProfileGenerator.marker)
        folder.update(with: result.files, by: arguments, &outcome)
        return outcome
    }
}
