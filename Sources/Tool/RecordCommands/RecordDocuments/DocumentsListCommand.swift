import ArgumentParser
import Indivo

struct DocumentsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "list",
        "List documents, without versions that were replaced.",
        discussion: """
            A server does not say in its list what a document is. --type lists those with one root element, \
            such as Models; “indivo reports MODEL” lists the facts of a data model, and “indivo documents \
            get ID” prints a document.

            --json prints an array of metadata objects with id, label, status, createdAt, \
            creator, size and more.
            """
    )

    @OptionGroup var options: RecordOptions
    @OptionGroup var query: DocumentQueryOptions

    func run() async throws {
        let documents = try await options.console.fetch(options.open().documents(query.query), "documents")
        try options.output.print(
            .documents(documents.compactMap(\.metadata)),
            none: "The record has no such documents."
        )
    }
}
