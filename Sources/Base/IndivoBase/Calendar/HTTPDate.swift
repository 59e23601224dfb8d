/// Dates of HTTP in their one present form (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameter seconds: Since 1970-01-01T00:00:00Z.
    package static func text(_ seconds: Int) -> String {
        let days = seconds.flooredQuotient(by: 86_400)
        let (year, month, day) = CivilCalendar.civil(fromDays: days)
        let rest = seconds - days * 86_400
        let weekday = weekdays[days - days.flooredQuotient(by: 7) * 7]
        let clock = CivilTime.clock(rest / 3600, rest % 3600 / 60, rest % 60)
        return "\(weekday), \(CivilTime.padded(day, 2)) \(months[month - 1]) \(year) \(clock) GMT"
    }

    /// Seconds since 1970-01-01T00:00:00Z, whatever day of the week the text names; `nil` for other forms.
    package static func seconds(_ text: String) -> Int? {
        let form = /[A-Z][a-z]{2}, ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT/
        guard let match = text.wholeMatch(of: form), let month = months.firstIndex(of: String(match.2)),
            let day = Int(match.1), let year = Int(match.3), let hour = Int(match.4),
            let minute = Int(match.5), let second = Int(match.6),
            (1...CivilCalendar.days(in: month + 1, of: year)).contains(day), hour < 24, minute < 60,
            second < 61
        else { return nil }
        let days = CivilCalendar.days(fromCivil: year, month + 1, day)
        return days * 86_400 + hour * 3600 + minute * 60 + second
    }
}
