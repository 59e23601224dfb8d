import IndivoBase
import OrderedJSON

/// A date with the precision that it was written with: a year, a month or a day. (FHIR `date`.)
public struct FHIRDate: FHIRValue, ExpressibleByStringLiteral, CustomStringConvertible {
    /// 1 to 9999.
    public let year: Int
    /// 1 to 12; `nil` when only the year is known.
    public let month: Int?
    /// 1 to 31; `nil` when only the month is known.
    public let day: Int?

    /// A date as FHIR writes it: `2026`, `2026-11` or `2026-11-21`; `nil` for other texts and days that do
    /// not exist.
    public init?(text: String) {
        guard let date = TimeScanner.scan(text, { FHIRDate(&$0) }) else { return nil }
        self = date
    }

    init?(_ scanner: inout TimeScanner) {
        guard let year = scanner.number(4, 1...9999) else { return nil }
        guard scanner.take("-") else {
            self.year = year
            month = nil
            day = nil
            return
        }
        guard let month = scanner.number(2, 1...12) else { return nil }
        guard scanner.take("-") else {
            self.year = year
            self.month = month
            day = nil
            return
        }
        guard let day = scanner.number(2, 1...CivilCalendar.days(in: month, of: year)) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// A date; `nil` for one that does not exist.
    public init?(year: Int, month: Int? = nil, day: Int? = nil) {
        guard (1...9999).contains(year), month != nil || day == nil,
            month.map({ (1...12).contains($0) }) ?? true,
            day.map({ (1...CivilCalendar.days(in: month ?? 1, of: year)).contains($0) }) ?? true
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
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
    public var description: String {
        [
            CivilTime.padded(year, 4), month.map { CivilTime.padded($0, 2) },
            day.map { CivilTime.padded($0, 2) },
        ]
        .compactMap { $0 }.joined(separator: "-")
    }
}
