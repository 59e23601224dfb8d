import CivilCalendar
import FHIR
import Foundation

/// How totals are divided.
public enum TotalSpan: String, Sendable, Hashable, CaseIterable {
    /// By the hour.
    case hour
    /// By the day, of 23 or 25 hours where summer time begins or ends.
    case day
    /// By the week, from Monday on.
    case week
}

/// The hours, days or weeks of a time zone.
struct TimeSpans {
    let span: TotalSpan
    let zone: TimeZone
    private var last = 0..<0

    init(_ span: TotalSpan, in zone: TimeZone) {
        (self.span, self.zone) = (span, zone)
    }

    private static let second = 1_000_000
    private static let day = 86_400 * second

    /// The offset from UTC in microseconds at a point in time. It changes at whole seconds, which a `Double` has exactly.
    private func offset(at instant: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.flooredQuotient(by: Self.second)))) * Self.second
    }

    /// The span that a point in time lies in, in microseconds since 1970.
    mutating func span(at instant: Int) -> Range<Int> {
        if last.contains(instant) { return last }
        switch span {
        case .hour:
            let offset = offset(at: instant)
            let hour = 3_600 * Self.second
            let start = (instant + offset).flooredQuotient(by: hour) * hour - offset
            last = start..<start + hour
        case .day, .week:
            var day = (instant + offset(at: instant)).flooredQuotient(by: Self.day)
            var count = 1
            if span == .week {
                // 1970-01-01 was a Thursday.
                let weekday = (day + 3) - (day + 3).flooredQuotient(by: 7) * 7
                day -= weekday
                count = 7
            }
            last = midnight(of: day)..<midnight(of: day + count)
        }
        return last
    }

    /// When a day begins. Where summer time begins at midnight, that is the first moment of the day that there is.
    private func midnight(of day: Int) -> Int {
        let local = day * Self.day
        let earlier = local - offset(at: local - Self.day)
        let later = local - offset(at: local + Self.day)
        for candidate in [min(earlier, later), max(earlier, later)] where candidate + offset(at: candidate) == local { return candidate }
        // No clock shows this midnight: the offset changes between the two.
        var (low, high) = (min(earlier, later), max(earlier, later))
        while high - low > Self.second {
            let middle = (low + high) / 2
            if middle + offset(at: middle) < local { low = middle } else { high = middle }
        }
        return high.flooredQuotient(by: Self.second) * Self.second
    }

    func dateTime(_ instant: Int) -> FHIRDateTime? {
        let minutes = offset(at: instant) / (60 * Self.second)
        return FHIRDateTime(microseconds: instant, offset: minutes)
    }
}
