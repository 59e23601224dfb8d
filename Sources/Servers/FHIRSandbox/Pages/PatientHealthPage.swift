import Foundation
import GRDB
import IndivoBase
import OrderedJSON
import WebServing

/// A patient's activity, heart, sleep, blood pressure, weight and workouts in a day, month or year.
struct PatientHealthPage {
    let session: Session
    let id: String
    let query: QueryItems

    private static let day: Int64 = 86_400_000_000

    func page() throws -> Response {
        let patient = try session.existing("Patient", id).json()
        let name = ResourceText.name(of: patient)
        let latest = try observations(from: TimeRange.past, to: TimeRange.future, limit: 1).first
        let time =
            latest.flatMap { ResourceText.date(of: $0) }.flatMap { TimeRange($0) }?.low
            ?? session.store.now.rawValue
        let period: HealthPeriod
        do throws(HealthPeriodError) {
            period = try HealthPeriod(
                length: query["by"],
                on: query["on"],
                zone: query["zone"],
                defaultZone: latest.flatMap(Self.zone),
                latest: Int(time)
            )
        } catch {
            return PageFrame.fhirSandbox.problem("That did not work", error.description, status: 400)
        }
        // Dates without a time are days of the period's zone, and not of UTC.
        let found = try observations(
            from: Int64(period.needed.lowerBound) - Self.day,
            to: Int64(period.needed.upperBound) + Self.day,
            limit: HealthPage.limit + 1
        )
        let page = HealthPage(
            period: period,
            path: "/patients/\(id)/health",
            measurements: found.prefix(HealthPage.limit).flatMap {
                ObservedMeasurements.read($0, in: period.zone)
            },
            isCut: found.count > HealthPage.limit
        )
        return PageFrame.fhirSandbox.page(
            name,
            "<p><a href=\"/patients/\(id)\">All of \(name)</a></p>\(page.markup)"
        )
    }

    /// Whether a patient has observations that the page shows.
    static func hasContent(_ session: Session, _ id: String) throws -> Bool {
        try !PatientHealthPage(session: session, id: id, query: QueryItems())
            .observations(from: TimeRange.past, to: TimeRange.future, limit: 1).isEmpty
    }

    /// The observations of a time that the page shows, the latest first.
    private func observations(from: Int64, to: Int64, limit: Int) throws -> [JSONValue] {
        let codes = JSONValue(MeasuredQuantity.allCodes.map { JSONValue($0) }).text()
        let rows = try Int64.fetchAll(
            session.db,
            sql: """
                SELECT dates.resource
                FROM value AS dates
                CROSS JOIN resource ON resource.id = dates.resource
                WHERE dates.key = 'Observation.date'
                    AND dates.low < ?
                    AND dates.high > ?
                    AND NOT resource.isDeleted
                    AND EXISTS (
                        SELECT 1
                        FROM value AS patients
                        WHERE patients.resource = dates.resource
                            AND patients.key = 'Observation.patient'
                            AND patients.code = ?
                            AND patients.system = 'Patient'
                    )
                    AND EXISTS (
                        SELECT 1
                        FROM value AS codes
                        WHERE codes.resource = dates.resource
                            AND codes.key = 'Observation.code'
                            AND codes.code IN (SELECT value FROM json_each(?))
                    )
                ORDER BY dates.low DESC LIMIT ?
                """,
            arguments: [to, from, id, codes, limit]
        )
        return try session.store.current(rows: rows).map { try $0.json() }
    }

    /// The zone that an observation names, or has in its date.
    private static func zone(of observation: JSONValue) -> TimeZone? {
        for part in observation["extension"]?.elements?.flatMap({
            $0.elements(of: "extension")
        }) ?? []
        where part["url"]?.string?.hasSuffix("/HKTimeZone") == true {
            if let zone = part["valueString"]?.string.flatMap({ TimeZone(identifier: $0) }) { return zone }
        }
        guard let text = ResourceText.date(of: observation),
            let match = text.firstMatch(of: /([+-])(\d\d):(\d\d)$/),
            let hours = Int(match.2), let minutes = Int(match.3)
        else { return nil }
        return TimeZone(secondsFromGMT: (match.1 == "-" ? -1 : 1) * (hours * 60 + minutes) * 60)
    }
}

