import ArgumentParser
import Indivo

struct DocumentsReplaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "replace",
        "Store a file as the new version of a document, and print its metadata.",
        discussion: """
            indivo documents get ID > document.xml
            indivo documents replace ID document.xml

            Only the newest version can be replaced. The new version has an id of its own; \
            the old one stays among the versions.
            """
    )

    @OptionGroup var options: RecordOptions

    @Argument(help: "The document's id.") var id: String

    @OptionGroup var file: DocumentFileOptions

    @Option(help: .value("id", "An id of the app's own for the new version; one is made unless given."))
    var externalId: String?

    func run() async throws {
        let id = try documentID(id)
        let content = try file.read(options.console)
        let document = FileDocument(id: id, in: try await options.open())
        // A server says 404 to an old version as it does to a wrong id.
        try await document.refreshMetadata()
        if let newest = document.metadata?.latest?.id ?? document.metadata?.replacedBy?.id, newest != id {
            throw CommandFailure(
                "\(id) was replaced already; the newest version is \(newest), and "
                    + "“indivo documents versions \(id)” lists them all",
                status: .refused
            )
        }
        document.content = content
        do {
            try await document.replace(externalID: externalId.map { .chosen($0) } ?? .generated)
        } catch let error as IndivoError where error.reason == .notFound {
            throw CommandFailure(
                """
                the server refuses the new content, and does not say why (404, though the document is there)
                next: “indivo document check \(file.path == "-" ? "FILE" : file.path)” tells what \
                a server would refuse
                """,
                status: .refused
            )
        } catch let error as IndivoError {
            throw CommandFailure.refusing(file.path, error, options.console)
        }
        try options.output.print(document.metadata)
    }
}

extension CommandFailure {
    /// A server's refusal of a file, with the command that tells what is wrong with it.
    static func refusing(_ path: String, _ error: IndivoError, _ console: MessageOptions)
        -> any Error
    {
        guard case .invalid = error.reason, path != "-" else { return error }
        let failure = CommandFailure(error, isVerbose: console.verbose)
        let description = failure.description.replacing("document check FILE", with: "document check \(path)")
        return CommandFailure(description: description, status: failure.status)
    }
}
