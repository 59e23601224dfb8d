import ArgumentParser
import FHIR
import Foundation
import Indivo
import IndivoFHIR
import RecordCommands

struct FHIRExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print a whole record as a bundle of FHIR R4.",
        discussion: """
            indivo fhir export > bundle.json
            indivo fhir export --from patients/1032702 \\
                --transaction --report unmapped.json > bundle.json
            indivo fhir export --document ips > summary.json

            What has no element in FHIR is counted on standard error, and listed with --report: \
            which document, which field and why, never the value. --verbose lists it on standard error.

            \(ExitStatus.help)
            """
    )

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var console: MessageOptions

    @Option(
        help: .value(
            "folder",
            "A folder of one patient's documents, instead of the record."
        ),
        completion: .directory
    )
    var from: String?

    @Flag(help: "Make a transaction, to send to a FHIR server; sending it again updates.")
    var transaction = false

    @Option(help: "Make a document: an International Patient Summary (ips).")
    var document: Document?

    enum Document: String, CaseIterable, ExpressibleByArgument { case ips }

    @Flag(help: "Print the JSON without white space.")
    var compact = false

    @Option(help: .value("file", "Write what had no element, as JSON."), completion: .file())
    var report: String?

    func validate() throws {
        guard document == nil || !transaction else {
            throw ValidationError(
                "A document is not sent as a transaction: leave out --transaction or --document."
            )
        }
    }

    func run() async throws {
        let content: RecordContent
        if let from {
            content = try folder(from)
        } else {
            content = try await connection.record(console).content()
        }
        let export =
            document == .ips
            ? content.patientSummary(at: FHIRInstant(Date()))
            : content.fhirBundle(transaction ? .transaction : .collection)
        if let report { try write(export.unmapped, to: report) }
        try StandardStreams.write(export.bundle.json(compact ? .compact : .pretty) + Data("\n".utf8))
        tell(export)
    }

    private func folder(_ path: String) throws -> RecordContent {
        do {
            let (content, ignored) = try RecordContent.folder(URL(filePath: path))
            switch ignored.count {
            case 0: break
            case 1: console.note("\(path): 1 file is not XML by its name and was left out")
            case let count:
                console.note("\(path): \(count) files are not XML by their names and were left out")
            }
            return content
        } catch let error as RecordContent.FolderError {
            throw CommandFailure(error.reason, at: "\(path): \(error.file):")
        } catch {
            throw CommandFailure("\(path): the folder cannot be read: \(error.localizedDescription)")
        }
    }

    private func write(_ unmapped: [UnmappedField], to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try encoder.encode(unmapped).write(toFileNamed: path)
        } catch {
            throw CommandFailure("\(path): the file cannot be written: \(error.localizedDescription)")
        }
    }

    private func tell(_ export: FHIRExport) {
        let unmapped = export.unmapped
        console.note(
            """
            \(export.bundle.entry.count) resources; \(unmapped.count) \
            \(unmapped.count == 1 ? "field" : "fields") had no element
            """
        )
        let reasons = Dictionary(grouping: unmapped) { field in
            // One line for the same field of many facts.
            let name = field.field.replacing(/\[[0-9]+\]/, with: "[]")
            return "\(field.model.isEmpty ? name : "\(field.model).\(name)"): \(field.reason.rawValue)"
        }
        for (field, found) in reasons.sorted(by: { $0.key < $1.key }) {
            console.note("  \(found.count) × \(field)")
        }
        if console.verbose { for field in unmapped { console.note("  \(field)") } }
    }
}
