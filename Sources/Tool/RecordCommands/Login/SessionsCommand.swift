import ArgumentParser
import IndivoModel
import OrderedJSON

struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "sessions",
        "List the records that indivo login has opened.",
        note: "Without their tokens."
    )

    @OptionGroup var options: RecordOptions

    func run() async throws {
        let rows = try options.connection.open(options.console).keptSessions().map { session in
            [
                session.record, session.label, session.api.absoluteString, session.app,
                XMLDateTime(session.keptAt).lexical,
            ]
            .map { JSONValue($0) }
        }
        let listing = Listing(
            ["record": "record", "label": "label", "api": "server", "app": "app", "keptAt": "since"],
            rows
        )
        try options.output.print(listing, none: "There are no sessions; run “indivo login”.")
    }
}
