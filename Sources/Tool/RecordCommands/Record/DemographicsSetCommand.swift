import ArgumentParser
import Foundation
import Indivo

struct DemographicsSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "set",
        "Set who the patient is, from a Demographics document.",
        note: """
            Prints what the server says of the new document. What a server would refuse, \
            or could not report, such as a birth date before 1900, is not sent.
            """
    )

    @OptionGroup var options: RecordOptions

    @Argument(help: "The XML file; - for standard input.", completion: .file(extensions: ["xml"])) var file:
        String

    @Flag(help: "Send also what reports could not contain: the server alone decides.") var unchecked = false

    func run() async throws {
        let input = InputFile(path: file)
        let root = try input.parse()
        let demographics = try input.locating(
            advice: "; what it should be, “indivo demographics --xml” shows"
        ) {
            try Demographics.read(from: root)
        }
        try await options.open().setDemographics(demographics, validation: unchecked ? .none : .model)
        try options.output.print(demographics.metadata)
    }
}
