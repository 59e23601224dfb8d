import ArgumentParser
import Foundation
import IndivoModel
import IndivoXML
import OrderedJSON

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
