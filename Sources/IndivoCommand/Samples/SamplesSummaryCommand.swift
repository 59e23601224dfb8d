import ArgumentParser
import FHIR
import Foundation
import HealthSamples
import OrderedJSON

struct SamplesSummaryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "summary", abstract: "List the types of a file: how many samples, the first and the last, their sources.",
        discussion: ExitStatus.help)

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
            guard rows[sample.type] != nil || rows.count < 10_000 else { throw SampleError.tooLarge("more than 10,000 types") }
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
            [type, String(row.count), row.first.description, row.last.description, row.sources.sorted().joined(separator: "; ")]
        }
        let json = JSONValue(
            sorted.map { type, row in
                [
                    "type": JSONValue(type), "count": JSONValue(row.count), "first": row.first.tree, "last": row.last.tree,
                    "sources": JSONValue(row.sources.sorted().map { JSONValue($0) }),
                ]
            })
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

    static func print(_ form: SampleListingForm?, _ header: [String], _ rows: [[String]], _ json: JSONValue) throws {
        switch form {
        case .csv: try StandardStreams.write(CSV.data(header: header, rows: rows))
        case .json: try StandardStreams.write(Data(json.utf8(.pretty)) + Data("\n".utf8))
        case nil where rows.isEmpty: break
        case nil:
            for line in TextTable(header: header, rows: rows).lines(width: StandardStreams.outputWidth) { try StandardStreams.say(line) }
        }
    }
}
