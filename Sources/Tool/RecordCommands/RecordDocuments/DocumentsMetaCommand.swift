import ArgumentParser
import Indivo

struct DocumentsMetaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "meta",
        "Show the metadata of a document: creator, time, label, status, versions."
    )

    @OptionGroup var document: DocumentOptions

    func run() async throws { try document.output.print(try await document.find().refreshMetadata()) }
}
