import ArgumentParser
import Foundation
import Indivo
import Suggestions

struct ReportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports",
        abstract: "List the facts of a data model, such as Medication.",
        discussion: """
            indivo reports Medication
            indivo reports LabResult --json --filter testName_identifier=2951-2 \\
                --order -collectedAt --limit 10
            indivo reports LabResult --aggregate count:testName_title \\
                --group-by testName_title

            Fields are named as in the model (drugName_title) or as in Swift (drugName.title); created_at is when the \
            document was stored. The core models are \(DataModel.core.map(\.name).joined(separator: ", ")); \
            a server may have others, whose fields the tool knows by --models.

            --json prints an array of SDMJ objects, --xml SDMX. --csv has a column for each field that has a value \
            anywhere; of related models it tells how many there are. The table shows people a few of the columns.

            Of a model that the tool does not know, --json has numbers as texts and empty lists as null; give its SDML files \
            with --models, and they are numbers and lists.

            \(ExitStatus.help)
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var query: ReportQueryOptions

    @Option(
        help: ArgumentHelp("A folder of SDML files with models of your own.", valueName: "dir"),
        completion: .directory)
    var models: String?

    @Argument(help: "The name of the model.", completion: .list(DataModel.core.map(\.name)))
    var model: String

    func run() async throws {
        if let models { try SDMLModels.load(models) }
        let isName =
            !model.isEmpty
            && model.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x5F
            }
        guard isName else { throw unknownModel() }
        let source = ReportQuery.Source.model(named: model)
        let wanted = try query.query(of: source)
        let aggregate = try query.aggregate()
        let record = try await connection.openRecord(output.talk)
        do {
            if let aggregate {
                let results = try await record.aggregate(aggregate, over: source, matching: wanted)
                return try output.print(AggregateListing.listing(of: results), none: "No fact fits.")
            }
            let documents = try await output.talk.fetch(record.reports(ofModel: model, matching: wanted), "facts")
            try output.print(
                try ReportListing.listing(of: documents, fields: source.fields ?? []),
                none: "The record has no such facts.")
        } catch let error as IndivoError
            where error.reason == .notFound && !DataModel.core.contains(where: { $0.name == model })
        {
            throw unknownModel()
        }
    }

    /// The server alone knows all its models: only when it does not know one is the name wrong.
    private func unknownModel() -> CommandFailure {
        let names = DataModel.core.map(\.name)
        return CommandFailure(
            "the server knows no model “\(model.onOneLine)”\(Spelling.question(about: model, among: names)); "
                + "the core models are \(names.joined(separator: ", "))")
    }
}
