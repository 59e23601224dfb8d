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

    func open(_ connection: ConnectionOptions, _ talk: MessageOptions) async throws -> AppDocuments {
        let opened = try connection.open(talk)
        return allRecords ? try await opened.server().appDocuments : try await opened.record().appDocuments
    }
}

struct AppOptions: ParsableArguments {
    @OptionGroup var record: RecordOptions
    @OptionGroup var place: AppStorageOptions

    var output: OutputOptions { record.output }

    func open() async throws -> AppDocuments { try await place.open(record.connection, record.talk) }
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

struct AppDocumentsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(asking: "list", "List the app's documents.")

    @OptionGroup var options: AppOptions
    @OptionGroup var query: DocumentQueryOptions

    func run() async throws {
        let documents = try await options.output.talk.fetch(options.open().list(query.query), "documents")
        try options.output.print(
            .documents(documents.compactMap(\.metadata)),
            none: "The app keeps no such documents."
        )
    }
}

struct AppDocumentsGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "get",
        "Print one of the app's documents, byte for byte."
    )

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var talk: MessageOptions
    @OptionGroup var place: AppStorageOptions
    @OptionGroup var choice: DocumentChoice<AppDocumentsPlace>
    @OptionGroup var destination: ContentOutputOptions

    func run() async throws {
        let document = try await choice.find(in: place.open(connection, talk))
        if document.metadata == nil { try await document.refreshMetadata() }
        try destination.write(try await document.content())
    }
}

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
        let content = try file.read(options.output.talk)
        let storage = try await options.open()
        let document =
            if let externalId { try await storage.put(content, externalID: externalId) } else {
                try await storage.add(content)
            }
        if let label { try await document.setLabel(label) }
        try options.output.print(document.metadata)
    }
}

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
        let content = try file.read(options.output.talk)
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

struct AppDocumentsLabelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "label",
        "Set the label of one of the app's documents.",
        note: "An empty label takes it away."
    )

    @OptionGroup var options: AppOptions
    @OptionGroup var wanted: LabelOptions

    func run() async throws {
        let (id, label) = try wanted.read()
        let document = AppDocuments.Document(id: id, in: try await options.open())
        try await document.setLabel(label)
        try options.output.print(document.metadata)
    }
}

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
