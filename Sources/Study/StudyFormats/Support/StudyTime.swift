import FHIR
import Foundation
import IndivoBase

/// A moment in whole seconds, in the years 1 to 9999, which is what timestamps of packages can say.
public struct StudyTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Seconds since 1970-01-01T00:00:00Z, within ``range``.
    public let seconds: Int

    /// From 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    public static let range = -62_135_596_800...253_402_300_799

    /// The nearest moment within ``range``.
    public init(seconds: Int) {
        self.seconds = min(max(seconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// The nearest moment within ``range``; fractions are cut off.
    public init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        self.init(seconds: seconds.isNaN ? 0 : Int(min(max(seconds, -1e12), 1e12)))
    }

    /// Now, by the system's clock.
    public static var now: StudyTime { StudyTime(Date()) }

    /// ISO 8601 with a zone, as in `2015-03-09T14:07:55-08:00`; the zone without colon too, as ResearchKit's
    /// early apps wrote it. `nil` for anything else.
    public init?(text: String) {
        guard text.utf8.count <= 64,
            let instant = FHIRDateTime(textOfAnyZone: text)?.instant
        else { return nil }
        self.init(instant)
    }

    /// In UTC, as in `2015-03-09T22:07:55Z`.
    public var description: String { CivilDateTime(seconds: seconds).description }

    public var date: Date { Date(timeIntervalSince1970: Double(seconds)) }

    public static func < (a: StudyTime, b: StudyTime) -> Bool { a.seconds < b.seconds }
}
