import ArgumentParser
import FHIR
import Foundation
import HealthSamples
import OrderedJSON
import RecordCommands

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
            or else of its offset, which has no summer time. A sample that comes again counts once. \
            What is kept are the days of each source; where they are too many, nothing is printed.

            \(ExitStatus.help)
            """
    )

    @OptionGroup var input: SampleInput

    @Option(help: "The span of each total.")
    var by = TotalSpan.day

    @Option(
        help: .value(
            "name",
            "A source that is trusted before those named after it. Can be repeated."
        )
    )
    var source: [String] = []

    @Flag(help: "Print JSON, for programs.")
    var json = false

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
            do { try totals.add(sample) } catch SampleError.tooLarge(let reason) {
                // Totals without the samples that follow would be wrong.
                throw CommandFailure("\(input.file): \(reason)")
            }
        }
        let all: [SampleTotals.Total]
        do { all = try totals.all() } catch { throw CommandFailure("\(error)") }
        let names = totals.kind == .sum ? ["sum"] : ["minimum", "mean", "maximum"]
        let unit = totals.unit.ucum.code
        func numbers(_ total: SampleTotals.Total) -> [FHIRDecimal?] {
            totals.kind == .sum ? [total.sum] : [total.minimum, total.mean, total.maximum]
        }
        let listing = Listing(
            (["start", "end", "count"] + names + ["unit"]).map { ($0, $0) },
            rows: all.map { total in
                [total.start.description, total.end.description, String(total.count)]
                    + numbers(total).map { $0?.description } + [unit]
            }
        ) {
            JSONValue(
                all.map { total in
                    let known = zip(names, numbers(total)).compactMap { name, number in
                        number.map { JSONMember(name: name, value: $0.tree) }
                    }
                    return JSONValue(
                        members: [
                            JSONMember(name: "start", value: total.start.tree),
                            JSONMember(name: "end", value: total.end.tree),
                            JSONMember(name: "count", value: JSONValue(total.count)),
                        ] + known + [JSONMember(name: "unit", value: JSONValue(unit))]
                    )
                }
            ).fileData
        }
        try listing.print(asJSON: json)
        if all.isEmpty, tally.problems == 0 {
            input.console.note("the file has no samples of \(totals.type)")
            throw ExitCode.nothingFound
        }
        try tally.end()
    }
}

extension TotalSpan: ExpressibleByArgument {}
