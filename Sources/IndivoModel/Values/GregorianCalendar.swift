import Foundation

/// Days and dates of the proleptic Gregorian calendar, which XML Schema uses for all of time.
///
/// `Calendar` would do, at a hundred times the cost, and with the Julian calendar before 1582.
///
/// Years are XML Schema's (part 2, section 3.2.7): there is no year 0, and the one before 1 is -1.
enum GregorianCalendar {
    /// Years that can be written and read back.
    static func hasYear(_ year: Int) -> Bool { year != 0 && (-999_999_999...999_999_999).contains(year) }

    /// The year as astronomers count it, with a year 0.
    private static func astronomical(_ year: Int) -> Int { year < 0 ? year + 1 : year }

    static func isLeap(_ year: Int) -> Bool {
        let year = astronomical(year)
        return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
    }

    /// Whole seconds from 1970 to an instant, cut where the years get too long. What is no number is 1970.
    static func seconds(to date: Date) -> Int {
        let interval = date.timeIntervalSince1970
        return interval.isNaN ? 0 : Int(min(max(interval, -9e12), 9e12).rounded(.down))
    }

    static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: isLeap(year) ? 29 : 28
        default: 31
        }
    }

    /// Days since 1970-01-01. The year is counted from March, so that the leap day comes last.
    static func days(fromCivil year: Int, _ month: Int, _ day: Int) -> Int {
        let y = astronomical(year) - (month <= 2 ? 1 : 0)
        let era = y.flooredQuotient(by: 400)
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The inverse of ``days(fromCivil:_:_:)``.
    static func civil(fromDays days: Int) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year > 0 ? year : year - 1, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}

extension Int {
    func flooredQuotient(by divisor: Int) -> Int {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
