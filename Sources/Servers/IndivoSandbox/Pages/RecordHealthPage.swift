import Foundation
import GRDB
import WebServing

/// A record's activity, heart, sleep, blood pressure, weight and workouts in a day, month or year: what its
/// documents of the models VitalSigns and Measurement say, and those of the model `HealthSample` of
/// `schemas/health/indivo`.
enum RecordHealthPage {
    static let pages: [RouteTable<Page>.Route] = [.get("/records/{record}/health", Page(page))]

    /// The field with the date, or with the start, of each model.
    private static let dates = ["VitalSigns": "date", "Measurement": "datetime", "HealthSample": "start"]
    private static let day: Int64 = 86_400_000_000

    private static func page(_ context: PageContext) async throws -> Response {
        let query = context.request.query
        let (record, period, found) = try await context.database.read { db in
            let record = try RecordPages.find(context, in: db)
            let latest =
                try facts(of: record.id, in: db, from: nil, to: nil, limit: 1).first?.time ?? context.now
            let period: HealthPeriod
            do throws(HealthPeriodError) {
                // Indivo keeps dates in UTC, so that no other zone is known.
                period = try HealthPeriod(
                    length: query["by"],
                    on: query["on"],
                    zone: query["zone"],
                    defaultZone: nil,
                    latest: Int(latest.rawValue)
                )
            } catch {
                throw Refusal.badRequest(error.description)
            }
            let needed = period.needed
            return (
                record, period,
                try facts(
                    of: record.id,
                    in: db,
                    from: Timestamp(rawValue: Int64(needed.lowerBound) - day),
                    to: Timestamp(rawValue: Int64(needed.upperBound)),
                    limit: HealthPage.limit + 1
                )
            )
        }
        let path = "/records/\(record.id)/health"
        let page = HealthPage(
            period: period,
            path: path,
            measurements: found.prefix(HealthPage.limit).flatMap { measurements($0, record: record.id) },
            isCut: found.count > HealthPage.limit
        )
        return context.page(
            record.label,
            "<p><a href=\"/records/\(record.id)\">All of \(record.label)</a></p>\(page.markup)"
        )
    }

    private typealias TimedFact = (model: String, time: Timestamp, fact: RecordPages.Fact)

    /// Facts by their dates, the latest first. Those that began before a time and may reach into it are a day
    /// earlier at most.
    private static func facts(
        of record: String,
        in db: Database,
        from: Timestamp?,
        to: Timestamp?,
        limit: Int
    ) throws -> [TimedFact] {
        // Dates are stored so that their texts sort as they do.
        let cases = dates.map { "WHEN '\($0)' THEN json_extract(fact.body, '$.\($1)')" }.sorted()
        let date = "CASE fact.model \(cases.joined(separator: " ")) END"
        let rows = try FactRow.fetch(
            db,
            """
            fact.record = ? AND document.status = 'active' AND document.replacedBy IS NULL
                AND fact.model IN (SELECT value FROM json_each(?))
                AND \(date) >= ? AND \(date) < ?
            ORDER BY \(date) DESC LIMIT ?
            """,
            [record, dates.keys.jsonList, from?.sortableText ?? "", to?.sortableText ?? "~", limit]
        )
        return try rows.compactMap { row in
            let fact = RecordPages.Fact(document: row.document, values: try row.values())
            return IndivoDate.parseDateTime(fact[dates[row.model] ?? ""]).map { (row.model, $0, fact) }
        }
    }

    private static let signs: [(field: String, quantity: MeasuredQuantity)] = [
        ("heart_rate", .heartRate), ("bp_systolic", .systolic), ("bp_diastolic", .diastolic),
        ("weight", .weight),
    ]

    private static func measurements(_ timed: TimedFact, record: String) -> [HealthMeasurement] {
        let fact = timed.fact
        let start = Int(timed.time.rawValue)
        func measurement(_ content: HealthMeasurement.Content, to end: Int, source: String = "")
            -> HealthMeasurement
        {
            let page = "/records/\(record)/documents/\(fact.document)"
            return HealthMeasurement(content, over: start..<max(start, end), source: source, page: page)
        }
        switch timed.model {
        case "VitalSigns":
            return signs.compactMap { field, quantity in
                let value = fact.stored(field + "_value").flatMap {
                    quantity.value($0, unit: fact[field + "_unit"])
                }
                return value.map { measurement(.number(quantity, $0), to: start) }
            }
        case "Measurement":
            guard let quantity = MeasuredQuantity.find([fact["type"]]),
                let value = fact.stored("value").flatMap({ quantity.value($0, unit: fact["unit"]) })
            else { return [] }
            return [measurement(.number(quantity, value), to: start)]
        default:
            let end = IndivoDate.parseDateTime(fact["end"]).map { Int($0.rawValue) } ?? start
            let content = content(fact["type"], fact["value"], unit: fact["unit"])
            return content.map { [measurement($0, to: end, source: fact["source"])] } ?? []
        }
    }

    private static func content(_ type: String, _ value: String, unit: String) -> HealthMeasurement.Content? {
        if SleepStage.codes.contains(type) { return Int(value).flatMap(SleepStage.init).map { .sleep($0) } }
        if WorkoutFigures.codes.contains(type) {
            return value.isEmpty ? nil : .workout(WorkoutFigures(activity: value))
        }
        guard let quantity = MeasuredQuantity.find([type]) else { return nil }
        return quantity.value(value, unit: unit.isEmpty ? "1" : unit).map { .number(quantity, $0) }
    }

    /// Whether facts have what the page shows.
    static func hasContent(_ facts: [String: [RecordPages.Fact]]) -> Bool {
        dates.keys.contains { facts[$0]?.isEmpty == false }
    }
}
