/// A date, a date with a time, or a time of day of the proleptic Gregorian calendar, as precise as it was
/// written.
///
/// The dates and times of XML Schema, FHIR, FHIRPath, archives and warehouses wrap it or are read by it.
package struct CivilDateTime: Sendable, Hashable {
    package enum Kind: Sendable { case date, dateTime, time }

    /// The last part that is known. Seconds and their fractions are one precision.
    package enum Precision: Int, Sendable, Comparable, CaseIterable {
        case year, month, day, hour, minute, second
        package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    package var kind: Kind
    package var precision: Precision
    /// There is a year 0 before year 1, as ISO 8601 counts.
    package var year = 1
    /// 1 to 12; 1 where the precision ends before.
    package var month = 1
    /// 1 to 31; 1 where the precision ends before.
    package var day = 1
    /// 0 to 23, as are 0 all that follow where the precision ends before.
    package var hour = 0
    package var minute = 0
    /// 60 in a leap second.
    package var second = 0
    package var nanosecond = 0
    /// How many digits of the fraction were written, up to nine; more are not kept.
    package var fractionDigits = 0
    /// Minutes east of Greenwich; nil without a zone.
    package var offset: Int?

    package init(kind: Kind, precision: Precision) {
        self.kind = kind
        self.precision = precision
    }

    /// A day.
    package init(year: Int, month: Int, day: Int, offset: Int? = nil) {
        self.init(kind: .date, precision: .day)
        self.year = year
        self.month = month
        self.day = day
        self.offset = offset
    }

    /// The beginning of a day of so many days after 1970-01-01.
    package init(days: Int) {
        let (year, month, day) = CivilCalendar.civil(fromDays: days)
        self.init(year: year, month: month, day: day)
    }

    /// A point in time, in microseconds since 1970-01-01T00:00:00Z.
    ///
    /// - Parameter offset: Of the zone that it is written in, in minutes.
    package init(microseconds: Int, offset: Int = 0) {
        self.init(kind: .dateTime, precision: .second)
        // Two steps, since a sum of both could be too large.
        let seconds = microseconds.flooredQuotient(by: 1_000_000)
        nanosecond = (microseconds - seconds * 1_000_000) * 1000
        fractionDigits = nanosecond == 0 ? 0 : 6
        setClock(seconds: seconds + offset * 60)
        self.offset = offset
    }

    /// A point in time in UTC, in seconds since 1970-01-01T00:00:00Z.
    package init(seconds: Int) {
        self.init(kind: .dateTime, precision: .second)
        setClock(seconds: seconds)
        offset = 0
    }

    private mutating func setClock(seconds: Int) {
        days = seconds.flooredQuotient(by: 86_400)
        let rest = seconds - seconds.flooredQuotient(by: 86_400) * 86_400
        hour = rest / 3600
        minute = rest / 60 % 60
        second = rest % 60
    }

    /// Days since 1970-01-01.
    package var days: Int {
        get { CivilCalendar.days(fromCivil: year, month, day) }
        set { (year, month, day) = CivilCalendar.civil(fromDays: newValue) }
    }

    /// Whole seconds since 1970-01-01T00:00:00Z. Without a zone it is in UTC.
    package var seconds: Int {
        days * 86_400 + hour * 3600 + (minute - (offset ?? 0)) * 60 + second
    }

    /// Microseconds since 1970-01-01T00:00:00Z, finer digits cut, for years of at most five digits. Without a
    /// zone it is in UTC.
    package var microseconds: Int { seconds * 1_000_000 + nanosecond / 1000 }

    /// The same point in time with the offset of Greenwich.
    ///
    /// - Parameter zone: The offset where none is known, in minutes.
    package func inUTC(from zone: Int = 0) -> CivilDateTime {
        var result = self
        result.offset = 0
        let minutes = hour * 60 + minute - (offset ?? zone)
        let days = minutes.flooredQuotient(by: 1440)
        result.hour = (minutes - days * 1440) / 60
        result.minute = (minutes - days * 1440) % 60
        if kind != .time, days != 0 { result.days += days }
        return result
    }

    /// So many months later, on the same day of the month or its last.
    package func adding(months: Int) -> CivilDateTime {
        var result = self
        let total = year * 12 + month - 1 + months
        result.year = total.flooredQuotient(by: 12)
        result.month = total - result.year * 12 + 1
        result.day = min(day, CivilCalendar.days(in: result.month, of: result.year))
        return result
    }

    /// The date of a date with a time.
    package var date: CivilDateTime {
        var date = CivilDateTime(year: year, month: month, day: day)
        date.precision = min(precision, .day)
        return date
    }

    /// The time of a date with a time, without its zone.
    package var timeOfDay: CivilDateTime {
        var time = self
        time.kind = .time
        time.year = 1
        time.month = 1
        time.day = 1
        time.offset = nil
        return time
    }

    /// Takes zeros from the end of the fraction.
    package mutating func trimFraction() {
        fractionDigits = nanosecond == 0 ? 0 : 9
        guard nanosecond != 0 else { return }
        var rest = nanosecond
        while rest % 10 == 0 {
            rest /= 10
            fractionDigits -= 1
        }
    }
}
