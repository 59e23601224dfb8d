import ArgumentParser
import Indivo

struct DocumentsVersionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "versions",
        "List all versions of a document, the earliest first."
    )

    @OptionGroup var document: DocumentOptions

    func run() async throws {
        let versions = try await document.find().versions()
        try document.output.print(.documents(versions), none: "The document has no versions.")
    }
}
