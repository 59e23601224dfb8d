import IndivoBase
import OrderedJSON

/// A date with the precision that it was written with: a year, a month or a day. (FHIR `date`.)
public struct FHIRDate: FHIRValue, ExpressibleByStringLiteral, CustomStringConvertible {
    package let civil: CivilDateTime

    /// 1 to 9999.
    public var year: Int { civil.year }
    /// 1 to 12; `nil` when only the year is known.
    public var month: Int? { civil.precision >= .month ? civil.month : nil }
    /// 1 to 31; `nil` when only the month is known.
    public var day: Int? { civil.precision >= .day ? civil.day : nil }

    /// A date as FHIR writes it: `2026`, `2026-11` or `2026-11-21`; `nil` for other texts and days that do
    /// not exist.
    public init?(text: String) {
        guard let civil = CivilDateTime(text: text), civil.kind == .date else { return nil }
        self.civil = civil
    }

    /// - Parameter civil: Of the kind ``CivilDateTime/Kind/date``, in the years 1 to 9999.
    package init(civil: CivilDateTime) { self.civil = civil }

    /// A date; `nil` for one that does not exist.
    public init?(year: Int, month: Int? = nil, day: Int? = nil) {
        guard (1...9999).contains(year), month != nil || day == nil,
            month.map({ (1...12).contains($0) }) ?? true,
            day.map({ (1...CivilCalendar.days(in: month ?? 1, of: year)).contains($0) }) ?? true
        else { return nil }
        var civil = CivilDateTime(year: year, month: month ?? 1, day: day ?? 1)
        civil.precision = day != nil ? .day : month != nil ? .month : .year
        self.civil = civil
    }

    /// A literal that is not a date stops the program.
    public init(stringLiteral text: String) {
        guard let date = FHIRDate(text: text) else { preconditionFailure("not a date of FHIR: \(text)") }
        self = date
    }

    public init?(tree: JSONValue) {
        guard let text = tree.string else { return nil }
        self.init(text: text)
    }

    public var tree: JSONValue { JSONValue(description) }

    /// The text, as it was written.
    public var description: String { civil.description }
}
