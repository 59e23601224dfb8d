import ArgumentParser
import Indivo

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "audit",
        "List the requests to the record and who sent them, the newest first.",
        discussion: """
            indivo audit --limit 20
            indivo audit --document 2b1c… --call record_specific_document

            The request for the list is in it too. Fields for --filter, --order and --group-by: \
            documentID, externalID, date, function, effective, proxied. The dates of --from and --to are \
            those of the requests.
            """
    )

    @OptionGroup var options: RecordOptions
    @OptionGroup var query: ReportQueryOptions

    @Option(help: .value("id", "Only requests on this document.")) var document: String?

    @Option(help: .value("name", "Only requests of this call, as indivo calls names it.")) var call: String?

    func run() async throws {
        var wanted = try query.query(of: .audit, dateField: "date")
        if let document { wanted = wanted.filter("documentID", equals: .text(try documentID(document))) }
        if let call { wanted = wanted.filter("function", equals: .text(call)) }
        let record = try await options.open()
        if let aggregate = try query.aggregate() {
            let results = try await record.aggregate(aggregate, over: .audit, matching: wanted)
            return try options.output.print(.aggregates(results), none: "No request fits.")
        }
        let entries = try await options.console.fetch(record.audit(matching: wanted), "requests")
        try options.output.print(.audits(entries), none: "No request fits.")
    }
}

extension Listing {
    fileprivate static func audits(_ entries: [AuditEntry]) -> Listing {
        Listing(
            columns: [
                "date": "date", "call": "call", "principal": "by", "app": "app", "document": "document",
                "status": "status",
            ],
            rows: entries.map { entry in
                [
                    entry.basic?.date?.lexical, entry.basic?.function, entry.principal?.effective,
                    entry.principal?.proxied, entry.resources?.documentID,
                    entry.response?.status.map { "\($0)" },
                ]
            },
            json: { try entries.json() }
        )
    }
}
