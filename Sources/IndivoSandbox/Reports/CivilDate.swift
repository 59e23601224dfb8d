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
