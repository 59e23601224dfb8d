import Foundation
import IndivoBase

/// Why a period cannot be shown.
package struct HealthPeriodError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
}

/// A day, month or year of a time zone.
package struct HealthPeriod: Sendable, Hashable {
    package enum Length: String, Sendable, Hashable, CaseIterable {
        case day, month, year
    }

    package let length: Length
    package let zone: TimeZone
    /// The first day, counted from 1970-01-01.
    let first: Int
    /// How many days it has.
    let count: Int

    /// The period that the parameters of a page name.
    ///
    /// - Parameters:
    ///   - length: `day`, `month` or `year`; a month where it is nil.
    ///   - date: A day in it, as `2026-03-29`.
    ///   - zone: A name such as `Europe/Berlin`, or an offset such as `+01:00`.
    ///   - latest: What is shown where there is no date: the last measurement.
    /// - Throws: ``HealthPeriodError``, which names the parameter.
    package init(
        length: String?,
        on date: String?,
        zone: String?,
        defaultZone: TimeZone?,
        latest: Int
    ) throws(HealthPeriodError) {
        let name = zone ?? ""
        let zone = try name.isEmpty ? defaultZone ?? .gmt : Self.zone(name)
        guard let known = Length(rawValue: length ?? "month") else {
            throw HealthPeriodError(
                description: "'by' is day, month or year, not '\((length ?? "").prefix(60))'."
            )
        }
        let day = if let date { try Self.day(date) } else { TimeSpans(.day, in: zone).day(of: latest) }
        self.init(known, around: day, in: zone)
    }

    private init(_ length: Length, around day: Int, in zone: TimeZone) {
        self.length = length
        self.zone = zone
        let civil = CivilCalendar.civil(fromDays: day)
        switch length {
        case .day:
            first = day
            count = 1
        case .month:
            first = day - civil.day + 1
            count = CivilCalendar.days(in: civil.month, of: civil.year)
        case .year:
            first = CivilCalendar.days(fromCivil: civil.year, 1, 1)
            count = CivilCalendar.isLeap(civil.year) ? 366 : 365
        }
    }

    private static func day(_ text: String) throws(HealthPeriodError) -> Int {
        // The years before and after it exist too.
        guard let date = CivilDateTime(text: text), date.kind == .date, date.precision == .day,
            2...9998 ~= date.year
        else {
            throw HealthPeriodError(
                description: "'on' is a day such as 2026-03-29, not '\(text.prefix(60))'."
            )
        }
        return date.days
    }

    private static func zone(_ text: String) throws(HealthPeriodError) -> TimeZone {
        if text == "UTC" { return .gmt }
        if let match = text.wholeMatch(of: /([+-])(\d\d):(\d\d)/), let hours = Int(match.2),
            let minutes = Int(match.3),
            hours <= 14, minutes < 60,
            let zone = TimeZone(secondsFromGMT: (match.1 == "-" ? -1 : 1) * (hours * 60 + minutes) * 60)
        {
            return zone
        }
        let names = TimeZone.knownTimeZoneIdentifiers
        guard names.contains(text), let zone = TimeZone(identifier: text) else {
            let shown = String(text.prefix(60))
            throw HealthPeriodError(
                description: "There is no time zone '\(shown)'.\(Spelling.hint(for: shown, among: names))"
            )
        }
        return zone
    }

    /// The zone as the parameter names it.
    package var zoneName: String {
        if TimeZone.knownTimeZoneIdentifiers.contains(zone.identifier) { return zone.identifier }
        let minutes = zone.secondsFromGMT(for: Date(timeIntervalSince1970: 0)) / 60
        if minutes == 0 { return "UTC" }
        return "\(minutes < 0 ? "-" : "+")\((abs(minutes) / 60).padded(2)):\((abs(minutes) % 60).padded(2))"
    }

    // MARK: Time

    private var spans: TimeSpans { TimeSpans(.day, in: zone) }

    /// The period, in microseconds since 1970.
    package var range: Range<Int> { spans.days(first, count) }

    /// The time whose measurements the page needs. It begins at noon of the day before, as the first night
    /// does.
    package var needed: Range<Int> { nights.lowerBound..<max(range.upperBound, nights.upperBound) }

    /// The nights that end in the period, from noon to noon.
    var nights: Range<Int> { noon(first - 1)..<noon(first + count - 1) }

    private func noon(_ day: Int) -> Int { spans.instant(local: (day * 24 + 12) * 3_600_000_000) }

    /// The day on which the night of a point in time ends.
    func night(of instant: Int) -> Int { spans.day(of: instant + 12 * 3_600_000_000) }

    /// How the period is divided.
    var part: TimeSpans.Length {
        switch length {
        case .day: .hour
        case .month: .day
        case .year: .month
        }
    }

    /// Times that have a name under a chart.
    var ticks: [(at: Int, text: String)] {
        switch length {
        case .day:
            [0, 6, 12, 18].map { (spans.instant(local: (first * 24 + $0) * 3_600_000_000), String($0)) }
                + [(range.upperBound, "24")]
        case .month:
            stride(from: 0, to: count, by: 7).map { (spans.midnight(of: first + $0), String($0 + 1)) }
        case .year:
            (1...12).map { month in
                let year = CivilCalendar.civil(fromDays: first).year
                return (
                    spans.midnight(of: CivilCalendar.days(fromCivil: year, month, 1)),
                    String(Self.months[month - 1].prefix(1))
                )
            }
        }
    }

    /// When the day begins in a zone that begins in UTC at a point in time.
    package static func midnight(ofUTC instant: Int, in zone: TimeZone) -> Int {
        TimeSpans(.day, in: zone).midnight(of: instant.flooredQuotient(by: 86_400_000_000))
    }

    // MARK: Words

    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ]

    /// `29 March 2026`, `March 2026`, `2026`.
    package var title: String {
        let civil = CivilCalendar.civil(fromDays: first)
        switch length {
        case .day: return "\(civil.day) \(Self.months[civil.month - 1]) \(civil.year)"
        case .month: return "\(Self.months[civil.month - 1]) \(civil.year)"
        case .year: return String(civil.year)
        }
    }

    /// The period before or after.
    func moved(_ direction: Int) -> HealthPeriod {
        HealthPeriod(length, around: direction < 0 ? first - 1 : first + count, in: zone)
    }

    func with(_ length: Length) -> HealthPeriod {
        // From a month or year to a day: the last one, which is the latest.
        HealthPeriod(
            length,
            around: length == .day && self.length != .day ? first + count - 1 : first,
            in: zone
        )
    }

    /// The period of a part that begins at a point in time: of a year a month, of a month a day.
    func part(at instant: Int) -> HealthPeriod? {
        switch length {
        case .day: nil
        case .month: HealthPeriod(.day, around: spans.day(of: instant), in: zone)
        case .year: HealthPeriod(.month, around: spans.day(of: instant), in: zone)
        }
    }

    static func dayText(_ day: Int) -> String { CivilDateTime(days: day).description }

    /// The parameters of the period's page.
    package var parameters: [(name: String, value: String)] {
        [("by", length.rawValue), ("on", Self.dayText(first)), ("zone", zoneName)]
    }

    /// The day of a point in time, as the zone's clock and calendar show it.
    func dayText(of instant: Int) -> String { Self.dayText(spans.day(of: instant)) }

    /// `07:15`.
    func clockText(of instant: Int) -> String {
        let time = CivilDateTime(microseconds: instant + spans.offset(at: instant))
        return "\(time.hour.padded(2)):\(time.minute.padded(2))"
    }

    /// `07:15 to 08:00`.
    func clockText(of time: Range<Int>) -> String {
        "\(clockText(of: time.lowerBound)) to \(clockText(of: time.upperBound))"
    }

    /// A span of the period: `07:00`, `2026-03-29`, `March`.
    func partText(_ start: Int) -> String {
        switch length {
        case .day: clockText(of: start)
        case .month: dayText(of: start)
        case .year: Self.months[CivilCalendar.civil(fromDays: spans.day(of: start)).month - 1]
        }
    }

    /// A time as a table shows it: the clock alone where the day is known.
    func timeText(_ instant: Int) -> String {
        length == .day ? clockText(of: instant) : "\(dayText(of: instant)) \(clockText(of: instant))"
    }
}
