import FHIR
import IndivoBase

/// A moment in UTC without its zone, as i2b2's columns have it: `2026-03-01 09:00:00`.
public struct WarehouseTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The text; it sorts as the times do.
    public let description: String

    /// The moment of a date and time. Of a date without a time, or a part of a date, it is its first moment
    /// in UTC.
    public init(_ time: FHIRDateTime) {
        let day = CivilCalendar.days(fromCivil: time.date.year, time.date.month ?? 1, time.date.day ?? 1)
        var minutes = day * 1440
        var rest = ":00"
        if let clock = time.time {
            minutes += clock.hour * 60 + clock.minute - (time.offset ?? 0)
            // Databases keep microseconds. A leap second is the second before it: many refuse it.
            var fraction = clock.fraction.prefix(6)
            while fraction.last == "0" { fraction.removeLast() }
            rest = ":" + CivilTime.padded(min(clock.second, 59), 2) + (fraction.isEmpty ? "" : ".\(fraction)")
        }
        let date = minutes.flooredQuotient(by: 1440)
        let clock = minutes - minutes.flooredQuotient(by: 1440) * 1440
        let (year, month, dayOfMonth) = CivilCalendar.civil(fromDays: date)
        description =
            "\(CivilTime.padded(min(max(year, 1), 9999), 4))-\(CivilTime.padded(month, 2))-"
            + "\(CivilTime.padded(dayOfMonth, 2)) "
            + "\(CivilTime.padded(clock / 60, 2)):\(CivilTime.padded(clock % 60, 2))\(rest)"
    }

    /// The first moment of a day, month or year, in UTC.
    public init(_ date: FHIRDate) { self.init(FHIRDateTime(stringLiteral: date.description)) }

    /// As XML Schema writes it: `2026-03-01T09:00:00Z`.
    public var xml: String { description.replacing(" ", with: "T") + "Z" }

    public static func < (a: WarehouseTime, b: WarehouseTime) -> Bool { a.description < b.description }
}
