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
            DocumentsHistoryCommand.self,
            DocumentsVersionsCommand.self, DocumentsRelateCommand.self, DocumentsRelatedCommand.self,
            DocumentsCarenetsCommand.self,
        ]
    )
}

/// Which documents of a list are wanted, in which order.
struct DocumentQueryOptions: ParsableArguments {
    @Option(
        help: .value(
            "type",
            """
            Only documents with this root element: Models (all data models), Equipment, Annotation, or a URI.
            """
        )
    )
    var type: String?

    @Option(help: "Only documents of this status.") var status = DocumentStatus.active

    @Option(help: "The order; by default the newest come first.") var order: DocumentQuery.Order.Key?

    @Flag(help: "Reverse the order.") var descending = false

    @OptionGroup var part: ListPartOptions

    func validate() throws {
        if descending && order == nil { throw ValidationError("--descending goes with --order.") }
    }

    var query: DocumentQuery {
        DocumentQuery(
            type: type.map { DocumentQuery.DocumentType($0) },
            status: status,
            order: order.map { descending ? .descending($0) : .ascending($0) },
            limit: part.limit,
            offset: part.offset
        )
    }
}

/// Which part of a list is wanted.
struct ListPartOptions: ParsableArguments {
    @Option(help: .value("number", "The maximum number of results.")) var limit: Int?

    @Option(help: .value("number", "How many results to skip.")) var offset = 0

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is 1 or more.") }
        if offset < 0 { throw ValidationError("--offset is 0 or more.") }
    }
}

enum RecordDocuments: DocumentAddress { static let command = "documents" }

/// What commands on one document of the record take.
struct DocumentOptions: ParsableArguments {
    @OptionGroup var record: RecordOptions
    @OptionGroup var choice: DocumentChoice<RecordDocuments>

    var output: OutputOptions { record.output }

    func find() async throws -> FileDocument { try await choice.find(in: record.open()) }
}

extension DocumentChoice<RecordDocuments> {
    func find(in record: IndivoRecord) async throws -> FileDocument {
        try await find {
            FileDocument(id: $0, in: record)
        } _: { external in
            try await record.documentMetadata(externalID: external).map {
                FileDocument(id: $0.id, in: record)
            }
        }
    }
}

struct DocumentsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "list",
        "List documents, without versions that were replaced.",
        discussion: """
            A server does not say in its list what a document is. --type lists those with one root element, \
            such as Models; “indivo reports MODEL” lists the facts of a data model, and “indivo documents \
            get ID” prints a document.

            --json prints an array of metadata objects with id, label, status, createdAt, \
            creator, size and more.
            """
    )

    @OptionGroup var options: RecordOptions
    @OptionGroup var query: DocumentQueryOptions

    func run() async throws {
        let documents = try await options.talk.fetch(options.open().documents(query.query), "documents")
        try options.output.print(
            .documents(documents.compactMap(\.metadata)),
            none: "The record has no such documents."
        )
    }
}

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

struct DocumentsHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "history",
        "List the changes of a document's status, the earliest first.",
        note: "A document whose status never changed has none, and the exit status is 1."
    )

    @OptionGroup var document: DocumentOptions

    func run() async throws {
        let found = try await document.find()
        let changes = try await found.statusHistory()
        let listing = Listing(
            columns: ["status": "status", "at": "since", "by": "by", "reason": "reason"],
            rows: changes.map { [$0.status?.rawValue, $0.at?.lexical, $0.by, $0.reason] },
            json: { try changes.json() },
            xml: {
                var history = DocumentStatusHistory()
                history.documentID = found.id
                history.changes = changes
                return try history.xml().file()
            }
        )
        try document.output.print(listing, none: "The document's status never changed.")
    }
}

extension DocumentQuery.Order.Key: ExpressibleByArgument {}

struct DocumentsGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "get",
        "Print a document as it is stored, byte for byte.",
        note: "What comes is checked against the server's digest."
    )

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var talk: MessageOptions
    @OptionGroup var choice: DocumentChoice<RecordDocuments>
    @OptionGroup var destination: ContentOutputOptions

    func run() async throws {
        let document = try await choice.find(in: connection.open(talk).record())
        // The digest to check against.
        try await document.refreshMetadata()
        try destination.write(try await document.fetchContent())
    }
}

struct DocumentsMetaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "meta",
        "Show the metadata of a document: creator, time, label, status, versions."
    )

    @OptionGroup var document: DocumentOptions

    func run() async throws { try document.output.print(try await document.find().refreshMetadata()) }
}

struct DocumentsRelatedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "related",
        "List the documents that stand in a relation to one.",
        discussion: "indivo documents related ID --as annotation"
    )

    @OptionGroup var document: DocumentOptions

    @Option(name: .customLong("as"), help: .value("relation", "What they are to the document.")) var relation:
        DocumentRelation

    @Option(help: "Only documents of this status.") var status = DocumentStatus.active

    func run() async throws {
        let related = try await document.find().related(as: relation, status: status).compactMap(\.metadata)
        try document.output.print(
            .documents(related),
            none: "Nothing is related to it as \(relation.rawValue)."
        )
    }
}

struct DocumentsCarenetsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "carenets",
        "List the carenets in which a document is shared."
    )

    @OptionGroup var document: DocumentOptions

    func run() async throws {
        let found = try await document.find()
        let carenets = try await found.carenets()
        let listing = Listing(
            columns: ["id": "carenet", "name": "name"],
            rows: carenets.map { [$0.id, $0.name] },
            json: { try carenets.json() },
            xml: {
                var list = Carenets()
                list.recordID = found.record?.id
                list.carenets = carenets
                return try list.xml().file()
            }
        )
        try document.output.print(listing, none: "The document is shared in no carenet.")
    }
}

extension Listing {
    /// What a server says of documents; of a single one all there is to say.
    static func documents(_ documents: [DocumentMetadata], isSingle: Bool = false) -> Listing {
        Listing(
            columns: [
                "id": "document", "label": "label", "status": "status", "created_at": "created",
                "creator": "by", "size": "bytes",
                "type": nil, "digest": nil, "record_id": nil, "creator_type": nil, "replaces": nil,
                "replaced_by": nil,
                "original": nil, "latest": nil, "never_share": nil,
            ],
            rows: documents.map { document in
                [
                    document.id, document.label, document.status?.rawValue, document.createdAt?.lexical,
                    document.creator?.id,
                    document.size.map { "\($0)" }, document.type, document.digest, document.recordID,
                    document.creator?.type,
                    document.replaces?.id, document.replacedBy?.id, document.original?.id,
                    document.latest?.id,
                    document.neverShare?.lexical,
                ]
            },
            isSingle: isSingle,
            json: { try isSingle ? documents[0].json() : documents.json() },
            xml: {
                let elements = try documents.map { try $0.xml() }
                return try (isSingle ? elements[0] : XMLNode.list("Documents", elements)).file()
            }
        )
    }
}

extension OutputOptions {
    func print(_ metadata: DocumentMetadata?) throws {
        try print(.documents([metadata.orFail("the server told nothing of the document")], isSingle: true))
    }
}

extension Optional {
    /// What the server should have told.
    func orFail(_ message: String, _ status: ExitStatus = .refused) throws -> Wrapped {
        guard let self else { throw CommandFailure(message, status: status) }
        return self
    }
}
