import CivilCalendar
import Foundation

/// The calendar with XML Schema's years (part 2, section 3.2.7): there is no year 0, and the one before 1 is -1.
enum GregorianCalendar {
    /// Years that can be written and read back.
    static func hasYear(_ year: Int) -> Bool { year != 0 && (-999_999_999...999_999_999).contains(year) }

    /// The year as astronomers count it, with a year 0.
    private static func astronomical(_ year: Int) -> Int { year < 0 ? year + 1 : year }

    /// Whole seconds from 1970 to an instant, cut where the years get too long. What is no number is 1970.
    static func seconds(to date: Date) -> Int {
        let interval = date.timeIntervalSince1970
        return interval.isNaN ? 0 : Int(min(max(interval, -9e12), 9e12).rounded(.down))
    }

    static func days(in month: Int, of year: Int) -> Int { CivilCalendar.days(in: month, of: astronomical(year)) }

    /// Days since 1970-01-01.
    static func days(fromCivil year: Int, _ month: Int, _ day: Int) -> Int {
        CivilCalendar.days(fromCivil: astronomical(year), month, day)
    }

    /// The inverse of ``days(fromCivil:_:_:)``.
    static func civil(fromDays days: Int) -> (Int, Int, Int) {
        let (year, month, day) = CivilCalendar.civil(fromDays: days)
        return (year > 0 ? year : year - 1, month, day)
    }
}
