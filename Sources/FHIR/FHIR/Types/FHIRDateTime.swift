import IndivoBase
import OrderedJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A date with or without a time, with the precision and the zone that it was written with. (FHIR
/// `dateTime`.)
public struct FHIRDateTime: FHIRValue, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The date, which has a day when there is a time.
    public let date: FHIRDate
    /// The time of day; `nil` when it is not known.
    public let time: FHIRTime?
    /// The zone's offset from UTC in minutes; `nil` without a time.
    public let offset: Int?
    /// The text, as it was written.
    public let description: String

    /// A text as FHIR writes it: `2026`, `2026-11`, `2026-11-21`, `2026-11-21T08:30:00+01:00`; `nil` for
    /// other texts.
    public init?(text: String) {
        let parts = TimeScanner.scan(text) { scanner -> (date: FHIRDate, time: FHIRTime?, offset: Int?)? in
            guard let date = FHIRDate(&scanner) else { return nil }
            if scanner.isAtEnd { return (date, nil, nil) }
            guard date.day != nil, scanner.take("T"), let time = FHIRTime(&scanner),
                let offset = scanner.offset()
            else { return nil }
            return (date, time, offset)
        }
        guard let parts else { return nil }
        date = parts.date
        time = parts.time
        offset = parts.offset
        description = text
    }

    /// What follows a time: `Z`, `+00:00`, `-05:00`; empty without a time.
    public var zone: String {
        time == nil ? "" : description.hasSuffix("Z") ? "Z" : String(description.suffix(6))
    }

    /// A point in time, in milliseconds and in a zone.
    ///
    /// - Parameter offset: The zone's offset from UTC in minutes, at most 14 hours.
    public init(_ date: Date, offset: Int = 0) {
        let offset = min(max(offset, -840), 840)
        // The years 1 to 9999 are those that FHIR can write.
        let limit = 253_402_300_799.999
        let seconds = min(max(date.timeIntervalSince1970 + Double(offset * 60), -62_135_596_800), limit)
        let milliseconds = Int((seconds * 1000).rounded())
        let rest = (milliseconds % 86_400_000 + 86_400_000) % 86_400_000
        let day = CivilCalendar.civil(fromDays: (milliseconds - rest) / 86_400_000)
        let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { CivilTime.padded($0, 2) }
        let fraction = rest % 1000 == 0 ? "" : "." + CivilTime.padded(rest % 1000, 3)
        let hours = CivilTime.padded(abs(offset) / 60, 2)
        let minutes = CivilTime.padded(abs(offset) % 60, 2)
        let zone = offset == 0 ? "Z" : "\(offset < 0 ? "-" : "+")\(hours):\(minutes)"
        let calendar = [
            CivilTime.padded(day.year, 4), CivilTime.padded(day.month, 2), CivilTime.padded(day.day, 2),
        ]
        self.init(
            stringLiteral:
                "\(calendar.joined(separator: "-"))T\(clock.joined(separator: ":"))\(fraction)\(zone)"
        )
    }

    /// A literal that is not a dateTime stops the program.
    public init(stringLiteral text: String) {
        guard let value = FHIRDateTime(text: text) else {
            preconditionFailure("not a dateTime of FHIR: \(text)")
        }
        self = value
    }

    public init?(tree: JSONValue) {
        guard let text = tree.string else { return nil }
        self.init(text: text)
    }

    public var tree: JSONValue { JSONValue(description) }

    /// The point in time; `nil` without a time of day.
    public var instant: Date? {
        guard let time, let offset, let month = date.month, let day = date.day else { return nil }
        let days = CivilCalendar.days(fromCivil: date.year, month, day)
        let seconds = days * 86_400 + time.hour * 3_600 + (time.minute - offset) * 60 + time.second
        return Date(timeIntervalSince1970: Double(seconds) + (Double("0." + time.fraction) ?? 0))
    }
}

/// A point in time, to the second or finer. (FHIR `instant`.)
public struct FHIRInstant: FHIRValue, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The same as a dateTime; it has a time.
    public let dateTime: FHIRDateTime

    /// A text as FHIR writes it: `2026-11-21T08:30:00.5+01:00`; `nil` for other texts.
    public init?(text: String) {
        guard let dateTime = FHIRDateTime(text: text), dateTime.time != nil else { return nil }
        self.dateTime = dateTime
    }

    /// A point in time, in milliseconds and in a zone.
    public init(_ date: Date, offset: Int = 0) { dateTime = FHIRDateTime(date, offset: offset) }

    /// A literal that is not an instant stops the program.
    public init(stringLiteral text: String) {
        guard let value = FHIRInstant(text: text) else {
            preconditionFailure("not an instant of FHIR: \(text)")
        }
        self = value
    }

    public init?(tree: JSONValue) {
        guard let text = tree.string else { return nil }
        self.init(text: text)
    }

    public var tree: JSONValue { JSONValue(description) }

    /// The text, as it was written.
    public var description: String { dateTime.description }

    /// The point in time.
    public var date: Date {
        // An instant has a time, so its dateTime is a point in time.
        dateTime.instant ?? .distantPast
    }
}
