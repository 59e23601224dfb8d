import ArgumentParser
import Foundation
import IndivoBase
import IndivoModel
import IndivoXML
import OrderedJSON

struct DocumentCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract:
            "Print what documents are, which of their content is understood, and all their problems.",
        discussion: """
            Reads data models (SDMX or SDMJ), typed documents such as Demographics and Equipment, \
            and what servers answer. Problems are printed as FILE:LINE: error: …; \
            they are what a server would refuse, XML that breaks the schema of its kind, \
            values that cannot be read, and names that no model knows.

            Older names of fields are warnings only: apps that use the library read them, and send today's.

            The exit status is 0 when there are no problems, 1 when there are, 2 when a file cannot be read.
            """
    )

    @Option(help: .value("dir", "A folder of SDML files with models of your own."), completion: .directory)
    var models: String?

    @Flag(
        help: """
            Print a JSON array with an object for each file: file, kind, class, documents (name, line, \
            understood), problems (severity, line, column, message) and notes.
            """
    )
    var json = false

    @Flag(help: "Treat warnings as problems.") var strict = false

    @Argument(help: "The files; - for standard input.", completion: .file()) var files: [String]

    func run() throws {
        if let models { try SDMLModels.load(models) }
        var objects: [JSONValue] = []
        var hasProblems = false
        var cannotRead = false
        for file in InputFile.all(files) {
            do {
                let checked = try CheckedFile(file)
                hasProblems =
                    hasProblems || checked.count(.error) > 0 || (strict && !checked.problems.isEmpty)
                if json {
                    objects.append(checked.json)
                } else {
                    for line in checked.lines { try StandardStreams.say(line.shown()) }
                }
            } catch let failure as CommandFailure {
                StandardStreams.printError("\(failure)")
                cannotRead = true
            }
        }
        if json { try StandardStreams.say(JSONValue(objects).text(.pretty)) }
        if cannotRead { throw ExitCode(2) }
        if hasProblems { throw ExitCode(1) }
    }
}
