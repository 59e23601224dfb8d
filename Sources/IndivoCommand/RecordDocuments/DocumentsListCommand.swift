import ArgumentParser
import Indivo

/// Which documents of a list are wanted, in which order.
struct DocumentQueryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only documents with this root element: Models (all data models), Equipment, Annotation, or a URI.",
            valueName: "type"))
    var type: String?

    @Option(help: "Only documents of this status.")
    var status = DocumentStatus.active

    @Option(help: "By what they are ordered; the newest come first unless given.")
    var order: DocumentQuery.Order.Key?

    @Flag(help: "The other way round.")
    var descending = false

    @Option(help: ArgumentHelp("How many at most.", valueName: "number"))
    var limit: Int?

    @Option(help: ArgumentHelp("How many to leave out at the beginning.", valueName: "number"))
    var offset = 0

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is 1 or more.") }
        if offset < 0 { throw ValidationError("--offset is 0 or more.") }
        if descending && order == nil { throw ValidationError("--descending goes with --order.") }
    }

    var query: DocumentQuery {
        DocumentQuery(
            type: type.map { DocumentQuery.DocumentType($0) }, status: status,
            order: order.map { descending ? .descending($0) : .ascending($0) }, limit: limit, offset: offset)
    }
}

struct DocumentsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List documents, without versions that were replaced.",
        discussion: """
            A server does not say in its list what a document is. --type lists those with one root element, such as Models; \
            “indivo reports MODEL” lists the facts of a data model, and “indivo documents get ID” prints a document.

            --json prints an array of metadata objects with id, label, status, createdAt, creator, size and more.

            \(ExitStatus.help)
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var query: DocumentQueryOptions

    func run() async throws {
        let record = try await connection.openRecord(output.talk)
        let documents = try await output.talk.fetch(record.documents(query.query), "documents")
        try output.print(
            MetadataListing.many(documents.compactMap(\.metadata)), none: "The record has no such documents.")
    }
}

struct DocumentsVersionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions",
        abstract: "List all versions of a document, the earliest first.",
        discussion: ExitStatus.help)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var document: DocumentChoice

    func run() async throws {
        let record = try await connection.openRecord(output.talk)
        let versions = try await document.find(in: record).versions()
        try output.print(MetadataListing.many(versions), none: "The document has no versions.")
    }
}

struct DocumentsHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List the changes of a document's status, the earliest first.",
        discussion: "A document whose status never changed has none, and the exit status is 1. \(ExitStatus.help)")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var document: DocumentChoice

    func run() async throws {
        let record = try await connection.openRecord(output.talk)
        let document = try await document.find(in: record)
        let changes = try await document.statusHistory()
        try output.print(
            MetadataListing.history(changes, of: document.id ?? ""), none: "The document's status never changed.")
    }
}

extension DocumentQuery.Order.Key: ExpressibleByArgument {
    public init?(argument: String) { self.init(rawValue: argument) }
}
