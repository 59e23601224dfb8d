import Foundation
import IndivoBase

extension PartialDateTime {
    /// The time of the machine's clock, in UTC, to milliseconds.
    static var currentInUTC: PartialDateTime {
        let milliseconds = Int((Date().timeIntervalSince1970 * 1000).rounded(.down))
        let days = milliseconds.flooredQuotient(by: 86_400_000)
        let rest = milliseconds - days * 86_400_000
        var result = PartialDateTime(kind: .dateTime, precision: .second)
        (result.year, result.month, result.day) = CivilCalendar.civil(fromDays: days)
        result.hour = rest / 3_600_000
        result.minute = rest / 60_000 % 60
        result.second = rest / 1000 % 60
        result.nanosecond = rest % 1000 * 1_000_000
        result.fractionDigits = 3
        result.offset = 0
        return result
    }
}
