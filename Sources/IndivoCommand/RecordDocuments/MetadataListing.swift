import Foundation
import Indivo
import OrderedJSON

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
            columns: [
                .init("status", "status"), .init("at", "since"), .init("by", "by"), .init("reason", "reason"),
            ],
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
