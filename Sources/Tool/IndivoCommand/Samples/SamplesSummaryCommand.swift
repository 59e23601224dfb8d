import ArgumentParser
import FHIR
import HealthSamples
import OrderedJSON
import RecordCommands

struct SamplesSummaryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "summary",
        abstract: "List the types of a file: how many samples, the first and the last, their sources.",
        discussion: ExitStatus.help
    )

    @OptionGroup var input: SampleInput

    @Flag(help: "Print JSON, for programs.")
    var json = false

    /// What is known of a type. A class, so that it is looked up once for a sample.
    private final class Row {
        var count = 0
        var first: FHIRDateTime
        var last: FHIRDateTime
        var sources: Set<String> = []
        private var from: Int
        private var to: Int
        private var lastSource: String?

        init(_ sample: Sample) {
            first = sample.start
            last = sample.end
            from = sample.start.microseconds ?? 0
            to = sample.end.microseconds ?? 0
        }

        func add(_ sample: Sample) {
            count += 1
            if let start = sample.start.microseconds, start < from {
                first = sample.start
                from = start
            }
            if let end = sample.end.microseconds, end > to {
                last = sample.end
                to = end
            }
            if let name = sample.source?.name, name != lastSource, sources.count < 100 {
                sources.insert(name)
                lastSource = name
            }
        }
    }

    func run() async throws {
        var rows: [String: Row] = [:]
        let selection = try input.selection(input.healthMapping())
        let tally = try await input.forEach(selection) { sample, _ in
            if let row = rows[sample.type] { return row.add(sample) }
            // Types are untrusted.
            guard rows.count < 10_000 else { throw SampleError.tooLarge("more than 10,000 types") }
            let row = Row(sample)
            row.add(sample)
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
