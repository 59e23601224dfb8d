import ArgumentParser
import FHIR
import Foundation
import RecordCommands
import StudyDelivery
import StudyServer
import StudyWarehouse

struct StudyExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write what a study's warehouse has into files.",
        discussion: """
            csv writes facts.csv, a row for each fact, dictionary.csv, what the concepts mean, \
            and columns.csv, what the columns mean; where the warehouse has samples in a table, a file of \
            them for each month, as samples-2026-03.csv, with samples-sources.csv and samples-columns.csv. \
            Where a text begins like a formula, \
            ' stands before it, for spreadsheets. \
            tables writes a table for each questionnaire, a row for each response and a column for each \
            link id, with codebook.csv, labels.csv, and read.py and read.R, which read them into pandas \
            and R with types and labels. stata writes the same as data sets (.dta) with labels. redcap \
            writes dictionary.csv, import-FORM.csv and codes.csv for a project of REDCap whose forms repeat, \
            odm writes odm.xml, CDISC's Operational Data Model 1.3.2. \
            ndjson writes a file of FHIR resources for each type, \
            as in QuestionnaireResponse.ndjson. pdo writes pdo.xml, i2b2's patient data object. \
            provenance-FORMAT.json says what wrote an export, when, from which commit and questionnaires, \
            how many rows each file has, and its digest.

            Participants have their pseudonyms. Of the resources, and of the answers in tables, names, \
            displays, identifiers, contacts, narratives and what names a device are left out, unless \
            --identities kept; --free-text omitted leaves out texts, notes and attachments, too. \
            For csv and pdo that is decided when the consumer loads. All but ndjson and pdo write \
            consents.csv, too, ndjson \
            Consent.ndjson, and pdo the consent of each patient in its blob: when it was signed, its \
            version, and whether the data may be shared. --audience sharing leaves out everybody whose \
            consent does not say that qualified researchers may have the data. The folder is made, with \
            mode 0700; nothing in it is overwritten.

            --files writes the files of packages instead, byte for byte, with manifest.ndjson: recordings of \
            sensors, pictures, results of tasks. The warehouse has them as they came, encrypted, so that \
            --keys names the folder of private keys; a pass phrase comes from INDIVO_KEY_PASSPHRASE. \
            The exit status is 1 when a package cannot be opened. \(ExitStatus.help)

            \(StudyPlace.help)
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case csv, tables, stata, redcap, odm, ndjson, pdo
    }

    @OptionGroup var store: StudyStoreOptions

    @Option(help: "csv, tables, stata, redcap, odm, ndjson or pdo.")
    var format: Format = .csv

    @Option(
        parsing: .upToNextOption,
        help: "Questionnaires, which give tables, stata, redcap and odm their order, labels and types.",
        completion: .json
    )
    var questionnaires: [String] = []

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

    @Option(help: "Whose data: study, all participants'; sharing, of those who share with researchers.")
    var audience: ExportAudience = .study

    @Option(help: "Write the files of packages into this folder.", completion: .directory)
    var files: String?

    @Option(help: "With --files: the folder of private keys.", completion: .directory)
    var keys: String?

    @OptionGroup var envelopes: StudyPKCS1Options

    @Option(name: .shortAndLong, help: "The folder.", completion: .directory)
    var output: String?

    @OptionGroup var console: MessageOptions

    func validate() throws {
        guard (files == nil) != (output == nil) else {
            throw ValidationError("Give either --output or --files.")
        }
        guard (files == nil) == (keys == nil) else {
            throw ValidationError("--files and --keys go together.")
        }
    }

    private func writeFiles(to path: String, _ keys: String) async throws {
        let ring = try StudyBackEnd.keys(keys, allowsPKCS1: envelopes.allowsPKCS1)
        let export = FileExport(warehouse: try await store.open(makes: false), keys: ring)
        var reported = ContinuousClock.now
        let report = try await export.write(
            to: URL(filePath: path, directoryHint: .isDirectory),
            of: audience
        ) {
            guard ContinuousClock.now > reported + .seconds(2) else { return }
            reported = .now
            console.note("\($0.packages) packages, \($0.bytes) bytes")
        }
        for failure in report.failed { StandardStreams.printError(failure) }
        try StandardStreams.say("\(report.packages) packages with \(report.files) files in \(path)")
        if !report.failed.isEmpty { throw ExitCode.nothingFound }
    }

    func run() async throws {
        try StudyAudit.record(
            "export",
            [
                "format": files == nil ? format.rawValue : "files", "audience": audience.rawValue,
                "folder": files ?? output ?? "", "identities": identities.rawValue,
            ]
        )
        if let files, let keys {
            do { return try await writeFiles(to: files, keys) } catch let error as StudyError {
                throw CommandFailure("\(error)")
            }
        }
        let output = output ?? ""
        let warehouse = try await store.open(makes: false)
        let folder = URL(filePath: output, directoryHint: .isDirectory)
        do {
            try PrivateFolder.make(folder)
            let request = StudyExportRequest(
                format: format,
                disclosure: Disclosure(freeText: freeText, identities: identities),
                audience: audience,
                questionnaires: try StudyBackEnd.questionnaires(questionnaires)
            )
            let written = try await warehouse.read {
                try StudyExportFiles($0, request, folder: folder).write()
            }
            for name in written { try StandardStreams.say("\(output)/\(name)") }
        } catch let error as StudyError {
            throw CommandFailure("\(error)")
        } catch let error as WarehouseError {
            throw CommandFailure("\(error)")
        }
    }
}
