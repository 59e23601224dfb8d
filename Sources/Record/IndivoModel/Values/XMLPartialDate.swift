import Foundation
import IndivoXML

/// Part of a date: a year, a month of a year, a month, a day of any year, a day of any month
/// (xs:gYear, gYearMonth, gMonth, gMonthDay, gDay).
///
/// ```swift
/// let onset: XMLPartialDate = "2009-07"
/// onset.year      // 2009
/// onset.day       // nil
/// ```
public struct XMLPartialDate: Sendable, Hashable {
    /// Never 0; the year before 1 is -1.
    public let year: Int?
    /// 1 to 12.
    public let month: Int?
    /// 1 to 31.
    public let day: Int?
    /// Minutes east of UTC; `nil` when the text named no zone.
    public let offset: Int?
    private let spelling: WrittenForm
}

extension XMLPartialDate: LexicalValue, CustomStringConvertible, ExpressibleByStringLiteral, XMLTextReadable {
    /// `nil` when there is no such date, or the parts are none of the five that XML Schema has.
    public init?(year: Int? = nil, month: Int? = nil, day: Int? = nil, offset: Int? = nil) {
        switch (year, month, day) {
        case (.some, _, nil), (nil, .some, _), (nil, nil, .some): break
        default: return nil
        }
        guard GregorianCalendar.hasYear(year ?? 1), (1...12).contains(month ?? 1),
            DateScanner.offsets.contains(offset ?? 0),
            (1...(month.map { GregorianCalendar.days(in: $0, of: year ?? 2000) } ?? 31)).contains(day ?? 1)
        else { return nil }
        self.init(year: year, month: month, day: day, offset: offset, spelling: WrittenForm())
    }

    /// The parts of a date that components have; `nil` when XML Schema has no such part of a date.
    public init?(_ components: DateComponents) {
        self.init(
            year: components.xmlYear,
            month: components.month,
            day: components.day,
            offset: components.offset
        )
    }

    /// The parts, for `Calendar`.
    public var dateComponents: DateComponents {
        DateComponents(xmlYear: year, month: month, day: day, offset: offset)
    }

    /// Reads `2009`, `2009-07`, `--07`, `--07-14` or `---14`, with `Z` or `±hh:mm` where given.
    public init(lexical text: String) throws(LexicalError) {
        let dashes = text.trimmingXMLSpace.prefix { $0 == "-" }.count
        let dash = UInt8(ascii: "-")
        let (parts, spelling) = try text.withBytes { (bytes) throws(LexicalError) in
            try DateScanner.scan(bytes, expecting: "part of a date (YYYY, YYYY-MM, --MM, --MM-DD or ---DD)") {
                (scanner) throws(LexicalError) -> (year: Int?, month: Int?, day: Int?, offset: Int?) in
                guard dashes == 2 || dashes == 3 else {
                    return (try scanner.year(), try scanner.monthBehindYear(), nil, try scanner.offset())
                }
                for _ in 0..<dashes { _ = scanner.next(is: dash) }
                if dashes == 3 { return (nil, nil, try scanner.day(), try scanner.offset()) }
                let month = try scanner.month()
                return (
                    nil, month, try scanner.next(is: dash) ? scanner.day(of: month) : nil,
                    try scanner.offset()
                )
            }
        }
        self.init(
            year: parts.year,
            month: parts.month,
            day: parts.day,
            offset: parts.offset,
            spelling: spelling
        )
    }

    /// A dash stands for each part that is left out in front: `2012-05`, `--05-04`, `---04`.
    public var lexical: String {
        DateWriter.text(spelling) { text in
            if let year { text.year(year) } else { text.sign("-") }
            if let month { text.twoDigits(month, behind: "-") } else if year == nil { text.sign("-") }
            if let day { text.twoDigits(day, behind: "-") }
            text.offset(offset)
        }
    }
}
