import FHIR
import Foundation
import HealthSamples
import IndivoBase
import Testing

/// Totals by hour, day and week.
@Suite struct TotalsTests {
    private func zone(_ name: String = "Europe/Berlin") throws -> TimeZone {
        try #require(TimeZone(identifier: name))
    }

    private func totals(
        _ samples: [Sample],
        of type: String = "StepCount",
        by span: TotalSpan = .day,
        in zone: String = "Europe/Berlin",
        priority: [String] = []
    ) throws -> [SampleTotals.Total] {
        var totals = try SampleTotals(of: type, by: span, in: self.zone(zone), priority: priority)
        for sample in samples { try totals.add(sample) }
        return try totals.all()
    }

    private func steps(
        _ count: FHIRDecimal,
        _ start: FHIRDateTime,
        _ end: FHIRDateTime,
        _ source: String = "Phone"
    ) -> Sample {
        Fixture.quantity("StepCount", count, "count", from: start, to: end, source: source)
    }

    @Test(
        "days on which the clock changes have their hours",
        arguments: [("2026-03-29", 23), ("2026-10-25", 25), ("2026-06-01", 24)]
    )
    func summerTime(_ day: String, _ hours: Int) throws {
        let noon = try #require(FHIRDateTime(text: "\(day)T12:00:00Z"))
        let total = try #require(try totals([steps(5, noon, noon)]).first)
        #expect(total.hours == hours && total.start.description.hasPrefix("\(day)T00:00:00+0"))
        let all = try #require(FHIRDateTime(text: "\(day)T00:00:00\(total.start.zone)"))
        let hourly = try totals([steps(FHIRDecimal(hours * 10), all, total.end)], by: .hour)
        #expect(hourly.count == hours && hourly.allSatisfy { $0.sum == 10 && $0.hours == 1 })
    }

