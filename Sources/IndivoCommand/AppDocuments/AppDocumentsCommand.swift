import ArgumentParser
import Indivo

struct AppDocumentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-documents",
        abstract: "List, read, add and change what the app keeps for itself, in the record or for all records.",
        discussion: """
            indivo app-documents add settings.json --external-id settings
            indivo app-documents get --external-id settings
            indivo app-documents list --all-records

            Nobody else sees these documents, and a server keeps no older versions of them.
            """,
        subcommands: [
            AppDocumentsListCommand.self, AppDocumentsGetCommand.self, AppDocumentsAddCommand.self,
            AppDocumentsReplaceCommand.self, AppDocumentsLabelCommand.self, AppDocumentsMetaCommand.self,
            AppDocumentsDeleteCommand.self,
        ])
}

/// Where the app keeps its documents.
struct AppStorageOptions: ParsableArguments {
    @Flag(help: "What the app keeps whatever the record; no login is needed.")
    var allRecords = false

    func storage(_ connection: ConnectionOptions, _ talk: TalkOptions) async throws -> AppDocuments {
        if allRecords { return try await connection.server(talk).appDocuments }
        return try await connection.openRecord(talk).appDocuments
    }
}

/// Which of the app's documents a command is about.
struct AppDocumentChoice: ParsableArguments {
    @Argument(help: "The document's id.")
    var id: String?

    @Option(help: ArgumentHelp("The app's own id of the document, instead of its id.", valueName: "id"))
    var externalId: String?

    func validate() throws {
        if (id == nil) == (externalId == nil) {
            throw ValidationError("Name the document, by its id or with --external-id; “indivo app-documents list” lists the ids.")
        }
    }

    func find(in storage: AppDocuments) async throws -> AppDocuments.Document {
        if let id { return AppDocuments.Document(id: try DocumentID(id).text, in: storage) }
        let external = externalId ?? ""
        return try await storage.document(externalID: external).orFail(
            "the app has no document with the external id \(external) here; "
                + "“indivo app-documents list” lists what it has",
            .nothingFound)
    }
}

struct AppDocumentsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the app's documents.", discussion: ExitStatus.help)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: AppStorageOptions
    @OptionGroup var query: DocumentQueryOptions

    func run() async throws {
        let storage = try await place.storage(connection, output.talk)
        let documents = try await output.talk.fetch(storage.list(query.query), "documents")
        try output.print(MetadataListing.many(documents.compactMap(\.metadata)), none: "The app keeps no such documents.")
    }
}

struct AppDocumentsGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print one of the app's documents, byte for byte.",
        discussion: ExitStatus.help)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var talk: TalkOptions
    @OptionGroup var place: AppStorageOptions
    @OptionGroup var document: AppDocumentChoice
    @OptionGroup var destination: ContentOutputOptions

    func run() async throws {
        let storage = try await place.storage(connection, talk)
        let document = try await document.find(in: storage)
        if document.metadata == nil { try await document.refreshMetadata() }
        try destination.write(try await document.content())
    }
}

struct AppDocumentsMetaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "meta", abstract: "Show what the server says of one of the app's documents.",
        discussion: ExitStatus.help)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: AppStorageOptions
    @OptionGroup var document: AppDocumentChoice

    func run() async throws {
        let storage = try await place.storage(connection, output.talk)
        let metadata = try await document.find(in: storage).refreshMetadata()
        try output.print(metadata)
    }
}

struct AppDocumentsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Keep a document for the app, and print what the server says of it.",
        discussion: """
            With --external-id a document that has it is overwritten, and a lost response adds nothing twice.

            \(ExitStatus.help)
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: AppStorageOptions
    @OptionGroup var file: DocumentFileOptions

    @Option(help: ArgumentHelp("An id of the app's own for it.", valueName: "id"))
    var externalId: String?

    @Option(help: "The document's label.")
    var label: String?

    func run() async throws {
        let content = try file.read(output.talk)
        let storage = try await place.storage(connection, output.talk)
        let document: AppDocuments.Document
        if let externalId {
            document = try await storage.put(content, externalID: externalId)
        } else {
            document = try await storage.add(content)
        }
        if let label { try await document.setLabel(label) }
        try output.print(document.metadata)
    }
}

struct AppDocumentsReplaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replace",
        abstract: "Overwrite one of the app's documents with a file.",
        discussion: """
            In a record documents are overwritten by their external id, for all records (--all-records) by their id:
            indivo app-documents replace --external-id settings settings.json
            indivo app-documents replace --all-records --id ID settings.json

            \(ExitStatus.help)
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: AppStorageOptions
    @OptionGroup var file: DocumentFileOptions

    @Option(help: "The document's id.")
    var id: String?

    @Option(help: ArgumentHelp("The app's own id of the document.", valueName: "id"))
    var externalId: String?

    func validate() throws {
        if (id == nil) == (externalId == nil) {
            throw ValidationError("Name the document with --external-id or --id.")
        }
        if id != nil && !place.allRecords {
            throw ValidationError("In a record a document is overwritten by its external id only: give --external-id.")
        }
    }

    func run() async throws {
        let content = try file.read(output.talk)
        let storage = try await place.storage(connection, output.talk)
        let document: AppDocuments.Document
        if let id {
            document = AppDocuments.Document(id: try DocumentID(id).text, in: storage)
            // Of an unknown id a server would make a document with another.
            try await document.refreshMetadata()
            try await document.replace(with: content)
        } else {
            let external = externalId ?? ""
            guard try await storage.document(externalID: external) != nil else {
                throw CommandFailure(
                    "the app has no document with the external id \(external) here; "
                        + "“indivo app-documents add” makes one",
                    status: .nothingFound)
            }
            document = try await storage.put(content, externalID: external)
        }
        try output.print(document.metadata)
    }
}

struct AppDocumentsLabelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label", abstract: "Set the label of one of the app's documents.",
        discussion: "An empty label takes it away. \(ExitStatus.help)")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: AppStorageOptions

    @Argument(help: "The document's id.")
    var id: String

    @Argument(help: "The label, at most 100 characters; - reads it from standard input.")
    var text: String

    func run() async throws {
        let id = try DocumentID(id)
        let label = try InputFile.argument(text)
        let document = AppDocuments.Document(id: id.text, in: try await place.storage(connection, output.talk))
        try await document.setLabel(label)
        try output.print(document.metadata)
    }
}

struct AppDocumentsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete one of the app's documents for good.", discussion: ExitStatus.help)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: AppStorageOptions
    @OptionGroup var document: AppDocumentChoice

    func run() async throws {
        let storage = try await place.storage(connection, output.talk)
        try await document.find(in: storage).delete()
        try output.printDone("The document is deleted.")
    }
}