/// Observations as the pages show them.
enum ObservedMeasurements {
    private static let panels: Set = ["85354-9", "HKCorrelationTypeIdentifierBloodPressure"]

    static func read(_ observation: JSONValue, in zone: TimeZone) -> [HealthMeasurement] {
        guard !["entered-in-error", "cancelled"].contains(observation["status"]?.string),
            let time = time(of: observation, in: zone)
        else { return [] }
        let codes = codes(of: observation)
        let page = "/resources/Observation/\(observation["id"]?.string ?? "")"
        let device = observation["device"]
        let source = device?["reference"]?.string ?? device?["display"]?.string ?? ""
        func measurement(_ content: HealthMeasurement.Content) -> HealthMeasurement {
            HealthMeasurement(content, over: time, source: source, page: page)
        }
        if !codes.isDisjoint(with: SleepStage.codes) {
            let stage = values(of: observation["valueCodeableConcept"]).compactMap { Int($0) }.compactMap(
                SleepStage.init
            ).first
            return stage.map { [measurement(.sleep($0))] } ?? []
        }
        let parts = observation.elements(of: "component")
        if !codes.isDisjoint(with: WorkoutFigures.codes) {
            guard let activity = values(of: observation["valueCodeableConcept"]).first else { return [] }
            func figure(_ quantity: MeasuredQuantity, _ names: Set<String>) -> Decimal? {
                parts.lazy.filter { !Self.codes(of: $0).isDisjoint(with: names) }.compactMap {
                    number(of: $0, quantity)
                }.first
            }
            return [
                measurement(
                    .workout(
                        WorkoutFigures(
                            activity: activity,
                            duration: figure(.exercise, ["55411-3", "HKWorkout.duration"]),
                            energy: figure(
                                .energy,
                                ["41981-2", "HKQuantityTypeIdentifierActiveEnergyBurned"]
                            ),
                            distance: figure(.distance, ["HKWorkout.totalDistance"])
                        )
                    )
                )
            ]
        }
        // Of events the components are thresholds, not measurements.
        return ([observation] + (codes.isDisjoint(with: panels) ? [] : parts)).compactMap { part in
            guard let quantity = MeasuredQuantity.find(Self.codes(of: part)),
                let value = number(of: part, quantity)
            else {
                return nil
            }
            return measurement(.number(quantity, value))
        }
    }

    private static func codes(of part: JSONValue) -> Set<String> { Set(values(of: part["code"])) }

    private static func values(of concept: JSONValue?) -> [String] {
        concept?["coding"]?.elements?.compactMap { $0["code"]?.string } ?? []
    }

    private static func number(of part: JSONValue, _ quantity: MeasuredQuantity) -> Decimal? {
        guard let value = part["valueQuantity"], value["comparator"] == nil,
            let digits = value["value"]?.number
        else { return nil }
        return quantity.value(digits, unit: value["code"]?.string ?? value["unit"]?.string ?? "1")
    }

    /// When it was; empty for a moment. A date without a time is the beginning of that day in the zone.
    private static func time(of observation: JSONValue, in zone: TimeZone) -> Range<Int>? {
        func instant(_ text: String?) -> Int? {
            guard let text, let range = TimeRange(text) else { return nil }
            return text.utf8.count > 10
                ? Int(range.low) : HealthPeriod.midnight(ofUTC: Int(range.low), in: zone)
        }
        if let period = observation["effectivePeriod"] {
            guard let start = instant(period["start"]?.string) else { return nil }
            return start..<max(start, instant(period["end"]?.string) ?? start)
        }
        let moment =
            instant(observation["effectiveDateTime"]?.string)
            ?? instant(observation["effectiveInstant"]?.string)
        return moment.map { $0..<$0 }
    }
}
