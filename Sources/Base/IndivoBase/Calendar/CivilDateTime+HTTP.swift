/// The dates of HTTP's fields: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7, the preferred form).
extension CivilDateTime {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Nil for what is not such a date; the name of the day may be any.
    package init?(httpDate text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[5] == "GMT",
            let month = Self.months.firstIndex(where: { $0 == parts[2] }),
            let value = CivilDateTime(
                text: "\(parts[3])-\((month + 1).padded(2))-\(parts[1])T\(parts[4])Z"
            ), value.precision == .second, value.fractionDigits == 0
        else { return nil }
        self = value
    }

    /// The date of a field, of a date and time in UTC.
    package var httpDate: String {
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let weekday = weekdays[days - days.flooredQuotient(by: 7) * 7]
        let clock = "\(hour.padded(2)):\(minute.padded(2)):\(second.padded(2))"
        return "\(weekday), \(day.padded(2)) \(Self.months[month - 1]) \(year) \(clock) GMT"
    }
}
