import FHIR
import IndivoBase

/// A moment in UTC without its zone, as i2b2's columns have it: `2026-03-01 09:00:00`.
public struct WarehouseTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Sorts chronologically as text.
    public let description: String

    /// The moment of a date and time. Of a date without a time, or a part of a date, it is its first moment
    /// in UTC.
    public init(_ time: FHIRDateTime) { self.init(time.civil) }

    private init(_ civil: CivilDateTime) {
        var time = civil.inUTC()
        time.kind = .dateTime
        time.precision = .second
        time.year = min(max(time.year, 1), 9999)
        // Databases keep microseconds. A leap second is the second before it: many refuse it.
        time.second = min(time.second, 59)
        time.nanosecond -= time.nanosecond % 1000
        time.trimFraction()
        time.offset = nil
        description = Self.exchanging(time.description, UInt8(ascii: " "))
    }

    /// A date and time of a year of four digits with another character between the two.
    private static func exchanging(_ text: String, _ separator: UInt8) -> String {
        var bytes = ContiguousArray(text.utf8)
        if bytes.count > 10 { bytes[10] = separator }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first moment of a day, month or year, in UTC.
    public init(_ date: FHIRDate) { self.init(date.civil) }

    /// A moment as a database gives it.
    init?(stored text: String) {
        guard let time = FHIRDateTime(text: text.replacing(" ", with: "T") + "Z") else { return nil }
        self.init(time)
    }

    /// As XML Schema writes it: `2026-03-01T09:00:00Z`.
    public var xml: String { Self.exchanging(description, UInt8(ascii: "T")) + "Z" }

    public static func < (a: WarehouseTime, b: WarehouseTime) -> Bool { a.description < b.description }
}
