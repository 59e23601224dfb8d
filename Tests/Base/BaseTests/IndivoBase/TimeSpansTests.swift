import Foundation
import IndivoBase
import Testing

/// Hours, days, weeks and months of zones whose clocks change in every way there is.
@Suite struct TimeSpansTests {
    static let zones = [
        "Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca",
        "Pacific/Apia", "UTC",
    ]
    private static let second = 1_000_000

    private func zone(_ name: String) throws -> TimeZone { try #require(TimeZone(identifier: name)) }

    /// What a clock and a calendar of the zone show, from Foundation.
    private func shown(_ instant: Int, _ calendar: Calendar) -> DateComponents {
        calendar.dateComponents(
            [.year, .month, .day, .hour, .minute],
            from: Date(timeIntervalSince1970: Double(instant.flooredQuotient(by: Self.second)))
        )
    }

    @Test("a span has the times that show the same hour, day or month", arguments: zones)
    func times(_ name: String) throws {
        let zone = try zone(name)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        var random = SeededGenerator(seed: 3)
        var instants = (0..<100).map { _ in Int.random(in: 0..<2_000_000_000, using: &random) * Self.second }
        // Around each change of the clock of some years.
        var date = Date(timeIntervalSince1970: 1_530_000_000)
        while let next = zone.nextDaylightSavingTimeTransition(after: date),
            next.timeIntervalSince1970 < 1_800_000_000
        {
            let change = Int(next.timeIntervalSince1970)
            instants += [-7200, -3600, -1800, -1, 0, 1, 1799, 1800, 3600, 7200].map {
                (change + $0) * Self.second
            }
            date = next
        }
        for length in [TimeSpans.Length.hour, .day, .month] {
            let parts: Set<Calendar.Component> =
                length == .hour
                ? [.year, .month, .day, .hour] : length == .day ? [.year, .month, .day] : [.year, .month]
            func key(_ instant: Int) -> [Int?] {
                let all = shown(instant, calendar)
                return [
                    all.year, all.month, parts.contains(.day) ? all.day : nil,
                    parts.contains(.hour) ? all.hour : nil,
                ]
            }
            var spans = TimeSpans(length, in: zone)
            for instant in instants {
                let span = spans.span(at: instant)
                #expect(span.contains(instant))
                #expect(
                    key(span.lowerBound) == key(instant)
                        && key(span.upperBound - Self.second) == key(instant),
                    "\(name) \(instant)"
                )
                let before = key(span.lowerBound - Self.second)
                // Where the clock goes back, the hour before shows the same numbers.
                #expect(before != key(instant) || length == .hour, "\(name) \(instant)")
                var fresh = TimeSpans(length, in: zone)
                #expect(
                    fresh.span(at: span.lowerBound) == span && fresh.span(at: span.upperBound - 1) == span
                )
            }
        }
    }

    @Test("spans follow one another without gap or overlap", arguments: zones)
    func neighbours(_ name: String) throws {
        for (length, count) in [(TimeSpans.Length.hour, 24 * 220), (.day, 400), (.week, 120), (.month, 40)] {
            var spans = TimeSpans(length, in: try zone(name))
            var span = spans.span(at: 1_535_000_000 * Self.second)
            for _ in 0..<count {
                let next = spans.span(at: span.upperBound)
                #expect(next.lowerBound == span.upperBound && !next.isEmpty)
                span = next
            }
        }
    }
}
