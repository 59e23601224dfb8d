import ArgumentParser
import Indivo

struct DocumentsGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "get",
        "Print a document as it is stored, byte for byte.",
        note: "What comes is checked against the server's digest."
    )

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var console: MessageOptions
    @OptionGroup var choice: DocumentChoice<RecordDocuments>
    @OptionGroup var destination: ContentOutputOptions

    func run() async throws {
        let document = try await choice.find(in: connection.open(console).record())
        // The digest to check against.
        try await document.refreshMetadata()
        try destination.write(try await document.fetchContent())
    }
}
