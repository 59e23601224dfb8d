import Foundation

/// The hours, days, weeks or months of a time zone.
package struct TimeSpans: Sendable {
    /// How long spans are.
    package enum Length: Sendable, Hashable { case hour, day, week, month }

    package let length: Length
    package let zone: TimeZone
    private var last = 0..<0

    package init(_ length: Length, in zone: TimeZone) {
        self.length = length
        self.zone = zone
    }

    private static let second = 1_000_000
    private static let hour = 3_600 * second
    private static let day = 86_400 * second

    /// The offset from UTC in microseconds at a point in time. It changes at whole seconds, which a `Double`
    /// has exactly.
    package func offset(at instant: Int) -> Int {
        zone.secondsFromGMT(
            for: Date(timeIntervalSince1970: Double(instant.flooredQuotient(by: Self.second)))
        ) * Self.second
    }

    /// The day that a clock of the zone shows, counted from 1970-01-01.
    package func day(of instant: Int) -> Int { (instant + offset(at: instant)).flooredQuotient(by: Self.day) }

    /// The span that a point in time lies in, in microseconds since 1970.
    package mutating func span(at instant: Int) -> Range<Int> {
        if last.contains(instant) { return last }
        let day = day(of: instant)
        switch length {
        case .hour: last = hour(at: instant)
        case .day: last = days(day, 1)
        case .week:
            // 1970-01-01 was a Thursday.
            last = days(day - ((day + 3) - (day + 3).flooredQuotient(by: 7) * 7), 7)
        case .month:
            let civil = CivilCalendar.civil(fromDays: day)
            last = days(day - civil.day + 1, CivilCalendar.days(in: civil.month, of: civil.year))
        }
        return last
    }

    /// The span of a number of days, from a first one on.
    package func days(_ first: Int, _ count: Int) -> Range<Int> {
        midnight(of: first)..<midnight(of: first + count)
    }

    /// An hour that the clock shows. It is shorter where the clock changes by less than an hour.
    private func hour(at instant: Int) -> Range<Int> {
        let offset = offset(at: instant)
        var start = (instant + offset).flooredQuotient(by: Self.hour) * Self.hour - offset
        var end = start + Self.hour
        if self.offset(at: start) != offset {
            start = change(start, instant) { self.offset(at: $0) == offset }
        }
        if self.offset(at: end - Self.second) != offset {
            end = change(instant, end) { self.offset(at: $0) != offset }
        }
        return start..<end
    }

    /// When a day begins.
    package func midnight(of day: Int) -> Int { instant(local: day * Self.day) }

    /// When a clock of the zone shows a time, in microseconds since it showed the beginning of 1970. Where
    /// the clock leaves the time out, as midnight when summer time begins then, it is the first moment after.
    package func instant(local: Int) -> Int {
        let earlier = local - offset(at: local - Self.day)
        let later = local - offset(at: local + Self.day)
        let low = min(earlier, later)
        let high = max(earlier, later)
        for candidate in [low, high] where candidate + offset(at: candidate) == local { return candidate }
        // No clock shows it: the offset changes between the two.
        return change(low, high) { $0 + self.offset(at: $0) >= local }
    }

    /// The first second from `low` to `high` that fulfils a condition, which the seconds after it do too.
    private func change(_ low: Int, _ high: Int, _ condition: (Int) -> Bool) -> Int {
        var low = low.flooredQuotient(by: Self.second)
        var high = high.flooredQuotient(by: Self.second)
        while high - low > 1 {
            let middle = (low + high) / 2
            if condition(middle * Self.second) { high = middle } else { low = middle }
        }
        return high * Self.second
    }
}
