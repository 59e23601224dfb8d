import ArgumentParser
import Foundation
import Indivo
import OrderedJSON

struct DocumentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "documents",
        abstract: "List, read, add and change the record's documents.",
        discussion: """
            indivo documents list
            indivo documents get ID > document.xml
            indivo documents add medication.xml
            indivo documents replace ID medication.xml
            indivo documents status ID void --reason 'entered twice'

            To look at files before they are sent: indivo document check.
            """,
        subcommands: [
            DocumentsListCommand.self, DocumentsGetCommand.self, DocumentsAddCommand.self,
            DocumentsReplaceCommand.self,
            DocumentsLabelCommand.self, DocumentsStatusCommand.self, DocumentsMetaCommand.self,
            DocumentsHistoryCommand.self, DocumentsVersionsCommand.self, DocumentsRelateCommand.self,
            DocumentsRelatedCommand.self, DocumentsCarenetsCommand.self,
        ])
}

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
        try output.print(MetadataListing.many(documents.compactMap(\.metadata)), none: "The record has no such documents.")
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
        try output.print(MetadataListing.history(changes, of: document.id ?? ""), none: "The document's status never changed.")
    }
}

extension DocumentQuery.Order.Key: ExpressibleByArgument {
    public init?(argument: String) { self.init(rawValue: argument) }
}

struct DocumentsGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print a document as it is stored, byte for byte.",
        discussion: "What comes is checked against the server's digest. \(ExitStatus.help)")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var talk: TalkOptions
    @OptionGroup var document: DocumentChoice
    @OptionGroup var destination: ContentOutputOptions

    func run() async throws {
        let record = try await connection.openRecord(talk)
        let document = try await document.find(in: record)
        // The digest to check against.
        try await document.refreshMetadata()
        try destination.write(try await document.fetchContent())
    }
}

struct DocumentsMetaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "meta",
        abstract: "Show what the server says of a document: who made it and when, label, status, versions.",
        discussion: ExitStatus.help)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var document: DocumentChoice

    func run() async throws {
        let record = try await connection.openRecord(output.talk)
        let metadata = try await document.find(in: record).refreshMetadata()
        try output.print(metadata)
    }
}

struct DocumentsRelatedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "related",
        abstract: "List the documents that stand in a relation to one.",
        discussion: """
            indivo documents related ID --as annotation

            \(ExitStatus.help)
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var document: DocumentChoice

    @Option(name: .customLong("as"), help: ArgumentHelp("What they are to the document.", valueName: "relation"))
    var relation: DocumentRelation

    @Option(help: "Only documents of this status.")
    var status = DocumentStatus.active

    func run() async throws {
        let record = try await connection.openRecord(output.talk)
        let related = try await document.find(in: record).related(as: relation, status: status)
        try output.print(
            MetadataListing.many(related.compactMap(\.metadata)),
            none: "Nothing is related to it as \(relation.rawValue).")
    }
}

struct DocumentsCarenetsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carenets",
        abstract: "List the carenets in which a document is shared.",
        discussion: ExitStatus.help)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var document: DocumentChoice

    func run() async throws {
        let record = try await connection.openRecord(output.talk)
        let carenets = try await document.find(in: record).carenets()
        try output.print(
            Listing(
                columns: [.init("id", "carenet"), .init("name", "name")],
                rows: carenets.map { [$0.id, $0.name ?? ""] },
                json: { try carenets.json() },
                xml: {
                    var list = Carenets()
                    list.recordID = record.id
                    list.carenets = carenets
                    return try list.xml().file()
                }), none: "The document is shared in no carenet.")
    }
}

/// What a server says of documents, for printing.
enum MetadataListing {
    private static let columns: [Listing.Column] = [
        .init("id", "document"), .init("label", "label"), .init("status", "status"), .init("created_at", "created"),
        .init("creator", "by"), .init("size", "bytes"), .init("type"), .init("digest"), .init("record_id"),
        .init("creator_type"), .init("replaces"), .init("replaced_by"), .init("original"), .init("latest"),
        .init("never_share"),
    ]

    static func many(_ documents: [DocumentMetadata]) -> Listing {
        Listing(
            columns: columns, rows: documents.map(row), json: { try documents.json() },
            xml: { try RecordListings.list("Documents", documents.map { try $0.xml() }).file() })
    }

    /// All there is to say of one.
    static func one(_ document: DocumentMetadata) -> Listing {
        Listing(
            columns: columns.map { .init($0.name, $0.title ?? $0.name.replacing("_", with: " ")) },
            rows: [row(document)],
            isSingle: true, json: { try document.json() }, xml: { try document.xml().file() })
    }

    private static func row(_ document: DocumentMetadata) -> [String] {
        [
            document.id, document.label, document.status?.rawValue, document.createdAt?.lexical,
            document.creator?.id,
            document.size.map { "\($0)" }, document.type, document.digest, document.recordID,
            document.creator?.type,
            document.replaces?.id, document.replacedBy?.id, document.original?.id, document.latest?.id,
            document.neverShare?.lexical,
        ].map { $0 ?? "" }
    }

    static func history(_ changes: [DocumentStatus.Change], of id: String) -> Listing {
        Listing(
            columns: [.init("status", "status"), .init("at", "since"), .init("by", "by"), .init("reason", "reason"),],
            rows: changes.map { change in
                [change.status?.rawValue, change.at?.lexical, change.by, change.reason].map { $0 ?? "" }
            },
            json: { try changes.json() },
            xml: {
                var history = DocumentStatusHistory()
                history.documentID = id
                history.changes = changes
                return try history.xml().file()
            })
    }
}

extension OutputOptions {
    /// Prints what a server says of a document.
    /// - Throws: ``CommandFailure`` where it said nothing.
    func print(_ metadata: DocumentMetadata?) throws {
        try print(MetadataListing.one(metadata.orFail("the server told nothing of the document")), none: "")
    }

    /// Tells that something was done of which the server says no more.
    func printDone(_ note: String) throws {
        switch form {
        case .json: try StandardStreams.write((["status": "ok"] as JSONValue).fileData)
        case .xml: try StandardStreams.write(XMLNode("ok").file())
        case .csv: try StandardStreams.write(CSV.data(header: ["status"], rows: [["ok"]]))
        case nil: talk.note(note)
        }
    }
}

extension Optional {
    /// What the server should have told.
    func orFail(_ message: String, _ status: ExitStatus = .refused) throws -> Wrapped {
        guard let self else { throw CommandFailure(message, status: status) }
        return self
    }
}
