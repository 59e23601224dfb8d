import ArgumentParser
import Indivo

struct AppDocumentsGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "get",
        "Print one of the app's documents, byte for byte."
    )

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var console: MessageOptions
    @OptionGroup var place: AppStorageOptions
    @OptionGroup var choice: DocumentChoice<AppDocumentsPlace>
    @OptionGroup var destination: ContentOutputOptions

    func run() async throws {
        let document = try await choice.find(in: place.open(connection, console))
        if document.metadata == nil { try await document.refreshMetadata() }
        try destination.write(try await document.content())
    }
}
