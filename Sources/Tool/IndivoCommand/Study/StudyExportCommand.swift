import ArgumentParser
import FHIR
import Foundation
import StudyDelivery
import StudyWarehouse

struct StudyExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write what a study's warehouse has into files.",
        discussion: """
            csv writes facts.csv, a row for each fact, dictionary.csv, what the concepts mean, \
            and columns.csv, what the columns mean. Where a text begins like a formula, \
            ' stands before it, for spreadsheets. ndjson writes a file of FHIR resources for each type, \
            as in QuestionnaireResponse.ndjson. pdo writes pdo.xml, i2b2's patient data object. \
            Participants have their pseudonyms. Of the resources names, displays, identifiers, \
            contacts, narratives and what names a device are left out, unless --identities kept; \
            --free-text omitted leaves out texts, notes and attachments, too. \
            For csv and pdo that is decided when the consumer loads. The folder is made, with mode 0700; \
            nothing in it is overwritten. \(ExitStatus.help)

            \(StudyPlace.help)
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable { case csv, ndjson, pdo }

    @OptionGroup var store: StudyStoreOptions

    @Option(help: "csv, ndjson or pdo.")
    var format: Format = .csv

    @Option(help: "Texts in the participants' own words in ndjson: loaded, or omitted.")
    var freeText: ResponseMapper.FreeText = .loaded

    @Option(
        help:
            """
            Names and identifiers of people and devices in ndjson: removed, or kept as far as \
            the warehouse has them.
            """
    )
    var identities: Disclosure.Identities = .removed

    @Option(name: .shortAndLong, help: "The folder.", completion: .directory)
    var output: String

    @OptionGroup var talk: MessageOptions

    func run() async throws {
        let warehouse = try await store.open(makes: false)
        let folder = URL(filePath: output, directoryHint: .isDirectory)
        do {
            try PrivateFolder.make(folder)
            let format = format
            let disclosure = Disclosure(freeText: freeText, identities: identities)
            let written = try await warehouse.read { try Self.write($0, format, disclosure, to: folder) }
            for name in written { try StandardStreams.say("\(output)/\(name)") }
        } catch let error as StudyError {
            throw CommandFailure("\(error)")
        }
    }

    /// The names of the files.
    private static func write(
        _ warehouse: WarehouseTransaction,
        _ format: Format,
        _ disclosure: Disclosure,
        to folder: URL
    ) throws -> [String] {
        switch format {
        case .csv:
            try NewFile(folder.appending(path: "facts.csv")).write { write in
                try write(CSV.data(header: WarehouseTransaction.factColumns.map(\.name), rows: []))
                try warehouse.eachFact { try write(CSV.data(header: $0, rows: [])) }
            }
            let dictionary = CSV.data(
                header: ["concept", "name", "path", "source"],
                rows: try warehouse.dictionary()
            )
            try NewFile(folder.appending(path: "dictionary.csv")).write { try $0(dictionary) }
            let columns = WarehouseTransaction.factColumns.map { [$0.name, $0.meaning] }
            try NewFile(folder.appending(path: "columns.csv")).write {
                try $0(CSV.data(header: ["column", "meaning"], rows: columns))
            }
            return ["facts.csv", "dictionary.csv", "columns.csv"]
        case .ndjson:
            var names: [String] = []
            for type in try warehouse.resourceTypes() {
                let name = "\(type).ndjson"
                try NewFile(folder.appending(path: name)).write { write in
                    try warehouse.eachResource(type, disclosure) { try write(Data(($0 + "\n").utf8)) }
                }
                names.append(name)
            }
            return names
        case .pdo:
            try NewFile(folder.appending(path: "pdo.xml")).write { write in
                try warehouse.writePDO { try write(Data($0.utf8)) }
            }
            return ["pdo.xml"]
        }
    }
}
