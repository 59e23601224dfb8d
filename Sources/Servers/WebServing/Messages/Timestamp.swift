import Foundation
import IndivoBase

/// An instant in whole microseconds.
package struct Timestamp: Sendable, Hashable, Comparable, Codable, RawRepresentable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    package var rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package init(_ date: Date) { rawValue = Int64((date.timeIntervalSince1970 * 1_000_000).rounded()) }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.rawValue < right.rawValue }

    package func advanced(bySeconds seconds: Int64) -> Timestamp {
        Timestamp(rawValue: rawValue + seconds * 1_000_000)
    }

    package var seconds: Int64 { Int64(Int(rawValue).flooredQuotient(by: 1_000_000)) }

    /// The form of XML and JSON: `2026-11-21T03:53:12.893108Z`, without the fraction when it is zero.
    package var text: String { CivilDateTime(microseconds: Int(rawValue)).description }

    /// The form audit entries have: the fraction cut off.
    package var secondsText: String { CivilDateTime(seconds: Int(seconds)).description }

    /// The calendar day in UTC, `2009-05-16`.
    package var day: String { String(text.prefix(10)) }

    /// The `Date` header of HTTP (RFC 9110 section 5.6.7).
    package var httpDate: String { CivilDateTime(seconds: Int(seconds)).httpDate }
}
