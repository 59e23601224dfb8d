import ArgumentParser
import Indivo

struct AppDocumentsMetaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "meta",
        "Show the metadata of one of the app's documents."
    )

    @OptionGroup var options: AppOptions
    @OptionGroup var choice: DocumentChoice<AppDocumentsPlace>

    func run() async throws {
        try options.output.print(try await choice.find(in: options.open()).refreshMetadata())
    }
}
