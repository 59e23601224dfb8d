import ArgumentParser
import Indivo

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
