import ArgumentParser
import FHIR
import FHIRClient
import FHIRTables
import OrderedJSON
import RecordCommands

struct FHIRHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Print the versions of a resource, of a type or of all resources.",
        discussion: """
            indivo fhir history Patient/7
            indivo fhir history Observation --since 2026-01-01T00:00:00Z --limit 100

            Each entry is a line of JSON, the newest first: what was asked, what was stored, \
            and the resource, unless it was deleted.

            \(FHIRClientHelp.connection)
            """
    )

    @Argument(help: "A type, or type and id; all resources when left out.")
    var address: FHIRAddress?

    @Option(help: .value("instant", "Only what was stored since."))
    var since: String?

    @Option(help: .value("number", "Print so many entries at most."))
    var limit: Int?

    @OptionGroup var connection: FHIRConnectionOptions

    func run() async throws {
        let instant = try since.map { text in
            guard let instant = FHIRInstant(text: text) else {
                throw CommandFailure("--since: a time with its zone is meant, as in 2026-01-01T00:00:00Z")
            }
            return instant
        }
        let pages = try connection.client().history(address?.type, id: address?.id, since: instant)
        try await pages.entries.printLines(limit: limit, none: "there are no versions", connection.console) {
            $0.tree
        }
    }
}
