import ArgumentParser
import Indivo

struct AppDocumentsReplaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "replace",
        "Overwrite one of the app's documents with a file.",
        discussion: """
            In a record documents are overwritten by their external id, for all records (--all-records) \
            by their id:
            indivo app-documents replace --external-id settings settings.json
            indivo app-documents replace --all-records --id ID settings.json
            """
    )

    @OptionGroup var options: AppOptions
    @OptionGroup var file: DocumentFileOptions

    @Option(help: "The document's id.") var id: String?

    @Option(help: .value("id", "The app's own id of the document.")) var externalId: String?

    func validate() throws {
        if (id == nil) == (externalId == nil) {
            throw ValidationError("Name the document with --external-id or --id.")
        }
        if id != nil && !options.place.allRecords {
            throw ValidationError(
                "In a record a document is overwritten by its external id only: give --external-id."
            )
        }
    }

    func run() async throws {
        let content = try file.read(options.output.console)
        let storage = try await options.open()
        let document: AppDocuments.Document
        if let id {
            document = AppDocuments.Document(id: try documentID(id), in: storage)
            // Of an unknown id a server would make a document with another.
            try await document.refreshMetadata()
            try await document.replace(with: content)
        } else {
            let external = externalId ?? ""
            _ = try await storage.document(externalID: external).orFail(
                """
                the app has no document with the external id \(external) here; \
                “indivo app-documents add” makes one
                """,
                .nothingFound
            )
            document = try await storage.put(content, externalID: external)
        }
        try options.output.print(document.metadata)
    }
}
