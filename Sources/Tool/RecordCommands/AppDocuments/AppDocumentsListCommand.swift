import ArgumentParser
import Indivo

struct AppDocumentsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(asking: "list", "List the app's documents.")

    @OptionGroup var options: AppOptions
    @OptionGroup var query: DocumentQueryOptions

    func run() async throws {
        let documents = try await options.output.console.fetch(options.open().list(query.query), "documents")
        try options.output.print(
            .documents(documents.compactMap(\.metadata)),
            none: "The app keeps no such documents."
        )
    }
}
