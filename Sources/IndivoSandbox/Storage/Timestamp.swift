import Foundation

/// An instant in whole microseconds, the resolution of the server's times.
struct Timestamp: Sendable, Hashable, Comparable, Codable, RawRepresentable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    var rawValue: Int64

    init(rawValue: Int64) { self.rawValue = rawValue }

    init(_ date: Date) {
        rawValue = Int64((date.timeIntervalSince1970 * 1_000_000).rounded())
    }

    static func < (left: Timestamp, right: Timestamp) -> Bool { left.rawValue < right.rawValue }

    func advanced(bySeconds seconds: Int64) -> Timestamp {
        Timestamp(rawValue: rawValue + seconds * 1_000_000)
    }

    var seconds: Int64 { rawValue.dividedFloor(by: 1_000_000) }

    /// The form the server writes: `2026-11-21T03:53:12.893108Z`, without the fraction when it is zero.
    var text: String {
        let fraction = rawValue - seconds * 1_000_000
        return fraction == 0 ? wholeSeconds + "Z" : wholeSeconds + "." + padded(fraction, 6) + "Z"
    }

    /// The form audit entries have: the fraction cut off.
    var secondsText: String { wholeSeconds + "Z" }

    /// The `Date` header of HTTP (RFC 9110 section 5.6.7).
    var httpDate: String {
        let parts = components
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekday = weekdays[Int((seconds.dividedFloor(by: 86_400) % 7 + 7) % 7)]
        return "\(weekday), \(padded(parts.day, 2)) \(months[Int(parts.month) - 1]) \(parts.year) "
            + "\(padded(parts.hour, 2)):\(padded(parts.minute, 2)):\(padded(parts.second, 2)) GMT"
    }

    private var wholeSeconds: String {
        let parts = components
        return "\(padded(parts.year, 4))-\(padded(parts.month, 2))-\(padded(parts.day, 2))"
            + "T\(padded(parts.hour, 2)):\(padded(parts.minute, 2)):\(padded(parts.second, 2))"
    }

    private var components: (year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64) {
        let days = seconds.dividedFloor(by: 86_400)
        let rest = seconds - days * 86_400
        let date = CivilDate(daysSince1970: days)
        return (date.year, date.month, date.day, rest / 3600, rest % 3600 / 60, rest % 60)
    }
}

/// A day of the Gregorian calendar.
struct CivilDate: Sendable, Hashable {
    var year: Int64
    var month: Int64
    var day: Int64

    init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day so many days after 1970-01-01 (Howard Hinnant's `civil_from_days`).
    init(daysSince1970: Int64) {
        let z = daysSince1970 + 719_468
        let era = z.dividedFloor(by: 146_097)
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days after 1970-01-01 (Howard Hinnant's `days_from_civil`).
    var daysSince1970: Int64 {
        let y = month <= 2 ? year - 1 : year
        let era = y.dividedFloor(by: 400)
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Whether the numbers name a day that exists.
    var isValid: Bool {
        (1...12).contains(month) && (1...31).contains(day) && CivilDate(daysSince1970: daysSince1970) == self
    }
}

extension Int64 {
    /// Division that rounds towards negative infinity.
    func dividedFloor(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

private func padded(_ number: Int64, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
}
