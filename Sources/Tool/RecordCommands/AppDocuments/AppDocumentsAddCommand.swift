import ArgumentParser
import Indivo

struct AppDocumentsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "add",
        "Store a document of the app, and print its metadata.",
        discussion:
            """
            With --external-id a document that has it is overwritten, and a lost response adds nothing twice.
            """
    )

    @OptionGroup var options: AppOptions
    @OptionGroup var file: DocumentFileOptions

    @Option(help: .value("id", "An id of the app's own for it.")) var externalId: String?

    @Option(help: "The document's label.") var label: String?

    func run() async throws {
        let content = try file.read(options.output.console)
        let storage = try await options.open()
        let document =
            if let externalId { try await storage.put(content, externalID: externalId) } else {
                try await storage.add(content)
            }
        if let label { try await document.setLabel(label) }
        try options.output.print(document.metadata)
    }
}
