import FHIRValidation
import Foundation
import SwiftGenerator

/// `profile2swift` as a function from arguments to messages and a status.
package enum ProfileCommand {
    package typealias Outcome = GeneratorCommand.Outcome
    private typealias Failure = ProfileArguments.Failure

    /// Runs the tool with these arguments, the tool's name not among them.
    package static func run(_ words: [String]) -> Outcome {
        do throws(Failure) {
            var arguments = try ProfileArguments(words)
            if arguments.wantsHelp { return Outcome(status: 0, output: [ProfileArguments.help]) }
            try arguments.readOptions()
            guard let output = arguments.output else {
                throw Failure(message: "--output FOLDER is missing.")
            }
            if arguments.inputs.isEmpty, arguments.profiles.isEmpty {
                throw Failure(message: "No file, folder or package is named, and no --profile.")
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
        if result.errors.isEmpty { write(result.files, arguments, output, &outcome) }
        return outcome
    }

    private static func write(
        _ files: [GeneratedFile],
        _ arguments: ProfileArguments,
        _ output: String,
        _ outcome: inout Outcome
    ) {
        let folder = OutputFolder(path: output, marker: ProfileGenerator.marker)
        do throws(OutputFolder.Failure) {
            let plan = try folder.plan(for: files)
            if !arguments.isCheck {
                try folder.apply(plan)
            } else if !plan.isEmpty {
                outcome.status = 1
                outcome.errors += (plan.written.map(\.name) + plan.removed).map {
                    "\(output)/\($0): error: This is not what the generator gives today."
                }
                return
            }
            if arguments.isQuiet { return }
            outcome.output.append(
                "\(output): \(plan.written.count) written, \(plan.unchanged.count) unchanged, "
                    + "\(plan.removed.count) removed."
            )
        } catch {
            outcome.status = 2
            outcome.errors += error.messages
        }
    }
}
