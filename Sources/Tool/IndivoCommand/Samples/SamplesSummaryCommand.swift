import ArgumentParser
import FHIR
import HealthSamples
import OrderedJSON

struct SamplesSummaryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "summary",
        abstract: "List the types of a file: how many samples, the first and the last, their sources.",
        discussion: ExitStatus.help
    )

    @OptionGroup var input: SampleInput

    @ArgumentParser.Flag(help: "Print JSON, for programs.")
    var json = false

    private struct Row {
        var count = 0
        var first: FHIRDateTime
        var last: FHIRDateTime
        var sources: Set<String> = []
    }

    func run() async throws {
        var rows: [String: Row] = [:]
        let selection = try input.selection(input.healthMapping())
        let tally = try await input.forEach(selection) { sample, _ in
            // Types are untrusted.
            guard rows[sample.type] != nil || rows.count < 10_000 else {
                throw SampleError.tooLarge("more than 10,000 types")
            }
            var row = rows[sample.type] ?? Row(first: sample.start, last: sample.end)
            // Taken out, so that the set of sources is not copied.
            rows[sample.type] = nil
            row.count += 1
            if (sample.start.microseconds ?? 0) < (row.first.microseconds ?? 0) { row.first = sample.start }
            if (sample.end.microseconds ?? 0) > (row.last.microseconds ?? 0) { row.last = sample.end }
            if let name = sample.source?.name, row.sources.count < 100 { row.sources.insert(name) }
            rows[sample.type] = row
        }
        let sorted = rows.sorted { $0.key < $1.key }
        let listing = Listing(
            columns: [
                "type": "type", "count": "count", "first": "first", "last": "last", "sources": "sources",
            ],
            rows: sorted.map { type, row in
                [
                    type, String(row.count), row.first.description, row.last.description,
                    row.sources.sorted().joined(separator: "; "),
                ]
            }
        ) {
            JSONValue(
                sorted.map { type, row in
                    [
                        "type": JSONValue(type), "count": JSONValue(row.count), "first": row.first.tree,
                        "last": row.last.tree,
                        "sources": JSONValue(row.sources.sorted().map { JSONValue($0) }),
                    ]
                }
            ).fileData
        }
        try listing.print(asJSON: json)
        try tally.end()
    }
}
