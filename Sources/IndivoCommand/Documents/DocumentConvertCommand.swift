import ArgumentParser
import Foundation
import IndivoModel
import IndivoXML

struct DocumentConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Turn data models into SDMX (XML) or SDMJ (JSON).",
        discussion: """
            indivo document convert --to sdmj medications.xml > medications.json

            Reads either form and prints the other, or the same laid out anew. No field is lost on the way, those \
            that no model knows included. JSON's numbers, booleans and empty lists need the model: for models beyond \
            the core ones name the folder of their SDML.

            The exit status is 0 when the document was converted, 2 when something is wrong; then nothing is printed \
            to standard output.
            """)

    enum Form: String, ExpressibleByArgument, CaseIterable {
        case sdmx, sdmj
    }

    @Option(help: "The form to print: sdmx or sdmj.")
    var to: Form

    @Option(
        help: ArgumentHelp("A folder of SDML files with models of your own.", valueName: "dir"),
        completion: .directory)
    var models: String?

    @Flag(help: "Write fields that stand under older names under today's, which is all that a server takes.")
    var currentNames = false

    @Argument(help: "The file; - for standard input.", completion: .file())
    var file: String

    func run() throws {
        if let models { try SDMLModels.load(models) }
        let input = InputFile(path: file)
        let data = try input.read()
        let result: Data
        do {
            result = try convert(data)
        } catch let error as XMLError {
            throw CommandFailure(error.message + advice, at: input.place(error.line, error.column))
        } catch let error as SDMJError {
            throw CommandFailure(error.place + error.reason + advice, at: input.place(error.line, error.column))
        } catch let error as DocumentError {
            throw CommandFailure("\(error)\(advice)", at: input.place(error.line))
        }
        try StandardStreams.write(result)
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

    private var advice: String {
        file == "-" ? "" : "; for everything that is wrong with it: indivo document check \(file)"
    }
}

extension SDMJError {
    /// The path inside the JSON, ready to stand before the reason.
    var place: String { path.isEmpty ? "" : "\(path): " }
}
