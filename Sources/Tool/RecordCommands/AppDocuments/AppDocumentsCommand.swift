import ArgumentParser
import Indivo

struct AppDocumentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-documents",
        abstract:
            "List, read, add and change the app's own documents, of the record or of no record.",
        discussion: """
            indivo app-documents add settings.json --external-id settings
            indivo app-documents get --external-id settings
            indivo app-documents list --all-records

            Nobody else sees these documents, and a server keeps no older versions of them.
            """,
        subcommands: [
            AppDocumentsListCommand.self, AppDocumentsGetCommand.self, AppDocumentsAddCommand.self,
            AppDocumentsReplaceCommand.self,
            AppDocumentsLabelCommand.self, AppDocumentsMetaCommand.self, AppDocumentsDeleteCommand.self,
        ]
    )
}

/// Where the app keeps its documents.
struct AppStorageOptions: ParsableArguments {
    @Flag(help: "The app's documents that belong to no record; no login is needed.") var allRecords = false

    func open(_ connection: ConnectionOptions, _ console: MessageOptions) async throws -> AppDocuments {
        let opened = try connection.open(console)
        return allRecords ? try await opened.server().appDocuments : try await opened.record().appDocuments
    }
}

struct AppOptions: ParsableArguments {
    @OptionGroup var record: RecordOptions
    @OptionGroup var place: AppStorageOptions

    var output: OutputOptions { record.output }

    func open() async throws -> AppDocuments { try await place.open(record.connection, record.console) }
}

enum AppDocumentsPlace: DocumentAddress { static let command = "app-documents" }

extension DocumentChoice<AppDocumentsPlace> {
    func find(in storage: AppDocuments) async throws -> AppDocuments.Document {
        try await find {
            AppDocuments.Document(id: $0, in: storage)
        } _: {
            try await storage.document(externalID: $0)
        }
    }
}
