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
    package let civil: CivilDateTime
    /// The text, as it was written.
    public let description: String

    /// The date, which has a day when there is a time.
    public var date: FHIRDate { FHIRDate(civil: civil.date) }
    /// The time of day; `nil` when it is not known.
    public var time: FHIRTime? { hasTime ? FHIRTime(of: self) : nil }
    /// The zone's offset from UTC in minutes; `nil` without a time.
    public var offset: Int? { civil.offset }

    private var hasTime: Bool { civil.kind == .dateTime }

    /// A text as FHIR writes it: `2026`, `2026-11`, `2026-11-21`, `2026-11-21T08:30:00+01:00`; `nil` for
    /// other texts.
    public init?(text: String) {
        guard let civil = CivilDateTime(text: text), civil.isFHIRDateTime else { return nil }
        self.civil = civil
        description = text
    }

    /// The same; the zone may have no colon, as in `2026-11-21T08:30:00-0700`.
    package init?(textOfAnyZone text: String) {
        let zone = text.utf8.suffix(5)
        let hasNoColon =
            zone.first.map { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") } == true
            && zone.dropFirst().allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
        self.init(text: hasNoColon ? "\(text.dropLast(2)):\(text.suffix(2))" : text)
    }

    package init(_ civil: CivilDateTime) {
        self.civil = civil
        description = civil.description
    }

    /// What follows a time: `Z`, `+00:00`, `-05:00`; empty without a time.
    public var zone: String {
        !hasTime ? "" : description.hasSuffix("Z") ? "Z" : String(description.suffix(6))
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
        var civil = CivilDateTime(microseconds: milliseconds * 1000)
        civil.offset = offset
        civil.fractionDigits = min(civil.fractionDigits, 3)
        self.init(civil)
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
        guard hasTime else { return nil }
        return Date(timeIntervalSince1970: Double(civil.seconds) + Double(civil.nanosecond) / 1e9)
    }

    /// Microseconds since 1970 in UTC, without going through a `Double`; finer digits are cut. Nil without a
    /// time.
    package var microseconds: Int? { hasTime ? civil.microseconds : nil }
}

extension CivilDateTime {
    /// Whether FHIR writes it as a dateTime: with a time only to the second and with a zone.
    var isFHIRDateTime: Bool { kind == .date || isInstant }

    var isInstant: Bool { kind == .dateTime && precision == .second && offset != nil }
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