    @Test("a day without a midnight begins later")
    func noMidnight() throws {
        // In 2018 summer time began at midnight in São Paulo.
        let total = try #require(
            try totals([steps(1, "2018-11-04T15:00:00Z", "2018-11-04T15:00:00Z")], in: "America/Sao_Paulo")
                .first
        )
        #expect(total.start == "2018-11-04T01:00:00-02:00" && total.hours == 23)
    }

    @Test("samples across midnight are divided by time")
    func acrossMidnight() throws {
        let found = try totals([steps(100, "2026-06-01T23:45:00+02:00", "2026-06-02T00:45:00+02:00")])
        #expect(found.map(\.sum) == [25, 75])
        #expect(found.map(\.start) == ["2026-06-01T00:00:00+02:00", "2026-06-02T00:00:00+02:00"])
    }

    @Test("weeks begin on Monday")
    func weeks() throws {
        let found = try totals(
            [
                steps(1, "2026-03-29T10:00:00Z", "2026-03-29T10:00:00Z"),
                steps(2, "2026-03-30T10:00:00Z", "2026-03-30T10:00:00Z"),
            ],
            by: .week
        )
        #expect(found.map(\.start) == ["2026-03-23T00:00:00+01:00", "2026-03-30T00:00:00+02:00"])
        #expect(found.map(\.hours) == [167, 168])
    }

    @Test("overlapping sources count once")
    func overlaps() throws {
        let samples = [
            steps(60, "2026-06-01T10:00:00Z", "2026-06-01T11:00:00Z", "Watch"),
            steps(100, "2026-06-01T10:30:00Z", "2026-06-01T11:30:00Z", "Phone"),
            steps(7, "2026-06-01T10:15:00Z", "2026-06-01T10:15:00Z", "Phone"),
        ]
        #expect(try totals(samples, priority: ["Watch"]).map(\.sum) == [110])
        #expect(try totals(samples, priority: ["Phone"]).map(\.sum) == [137])
        // The source with the most samples comes first where no priority is given.
        #expect(try totals(samples).map(\.sum) == [137])
    }

    @Test("overlaps within one source add up")
    func ownOverlaps() throws {
        let samples = [
            steps(10, "2026-06-01T10:00:00Z", "2026-06-01T11:00:00Z"),
            steps(5, "2026-06-01T10:30:00Z", "2026-06-01T11:00:00Z"),
        ]
        let all = try totals(samples)
        #expect(all.map(\.sum) == [15] && all.map(\.count) == [2])
    }

    /// As on upload: the same sample is one, however often a file has it.
    @Test("a sample that comes again counts once")
    func repeated() throws {
        let sample = steps(10, "2026-06-01T10:00:00Z", "2026-06-01T11:00:00Z")
        var again = sample
        again.metadata["a"] = .boolean(true)
        #expect(
            try totals([sample, again, steps(1, "2026-06-01T12:00:00Z", "2026-06-01T12:00:00Z"), sample]).map(
                \.sum
            ) == [11]
        )
        var rate = Fixture.quantity("HeartRate", 60, "count/min")
        rate.uuid = "0C8F5A3E-5D4C-4E5B-9B39-2A54C0C7F1D5"
        #expect(try totals([rate, rate], of: "HeartRate").map(\.count) == [1])
        #expect(
            try totals([Fixture.bloodPressure(), Fixture.bloodPressure()], of: "BloodPressureSystolic").map(
                \.count
            ) == [1]
        )
    }

    @Test("a sample with another one within it counts as one")
    func within() throws {
        let found = try totals(
            [
                steps(30, "2026-06-01T09:00:00Z", "2026-06-01T12:00:00Z", "Phone"),
                steps(5, "2026-06-01T10:00:00Z", "2026-06-01T11:00:00Z", "Watch"),
            ],
            priority: ["Watch"]
        )
        #expect(found.map(\.count) == [2] && found.map(\.sum) == [25])
    }

    /// The machine's own zone does not count, whatever it is.
    @Test("each sample has its own zone")
    func zones() throws {
        var sample = Fixture.quantity("HeartRate", 60, "count/min", from: "2026-03-01T08:00:00+01:00")
        #expect(sample.timeZone == TimeZone(secondsFromGMT: 3600))
        sample.start = "2026-03-01T08:00:00Z"
        #expect(sample.timeZone == TimeZone(secondsFromGMT: 0))
        sample.metadata["HKTimeZone"] = .text("Europe/Berlin")
        #expect(sample.timeZone.identifier == "Europe/Berlin")
    }

    /// The sum of all hours is the sum of all days and of all samples of one source.
    @Test("nothing is lost by dividing")
    func dividing() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20 {
            let samples = (0..<50).map { _ in
                let start = 1_774_600_000_000_000 + Int.random(in: 0..<300_000, using: &random) * 1_000_000
                let end = start + Int.random(in: 0..<200_000, using: &random) * 1_000_000
                return steps(
                    FHIRDecimal(Int.random(in: 0..<1000, using: &random)),
                    FHIRDateTime(Date(timeIntervalSince1970: Double(start / 1_000_000))),
                    FHIRDateTime(Date(timeIntervalSince1970: Double(end / 1_000_000)))
                )
            }
            let sum = samples.reduce(Decimal()) { sum, sample in
                guard case .quantity(let quantity) = sample.value else { return sum }
                return sum + (quantity.value.decimal ?? 0)
            }
            for span in TotalSpan.allCases {
                let all = try totals(samples, by: span).reduce(Decimal()) { $0 + ($1.sum?.decimal ?? 0) }
                #expect(abs(all - sum) < Decimal(sign: .plus, exponent: -6, significand: 1))
            }
        }
    }

    @Test("discrete types have a minimum, a mean and a maximum")
    func discrete() throws {
        let samples = [60, 70, 83].map { Fixture.quantity("HeartRate", FHIRDecimal($0), "count/min") }
        let total = try #require(try totals(samples, of: "HeartRate").first)
        #expect(
            total.minimum == 60 && total.mean == 71 && total.maximum == 83 && total.sum == nil
                && total.count == 3
        )
    }

    @Test("members of correlations count")
    func members() throws {
        #expect(try totals([Fixture.bloodPressure()], of: "BloodPressureSystolic").first?.mean == 120)
    }

    @Test("a sample that spans millennia is an error")
    func millennia() throws {
        #expect { try totals([steps(1, "1000-01-01T00:00:00Z", "2026-01-01T00:00:00Z")]) } throws: {
            "\($0)".contains("more than 10000 spans")
        }
        #expect { try totals([steps(1, "9999-12-31T23:00:00Z", "9999-12-31T23:30:00Z")]) } throws: {
            "\($0)".contains("outside the years")
        }
    }

    @Test("what exceeds a limit is an error")
    func exceeded() throws {
        var limits = SampleTotals.Limits()
        limits.bytes = 10
        var totals = try SampleTotals(of: "StepCount", by: .day, in: zone(), limits: limits)
        let sample = steps(1, "2026-06-01T10:00:00Z", "2026-06-01T11:00:00Z")
        try totals.add(sample)
        let other = steps(2, "2026-06-01T10:00:00Z", "2026-06-01T11:00:00Z")
        #expect { try totals.add(other) } throws: { "\($0)".contains("more than 10 bytes") }
        #expect { try SampleTotals(of: "StepCont", by: .day, in: self.zone()) } throws: {
            "\($0)".contains("Did you mean 'StepCount'?")
        }
        #expect { try SampleTotals(of: "SleepAnalysis", by: .day, in: self.zone()) } throws: {
            "\($0)".contains("has no numbers")
        }
    }
}
