import ArgumentParser
import Indivo

struct DocumentsCarenetsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "carenets",
        "List the carenets in which a document is shared."
    )

    @OptionGroup var document: DocumentOptions

    func run() async throws {
        let carenets = try await document.find().carenets()
        let listing = Listing(
            columns: ["id": "carenet", "name": "name"],
            rows: carenets.map { [$0.id, $0.name] },
            json: { try carenets.json() }
        )
        try document.output.print(listing, none: "The document is shared in no carenet.")
    }
}
