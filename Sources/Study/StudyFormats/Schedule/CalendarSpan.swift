import FHIR
import Foundation
import IndivoBase

/// A length of time by the calendar, as C3-PRO writes it: `1m 2d 3h`.
public struct CalendarSpan: Sendable, Hashable, CustomStringConvertible {
    /// Months; a year has twelve. They keep the day, or end at the month's last.
    public var months = 0
    /// Days by the calendar.
    public var days = 0
    /// Hours that pass.
    public var hours = 0

    /// A span.
    public init(months: Int = 0, days: Int = 0, hours: Int = 0) {
        self.months = months
        self.days = days
        self.hours = hours
    }

    /// Reads `<n>h`, `<n>d`, `<n>m` (months) and `<n>y`, with spaces between them, each unit once; `nil` for
    /// other texts and for more than a century.
    public init?(text: String) {
        guard text.utf8.count <= 64 else { return nil }
        var seen: Set<Character> = []
        let parts = text.split(separator: " ")
        for part in parts {
            guard let unit = part.last, seen.insert(unit).inserted,
                part.dropLast().isASCIIDigits,
                let number = Int(part.dropLast()), number <= 1_000_000
            else { return nil }
            switch unit {
            case "h": hours = number
            case "d": days = number
            case "m": months += number
            case "y": months += 12 * number
            default: return nil
            }
        }
        guard !parts.isEmpty, isWithinCentury else { return nil }
    }

    /// Whether it is no longer than a hundred years, which keeps all sums in bounds.
    var isWithinCentury: Bool { months <= 1_200 && days <= 36_525 && hours <= 876_600 }

    var isZero: Bool { months == 0 && days == 0 && hours == 0 }

    static func * (span: Self, count: Int) -> Self {
        CalendarSpan(months: span.months * count, days: span.days * count, hours: span.hours * count)
    }

    public var description: String {
        let parts = [(months, "m"), (days, "d"), (hours, "h")].filter { $0.0 != 0 }.map { "\($0.0)\($0.1)" }
        return parts.isEmpty ? "0d" : parts.joined(separator: " ")
    }
}

/// A day and a time of day where the participant is.
struct LocalTime: Hashable {
    /// Days since 1970-01-01.
    var day: Int
    /// Seconds since midnight, by a clock without summer time.
    var second: Int

    /// The local time of a moment.
    init(_ date: Date, in zone: TimeZone) {
        let local = Int(date.timeIntervalSince1970.rounded(.down)) + zone.secondsFromGMT(for: date)
        day = local.flooredQuotient(by: 86_400)
        second = local - day * 86_400
    }

    init(day: Int, second: Int = 0) {
        self.day = day
        self.second = second
    }

    /// The moment. A time that summer time skips is as much later as is skipped; of one that comes twice it
    /// is the first.
    func date(in zone: TimeZone) -> Date {
        let local = day * 86_400 + second
        func offset(_ seconds: Int) -> Int {
            zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
        }
        let before = offset(local - 86_400)
        let after = offset(local + 86_400)
        let first = local - before
        if before == after || offset(first) == before { return Date(timeIntervalSince1970: Double(first)) }
        let second = local - after
        return Date(timeIntervalSince1970: Double(offset(second) == after ? second : first))
    }

    /// Later by months and days; the time of day stays. Hours are added to moments, not here.
    func adding(_ span: CalendarSpan) -> LocalTime {
        var result = self
        if span.months != 0 {
            result.day = CivilDateTime(days: day).adding(months: span.months).days
        }
        result.day += span.days
        return result
    }

    /// The date, as in `2026-11-22`.
    var dateText: String {
        var date = CivilDateTime(days: day)
        date.year = min(max(date.year, 1), 9999)
        return date.description
    }
}

extension Date {
    /// Later by a span, by the calendar of a zone.
    func adding(_ span: CalendarSpan, in zone: TimeZone) -> Date {
        let local = LocalTime(self, in: zone)
        let moved = local.adding(span)
        // Nothing but hours: no calendar is needed, and an hour that comes twice stays the one it is.
        let date = moved == local ? self : moved.date(in: zone)
        return date.addingTimeInterval(Double(span.hours * 3_600))
    }
}

extension StudySchedule {
    /// The beginning of a day in a zone; `nil` for a date without a day.
    public static func beginning(of date: FHIRDate, in zone: TimeZone) -> Date? {
        date.day.map { _ in LocalTime(day: date.civil.days).date(in: zone) }
    }
}
