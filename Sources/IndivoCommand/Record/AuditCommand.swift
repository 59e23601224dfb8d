import ArgumentParser
import Indivo

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "List who asked the server for what in the record, the newest first.",
        discussion: """
            indivo audit --limit 20
            indivo audit --document 2b1c… --call record_specific_document

            The request for the list is in it too. Fields for --filter, --order and --group-by: documentID, \
            externalID, date, function, effective, proxied. The dates of --from and --to are those of the requests.

            \(ExitStatus.help)
            """)

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var query: ReportQueryOptions

    @Option(help: ArgumentHelp("Only requests on this document.", valueName: "id"))
    var document: String?

    @Option(help: ArgumentHelp("Only requests of this call, as indivo calls names it.", valueName: "name"))
    var call: String?

    func run() async throws {
        var wanted = try query.query(of: .audit, dateField: "date")
        if let document { wanted = wanted.filter("documentID", equals: .text(try DocumentID(document).text)) }
        if let call { wanted = wanted.filter("function", equals: .text(call)) }
        let record = try await connection.openRecord(output.talk)
        if let aggregate = try query.aggregate() {
            let results = try await record.aggregate(aggregate, over: .audit, matching: wanted)
            return try output.print(AggregateListing.listing(of: results), none: "No request fits.")
        }
        let entries = try await output.talk.fetch(record.audit(matching: wanted), "requests")
        try output.print(RecordListings.audits(entries), none: "No request fits.")
    }
}
