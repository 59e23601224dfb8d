import ArgumentParser
import Foundation
import IndivoBase
import IndivoModel
import IndivoXML
import OrderedJSON

struct DocumentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "document",
        abstract: "Check and convert documents of a health record.",
        subcommands: [DocumentCheckCommand.self, DocumentConvertCommand.self]
    )
}

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

struct DocumentConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Turn data models into SDMX (XML) or SDMJ (JSON).",
        discussion: """
            indivo document convert --to sdmj medications.xml > medications.json

            Reads either form and prints the other, or the same laid out anew. No field is lost on the way, \
            those that no model knows included. JSON's numbers, booleans and empty lists need the model: \
            for models beyond the core ones name the folder of their SDML.

            The exit status is 0 when the document was converted, 2 when something is wrong; \
            then nothing is printed to standard output.
            """
    )

    enum Form: String, ExpressibleByArgument, CaseIterable { case sdmx, sdmj }

    @Option(help: "The form to print: sdmx or sdmj.") var to: Form

    @Option(help: .value("dir", "A folder of SDML files with models of your own."), completion: .directory)
    var models: String?

    @Flag(help: "Write fields that have older names under their current names; a server takes only these.")
    var currentNames = false

    @Argument(help: "The file; - for standard input.", completion: .file()) var file: String

    func run() throws {
        if let models { try SDMLModels.load(models) }
        let input = InputFile(path: file)
        let data = try input.read()
        let advice =
            file == "-" ? "" : "; for everything that is wrong with it: indivo document check \(file)"
        try StandardStreams.write(try input.locating(advice: advice) { try convert(data) })
    }

    private func convert(_ data: Data) throws -> Data {
        // Values that no type takes are converted as they are: to judge them is the check's business.
        var unreadable: [DocumentError] = []
        let document =
            SDMJ.isLikely(data)
            ? try SDMXDocument(json: data, problems: &unreadable)
            : try SDMXDocument(XMLNode(parsing: data), problems: &unreadable)
        let naming: IndivoDocument.FieldNaming = currentNames ? .current : .asRead
        switch to {
        case .sdmx: return try document.xml(naming: naming).document.data(.pretty)
        case .sdmj: return try document.json(naming: naming)
        }
    }
}
