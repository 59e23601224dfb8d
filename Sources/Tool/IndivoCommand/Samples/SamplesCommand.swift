import ArgumentParser
import FHIR
import Foundation
import HealthSamples
import OrderedJSON

struct SamplesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "samples",
        abstract: "Read what phones and watches measured: as FHIR, as totals, to a server.",
        discussion: """
            A file is the export of Apple's Health app, as export.zip or export.xml, or lines of JSON, \
            a sample a line. Lines that are wrong are reported with their number and skipped; \
            the exit status is then 1.
            """,
        subcommands: [
            SamplesConvertCommand.self, SamplesSummaryCommand.self, SamplesTotalsCommand.self,
            SamplesUploadCommand.self,
        ]
    )
}

struct SamplesSummaryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "summary",
        abstract: "List the types of a file: how many samples, the first and the last, their sources.",
        discussion: ExitStatus.help
    )

    @OptionGroup var input: SampleInput

    @ArgumentParser.Flag(exclusivity: .exclusive)
    var form: SampleListingForm?

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
        let table = sorted.map { type, row in
            [
                type, String(row.count), row.first.description, row.last.description,
                row.sources.sorted().joined(separator: "; "),
            ]
        }
        let json = JSONValue(
            sorted.map { type, row in
                [
                    "type": JSONValue(type), "count": JSONValue(row.count), "first": row.first.tree,
                    "last": row.last.tree,
                    "sources": JSONValue(row.sources.sorted().map { JSONValue($0) }),
                ]
            }
        )
        try SampleListingForm.print(form, ["type", "count", "first", "last", "sources"], table, json)
        try tally.end()
    }
}

/// How lists of samples are printed: a table for people, other forms for programs.
enum SampleListingForm: String, EnumerableFlag {
    case csv, json

    static func help(for value: SampleListingForm) -> ArgumentHelp? {
        switch value {
        case .json: "Print JSON."
        case .csv: "Print comma-separated values (RFC 4180) with a header."
        }
    }

    static func print(_ form: SampleListingForm?, _ header: [String], _ rows: [[String]], _ json: JSONValue)
        throws
    {
        switch form {
        case .csv: try StandardStreams.write(CSV.data(header: header, rows: rows))
        case .json: try StandardStreams.write(Data(json.utf8(.pretty)) + Data("\n".utf8))
        case nil where rows.isEmpty: break
        case nil:
            for line in TextTable(header: header, rows: rows).lines(width: StandardStreams.outputWidth) {
                try StandardStreams.say(line)
            }
        }
    }
}

struct SamplesTotalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "totals",
        abstract: "Add up samples of a type by hour, day or week of a time zone.",
        discussion: """
            indivo samples totals export.zip --type StepCount \\
                --by day --zone Europe/Berlin

            Where samples of several sources overlap, as of phone and watch, they count once: those of \
            the source that is named first by --source; without it, of the source with the most samples. \
            Of types that do not add up, such as heart rates, minimum, mean and maximum are given. \
            Without --zone days are those of the zone that the first sample of the type names, \
            or else of its offset, which has no summer time. A sample that comes again counts once.

            \(ExitStatus.help)
            """
    )

    @OptionGroup var input: SampleInput

    @Option(help: "The span of each total.")
    var by = TotalSpan.day

    @Option(
        help: ArgumentHelp(
            "A source that is trusted before those named after it. Can be repeated.",
            valueName: "name"
        )
    )
    var source: [String] = []

    @ArgumentParser.Flag(exclusivity: .exclusive)
    var form: SampleListingForm?

    func validate() throws {
        if input.type.count != 1 { throw ValidationError("--type is needed once, as in --type StepCount.") }
    }

    func run() async throws {
        let mapping = try input.healthMapping()
        func makeTotals(_ zone: TimeZone) throws -> SampleTotals {
            do {
                return try SampleTotals(
                    of: input.type.first ?? "",
                    by: by,
                    in: zone,
                    mapping: mapping,
                    priority: source
                )
            } catch {
                throw CommandFailure("--type: \(error)")
            }
        }
        var zone = try input.timeZone()
        var totals = try makeTotals(zone ?? .gmt)
        let tally = try await input.forEach(input.selection(mapping)) { sample, _ in
            if zone == nil {
                zone = sample.timeZone
                totals = try makeTotals(sample.timeZone)
            }
            try totals.add(sample)
        }
        let all: [SampleTotals.Total]
        do { all = try totals.all() } catch { throw CommandFailure("\(error)") }
        let isSum = totals.kind == .sum
        let header =
            ["start", "end", "count"] + (isSum ? ["sum"] : ["minimum", "mean", "maximum"]) + ["unit"]
        let unit = totals.unit.ucum.code
        let rows = all.map { total in
            let numbers = isSum ? [total.sum] : [total.minimum, total.mean, total.maximum]
            return [total.start.description, total.end.description, String(total.count)]
                + numbers.map { $0?.description ?? "" } + [unit]
        }
        let json = JSONValue(
            zip(all, rows).map { total, _ in
                let numbers =
                    isSum
                    ? [("sum", total.sum)]
                    : [("minimum", total.minimum), ("mean", total.mean), ("maximum", total.maximum)]
                var members = [
                    JSONMember(name: "start", value: total.start.tree),
                    JSONMember(name: "end", value: total.end.tree),
                    JSONMember(name: "count", value: JSONValue(total.count)),
                ]
                members += numbers.compactMap { name, number in
                    number.map { JSONMember(name: name, value: $0.tree) }
                }
                return JSONValue(members: members + [JSONMember(name: "unit", value: JSONValue(unit))])
            }
        )
        try SampleListingForm.print(form, header, rows, json)
        if all.isEmpty, tally.problems == 0 {
            input.talk.note("the file has no samples of \(totals.type)")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        try tally.end()
    }
}

extension TotalSpan: ExpressibleByArgument {}
