import ArgumentParser
import Indivo

struct AppDocumentsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "delete",
        "Delete one of the app's documents for good."
    )

    @OptionGroup var options: AppOptions
    @OptionGroup var choice: DocumentChoice<AppDocumentsPlace>

    func run() async throws {
        try await choice.find(in: options.open()).delete()
        try options.output.printDone("The document is deleted.")
    }
}
