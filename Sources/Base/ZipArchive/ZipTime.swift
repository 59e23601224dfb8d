import Foundation
import IndivoBase

/// A time as archives have it: of no zone, in steps of two seconds, from 1980 to 2107.
public struct ZipTime: Sendable, Hashable {
    /// The date in the upper 16 bits and the time in the lower, as MS-DOS packed them.
    let bits: UInt32

    init(bits: UInt32) { self.bits = bits }

    /// A civil time, moved into 1980…2107 when it is outside. Fields out of range take the nearest valid
    /// value.
    public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        guard year >= 1980 else {
            bits = 1 << 21 | 1 << 16
            return
        }
        guard year <= 2107 else {
            bits = 127 << 25 | 12 << 21 | 31 << 16 | 23 << 11 | 59 << 5 | 29
            return
        }
        func field(_ value: Int, _ range: ClosedRange<Int>) -> UInt32 {
            UInt32(min(max(value, range.lowerBound), range.upperBound))
        }
        let month = field(month, 1...12)
        let days = CivilCalendar.days(in: Int(month), of: year)
        let date = UInt32(year - 1980) << 25 | month << 21 | field(day, 1...days) << 16
        bits = date | field(hour, 0...23) << 11 | field(minute, 0...59) << 5 | field(second, 0...59) / 2
    }

    /// A moment in UTC.
    public init(_ date: Date) {
        // Beyond these bounds the time is clamped anyway, and the conversion to Int cannot trap.
        let seconds = Int(min(max(date.timeIntervalSince1970.rounded(.down), -1e11), 1e11))
        let time = CivilDateTime(seconds: seconds)
        self.init(
            year: time.year,
            month: time.month,
            day: time.day,
            hour: time.hour,
            minute: time.minute,
            second: time.second
        )
    }

    /// The year, 1980 to 2107.
    public var year: Int { Int(bits >> 25) + 1980 }
    /// The month; 0 or above 12 when the archive has it so.
    public var month: Int { Int(bits >> 21 & 15) }
    /// The day of the month; 0 when the archive has it so.
    public var day: Int { Int(bits >> 16 & 31) }
    public var hour: Int { Int(bits >> 11 & 31) }
    public var minute: Int { Int(bits >> 5 & 63) }
    /// The second, even.
    public var second: Int { Int(bits & 31) * 2 }
}
