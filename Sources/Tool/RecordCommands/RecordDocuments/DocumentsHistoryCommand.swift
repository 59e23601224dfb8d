import ArgumentParser
import Foundation
import Indivo

struct DocumentsHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "history",
        "List the changes of a document's status, the earliest first.",
        note: "A document whose status never changed has none, and the exit status is 1."
    )

    @OptionGroup var document: DocumentOptions

    func run() async throws {
        let changes = try await document.find().statusHistory()
        let listing = Listing(
            columns: ["status": "status", "at": "since", "by": "by", "reason": "reason"],
            rows: changes.map { [$0.status?.rawValue, $0.at?.lexical, $0.by, $0.reason] },
            json: { try changes.json() }
        )
        try document.output.print(listing, none: "The document's status never changed.")
    }
}

extension DocumentQuery.Order.Key: ExpressibleByArgument {}
