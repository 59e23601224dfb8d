import ArgumentParser
import Indivo

struct DocumentsStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "status",
        "Set a document's status: active, archived (right, but no longer current) or void (made in error)."
    )

    @OptionGroup var options: RecordOptions

    @Argument(help: "The document's id.") var id: String

    @Argument(help: "The status.") var status: DocumentStatus

    @Option(help: "Why; - reads it from standard input.") var reason: String

    func run() async throws {
        let id = try documentID(id)
        let reason = try InputFile.argument(reason)
        if reason.isEmpty { throw CommandFailure("a change of status needs a reason; give it with --reason") }
        let document = FileDocument(id: id, in: try await options.open())
        try await document.setStatus(status, reason: reason)
        if !options.output.json { return options.console.note("The document is \(status.rawValue) now.") }
        try options.output.print(try await document.refreshMetadata())
    }
}
