import FHIR
import IndivoBase
import OrderedJSON

/// Samples for statisticians.
extension WarehouseTransaction {
    /// The columns of exported samples, and what they mean.
    public static let sampleColumns: [(name: String, meaning: String)] = [
        ("participant", "The pseudonym."),
        ("concept", "The code of what was measured; dictionary.csv has its name and path."),
        ("start", "When it began, in UTC."), ("end", "When it ended, in UTC; empty for a moment."),
        ("offset", "The zone in which it was measured, in minutes east of Greenwich."),
        ("value", "The number, as it was given."), ("unit", "The unit of the number, a code of UCUM."),
        (
            "source",
            "Of the participant's own numbers: samples-sources.csv has what else is known of such samples."
        ),
    ]

    public static let sampleSourceColumns = ["participant", "source", "observation"]

    /// Whether there are samples in their table.
    public func hasSamples() throws -> Bool {
        guard try db.hasTable("study_sample") else { return false }
        return try db.finds("SELECT 1 FROM study_sample LIMIT 1", [])
    }

    /// The months of UTC in which samples began, as in `2026-03`, the first one first.
    public func sampleMonths(of audience: ExportAudience = .study) throws -> [String] {
        // Databases divide towards zero.
        let before = 1_000_000 * StudySample.microsecondsOfDay
        let rows = try db.rows(
            """
            SELECT DISTINCT (s.start_us + CAST(\(before) AS bigint))
                / CAST(\(StudySample.microsecondsOfDay) AS bigint)
            FROM study_sample s
            WHERE \(audience.condition("s"))
            """
        )
        let months = rows.compactMap { row in
            row.integer(0).map { CivilDateTime(days: $0 - 1_000_000) }
        }.map { civil in
            var month = civil
            month.precision = .month
            return FHIRDate(civil: month).description
        }
        return Set(months).sorted()
    }

    /// Gives the samples of a month, ordered by participant and start, as ``sampleColumns``. No spreadsheet
    /// runs a text of them.
    ///
    /// - Parameter month: As ``sampleMonths(of:)`` has it.
    public func eachSample(
        inMonth month: String,
        of audience: ExportAudience = .study,
        _ body: (_ cells: [String]) throws -> Void
    ) throws {
        guard let date = FHIRDate(text: month), date.civil.precision == .month else {
            throw WarehouseError.badInput("a month is as 2026-03")
        }
        let first = date.civil
        let bounds = [first.microseconds, first.adding(months: 1).microseconds]
        try eachStoredSample("s.start_us >= ? AND s.start_us < ?", bounds, audience) { stored, pseudonym in
            let sample = stored.sample
            let cells: [String?] = [
                pseudonym, sample.kind.concept, Self.time(sample.start), sample.end.flatMap(Self.time),
                String(sample.offset), FHIRDecimal(sample.value)?.description, sample.kind.unit,
                String(stored.source),
            ]
            try body(
                cells.map { $0 ?? "" }.enumerated().map { Self.isText($0) ? SpreadsheetText.guarded($1) : $1 }
            )
        }
    }

    /// Concept and unit are texts; a negative number is not.
    private static func isText(_ column: Int) -> Bool { column == 1 || column == 6 }

    private static func time(_ microseconds: Int) -> String? {
        FHIRDateTime(microseconds: microseconds, offset: 0).map { WarehouseTime($0).description }
    }

    /// What many samples have in common, as ``sampleSourceColumns``: their Observations without identity,
    /// time and value.
    ///
    /// - Parameter disclosure: What is left out, also of what an earlier version has stored with it.
    public func eachSampleSource(
        _ disclosure: Disclosure = Disclosure(),
        of audience: ExportAudience = .study,
        _ body: (_ cells: [String]) throws -> Void
    ) throws {
        try db.eachRow(
            """
            SELECT p.pseudonym, o.source_num, o.json
            FROM study_sample_source o
            JOIN study_participant p ON p.patient_num = o.patient_num
            WHERE \(audience.condition("o"))
            ORDER BY p.pseudonym, o.source_num
            """,
            []
        ) { row in
            let source = SampleSources(disclosure).released(row.text(2) ?? "")
            try body([row.text(0) ?? "", row.text(1) ?? "", SpreadsheetText.guarded(source)])
        }
    }

    /// Gives the samples of the table as Observations, as ``eachResource(_:_:of:_:)`` gives others.
    public func eachObservation(
        ofSamples disclosure: Disclosure,
        of audience: ExportAudience = .study,
        _ body: (_ json: String) throws -> Void
    ) throws {
        let sources = SampleSources(disclosure)
        try eachSample(of: audience) { sample, pseudonym in
            try body(sample.withSource(sources.released(sample.source)).observation(of: pseudonym).text())
        }
    }
}

/// The disclosed sources of samples, remembered since most of them are repeated.
private final class SampleSources {
    private static let maximumCount = 10_000
    private let disclosure: Disclosure
    private var known: [String: String] = [:]

    init(_ disclosure: Disclosure) { self.disclosure = disclosure }

    func released(_ source: String) -> String {
        if let known = known[source] { return known }
        if known.count >= Self.maximumCount { known = [:] }
        let released = disclosure.releasedSource(source)
        known[source] = released
        return released
    }
}
