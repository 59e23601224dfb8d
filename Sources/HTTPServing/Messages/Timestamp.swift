import CivilCalendar
import Foundation

/// An instant in whole microseconds.
package struct Timestamp: Sendable, Hashable, Comparable, Codable, RawRepresentable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    package var rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package init(_ date: Date) {
        rawValue = Int64((date.timeIntervalSince1970 * 1_000_000).rounded())
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.rawValue < right.rawValue }

    package func advanced(bySeconds seconds: Int64) -> Timestamp {
        Timestamp(rawValue: rawValue + seconds * 1_000_000)
    }

    package var seconds: Int64 { rawValue.dividedFloor(by: 1_000_000) }

    /// The form of XML and JSON: `2026-11-21T03:53:12.893108Z`, without the fraction when it is zero.
    package var text: String {
        let fraction = rawValue - seconds * 1_000_000
        return fraction == 0 ? wholeSeconds + "Z" : wholeSeconds + "." + CivilTime.padded(Int(fraction), 6) + "Z"
    }

    /// The form audit entries have: the fraction cut off.
    package var secondsText: String { wholeSeconds + "Z" }

    /// The calendar day in UTC, `2009-05-16`.
    package var day: String { String(text.prefix(10)) }

    /// The `Date` header of HTTP (RFC 9110 section 5.6.7).
    package var httpDate: String {
        let parts = components
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekday = weekdays[Int((seconds.dividedFloor(by: 86_400) % 7 + 7) % 7)]
        return "\(weekday), \(CivilTime.padded(parts.day, 2)) \(months[parts.month - 1]) \(parts.year) "
            + "\(CivilTime.padded(parts.hour, 2)):\(CivilTime.padded(parts.minute, 2)):\(CivilTime.padded(parts.second, 2)) GMT"
    }

    private var wholeSeconds: String {
        let parts = components
        return "\(CivilTime.padded(parts.year, 4))-\(CivilTime.padded(parts.month, 2))-\(CivilTime.padded(parts.day, 2))"
            + "T\(CivilTime.padded(parts.hour, 2)):\(CivilTime.padded(parts.minute, 2)):\(CivilTime.padded(parts.second, 2))"
    }

    private var components: (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        let days = Int(seconds.dividedFloor(by: 86_400))
        let rest = Int(seconds) - days * 86_400
        let date = CivilCalendar.civil(fromDays: days)
        return (date.year, date.month, date.day, rest / 3600, rest % 3600 / 60, rest % 60)
    }
}

extension Int64 {
    /// Division that rounds towards negative infinity.
    fileprivate func dividedFloor(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
