import Foundation
import Testing
import WebServing

/// Periods of a zone, and the charts of what was measured in them.
@Suite struct HealthPageTests {
    private static let berlin = "Europe/Berlin"
    private static let minute = 60_000_000

    /// Microseconds since 1970 of a time in UTC.
    private func utc(_ text: String) throws -> Int {
        let date = try #require(try? Date(text + "Z", strategy: .iso8601))
        return Int(date.timeIntervalSince1970) * 1_000_000
    }

    private func period(_ by: String, _ on: String, _ zone: String = berlin) throws -> HealthPeriod {
        try HealthPeriod(length: by, on: on, zone: zone, defaultZone: nil, latest: 0)
    }

    private func page(_ period: HealthPeriod, _ measurements: [HealthMeasurement]) -> String {
        HealthPage(period: period, path: "/p/health", measurements: measurements).markup.description
    }

    private func number(
        _ quantity: MeasuredQuantity,
        _ value: Decimal,
        _ from: String,
        _ to: String? = nil,
        source: String = ""
    ) throws -> HealthMeasurement {
        let start = try utc(from)
        return HealthMeasurement(
            .number(quantity, value),
            over: start..<(try to.map(utc) ?? start),
            source: source,
            page: "/x"
        )
    }

    @Test("days on which the clock changes have their length")
    func summerTime() throws {
        let hour = 60 * Self.minute
        #expect(
            try period("day", "2026-03-29").range.count == 23 * hour
                && period("day", "2026-10-25").range.count == 25 * hour
        )
        #expect(
            try period("month", "2026-03-29").range == utc("2026-02-28T23:00:00")..<utc("2026-03-31T22:00:00")
        )
        #expect(try period("year", "2026-03-29").range.count == 365 * 24 * hour)
        #expect(try period("day", "2026-03-29", "-03:30").range.lowerBound == utc("2026-03-29T03:30:00"))
    }

    @Test(
        "wrong parameters are reported",
        arguments: [
            ("week", "2026-03-29", "UTC", "'by' is day, month or year"),
            ("day", "2026-02-30", "UTC", "'on' is a day"),
            ("day", "2026-3-29", "UTC", "'on' is a day"), ("day", "0000-01-01", "UTC", "'on' is a day"),
            ("day", "+026-01-01", "UTC", "'on' is a day"),
            ("day", "2026-03-29", "Europe/Berlim", "Did you mean 'Europe/Berlin'?"),
            ("day", "2026-03-29", "+99:00", "no time zone"),
            ("day", "２０２６-01-01", "UTC", "'on' is a day"),
        ]
    )
    func wrongParameters(_ by: String, _ on: String, _ zone: String, _ message: String) {
        #expect { try self.period(by, on, zone) } throws: { "\($0)".contains(message) }
    }

    @Test("links lead to the neighbours and keep the zone")
    func links() throws {
        let month = page(try period("month", "2026-03-29"), [])
        for part in [
            "by=month&amp;on=2026-02-01&amp;zone=Europe/Berlin", "by=month&amp;on=2026-04-01",
            "by=year&amp;on=2026-01-01", "by=day&amp;on=2026-03-31",
            "Nothing was measured",
        ] { #expect(month.contains(part), "\(part)") }
        #expect(page(try period("day", "2026-03-29", "+05:45"), []).contains("zone=%2B05:45"))
        #expect(page(try period("day", "2024-02-28"), []).contains("on=2024-02-29"))
        #expect(page(try period("year", "0002-01-01"), []).contains("on=0001-01-01"))
        #expect(page(try period("year", "9998-01-01"), []).contains("on=9999-01-01"))
    }

    @Test("steps are divided at the zone's midnight, and overlaps count once")
    func steps() throws {
        let measurements = [
            try number(.steps, 100, "2026-06-01T21:30:00", "2026-06-01T22:30:00", source: "Phone"),
            try number(.steps, 60, "2026-06-01T10:00:00", "2026-06-01T11:00:00", source: "Watch"),
            try number(.steps, 60, "2026-06-01T12:00:00", "2026-06-01T13:00:00", source: "Watch"),
            try number(.steps, 90, "2026-06-01T10:00:00", "2026-06-01T11:00:00", source: "Phone2"),
        ]
        let berlin = page(try period("month", "2026-06-01"), measurements)
        #expect(
            berlin.contains("<title>2026-06-01: 170</title>")
                && berlin.contains("<title>2026-06-02: 50</title>")
        )
        #expect(
            page(try period("month", "2026-06-01", "UTC"), measurements).contains(
                "<title>2026-06-01: 170</title>"
            ) == false
        )
        #expect(page(try period("day", "2026-06-02"), measurements).contains("<title>00:00: 50</title>"))
    }

    @Test("points and periods both show")
    func points() throws {
        let measurements = [
            try number(.heartRate, 61, "2026-06-01T10:00:00"),
            try number(.heartRate, 75, "2026-06-01T11:00:00", "2026-06-01T11:30:00"),
            try number(.restingHeartRate, 55, "2026-05-31T22:00:00", "2026-06-01T20:00:00"),
            try number(.walkingHeartRate, 99, "2026-06-01T20:00:00"),
        ]
        let day = page(try period("day", "2026-06-01"), measurements)
        #expect(
            day.contains("<title>Heart rate, 12:00: 61 beats a minute</title>")
                && day.contains("class=\"mark-heart\" cx=")
        )
        #expect(
            day.contains("<title>Heart rate, 13:00 to 13:30: 75 beats a minute</title>")
                && day.contains("class=\"mark-heart\" x1=")
        )
        #expect(day.contains("class=\"mark-resting\" x1=") && day.contains("class=\"mark-walking\" cx="))
        let month = page(try period("month", "2026-06-01"), measurements)
        #expect(
            month.contains("2026-06-01: mean 68, from 61 to 75")
                && month.contains("data-head=\"Resting\">55<") && month.contains("data-head=\"Walking\">99<")
        )
        #expect(page(try period("year", "2026-06-01"), measurements).contains("June: mean 68"))
    }

    @Test("a night shows each of its stages once")
    func night() throws {
        func sleep(_ stage: SleepStage, _ from: String, _ to: String, _ source: String) throws
            -> HealthMeasurement
        {
            HealthMeasurement(.sleep(stage), over: try utc(from)..<utc(to), source: source)
        }
        let measurements = [
            try sleep(.inBed, "2026-05-31T21:00:00", "2026-06-01T05:00:00", "Phone"),
            try sleep(.core, "2026-05-31T21:30:00", "2026-06-01T01:00:00", "Watch"),
            try sleep(.deep, "2026-06-01T01:00:00", "2026-06-01T02:00:00", "Watch"),
            try sleep(.rem, "2026-06-01T02:00:00", "2026-06-01T04:30:00", "Watch"),
            try sleep(.asleep, "2026-05-31T21:15:00", "2026-06-01T04:30:00", "Other"),
        ]
        let day = page(try period("day", "2026-06-01"), measurements)
        #expect(
            day.contains("Sleep in the night to 1 June 2026")
                && day.contains("<strong>7 h 15 min</strong> asleep")
        )
        #expect(
            day.contains("<title>Core: 23:30 to 03:00</title>")
                && day.contains("<title>Asleep: 23:15 to 23:30</title>")
        )
        #expect(day.contains("<title>In bed: 23:00 to 23:15</title>"))
        let month = page(try period("month", "2026-06-01"), measurements)
        #expect(month.contains("2026-06-01, Deep: 1 h 0 min") && !month.contains("2026-05-31,"))
        #expect(page(try period("year", "2026-06-01"), measurements).contains("June, REM: 2 h 30 min"))
        #expect(!page(try period("month", "2026-05-01"), measurements).contains("id=\"sleep\""))
    }

    @Test("pressure, weight and workouts show")
    func others() throws {
        let figures = WorkoutFigures(
            activity: "crossCountrySkiing",
            duration: 30,
            energy: 200,
            distance: 5.25
        )
        let measurements = [
            try number(.systolic, 128, "2026-06-01T08:00:00"),
            try number(.diastolic, 82, "2026-06-01T08:00:00"),
            try number(.weight, 70.25, "2026-06-02T08:00:00"),
            HealthMeasurement(
                .workout(figures),
                over: try utc("2026-06-01T16:00:00")..<utc("2026-06-01T17:00:00"),
                page: "/w"
            ),
        ]
        let month = page(try period("month", "2026-06-01"), measurements)
        for part in [
            "2026-06-01 10:00: 128/82 mmHg", "70.2 kg", "Cross country skiing", "2026-06-01: 30 min",
            "<a href=\"/w\">2026-06-01 18:00</a>",
        ] {
            #expect(month.contains(part), "\(part)")
        }
        #expect(
            page(try period("day", "2026-06-01"), measurements).contains(
                "Cross country skiing: 18:00 to 19:00"
            )
        )
    }

    /// As for steps: what phone and watch both saw counts once, and of what lies across midnight the part.
    @Test("the time of a workout counts once, in the days that it falls in")
    func workoutTime() throws {
        func workout(_ from: String, _ to: String, _ source: String) throws -> HealthMeasurement {
            HealthMeasurement(
                .workout(WorkoutFigures(activity: "running")),
                over: try utc(from)..<utc(to),
                source: source
            )
        }
        let twice = [
            try workout("2026-06-01T16:00:00", "2026-06-01T16:42:00", "Watch"),
            try workout("2026-06-01T16:00:00", "2026-06-01T16:42:00", "Phone"),
        ]
        let across = [try workout("2026-06-01T21:18:00", "2026-06-01T22:18:00", "Watch")]
        for length in ["day", "month"] {
            #expect(page(try period(length, "2026-06-01"), twice).contains("<strong>42</strong> min"))
        }
        #expect(page(try period("day", "2026-06-01"), across).contains("<strong>42</strong> min"))
        #expect(page(try period("month", "2026-06-01"), across).contains("<strong>60</strong> min"))
    }

    @Test("many measurements are drawn as their means")
    func manyMeasurements() throws {
        let start = try utc("2026-06-01T00:00:00")
        let many =
            (0..<2000).map {
                HealthMeasurement(
                    .number(.weight, 70),
                    over: start + $0 * Self.minute..<start + $0 * Self.minute
                )
            }
            + (0..<2000).map {
                HealthMeasurement(
                    .number(.systolic, 120),
                    over: start + $0 * Self.minute..<start + $0 * Self.minute
                )
            }
        let month = page(try period("month", "2026-06-01"), many)
        #expect(
            month.contains("Weight, means") && month.contains("Blood pressure, means")
                && month.utf8.count < 50_000
        )
    }

    @Test("what is not measured in the unit is no value")
    func otherUnits() {
        #expect(MeasuredQuantity.weight.value("150", unit: "[lb_av]") == Decimal(string: "68.0388555"))
        #expect(
            MeasuredQuantity.steps.value("150", unit: "steps") == 150
                && MeasuredQuantity.distance.value("1500", unit: "m") == 1.5
        )
        for (text, unit) in [
            ("150", "lbs"), ("1e400", "kg"), ("x", "kg"), ("1e30", "kg"), ("NaN", "kg"), ("", "kg"),
        ] {
            #expect(MeasuredQuantity.weight.value(text, unit: unit) == nil, "\(text)")
        }
        #expect(
            MeasuredQuantity.find(["8867-4", "40443-4"]) == .restingHeartRate
                && MeasuredQuantity.find(["1"]) == nil
        )
    }

    @Test("names from strangers are text")
    func strangeNames() throws {
        let figures = WorkoutFigures(activity: "<script>alert(1)</script>")
        let text = page(
            try period("day", "2026-06-01"),
            [
                HealthMeasurement(
                    .workout(figures),
                    over: try utc("2026-06-01T16:00:00")..<utc("2026-06-01T17:00:00"),
                    page: "/\"><b"
                )
            ]
        )
        #expect(!text.contains("<script") && !text.contains("\"><b"))
    }
}
