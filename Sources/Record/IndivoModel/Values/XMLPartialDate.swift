import Foundation
import IndivoBase
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
        guard XMLYear.isValid(year ?? 1), (1...12).contains(month ?? 1),
            CivilTimeScanner.offsets.contains(offset ?? 0),
            (1...(month.map { CivilCalendar.days(in: $0, of: 2000) } ?? 31)).contains(day ?? 1)
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
        self = try text.withBytes { (bytes) throws(LexicalError) in
            try CivilTimeScanner.parse(
                bytes,
                expecting: "part of a date (YYYY, YYYY-MM, --MM, --MM-DD or ---DD)"
            ) { (scanner) throws(CivilTimeError) in try XMLPartialDate(&scanner, dashes: dashes) }
        }
        if lexical != text {
            self.init(year: year, month: month, day: day, offset: offset, spelling: WrittenForm(text: text))
        }
    }

    /// - Parameter dashes: How many dashes the text begins with; one is the sign of a year.
    private init(_ scanner: inout CivilTimeScanner, dashes: Int) throws(CivilTimeError) {
        var year: Int?
        var month: Int?
        var day: Int?
        if dashes == 2 || dashes == 3 {
            for _ in 0..<dashes { _ = scanner.take("-") }
            if dashes == 2 { month = try scanner.month() }
            if dashes == 3 || scanner.take("-") { day = try scanner.day(of: month) }
        } else {
            let date = try scanner.date(isPartial: true)
            year = XMLYear.xml(date.year)
            if date.precision >= .month { month = date.month }
            // XML Schema has a type of its own for a whole day.
            guard date.precision < .day else { throw .refused("there is a day after the month") }
        }
        self.init(
            year: year,
            month: month,
            day: day,
            offset: try scanner.offset(),
            spelling: WrittenForm()
        )
    }

    /// A dash stands for each part that is left out in front: `2012-05`, `--05-04`, `---04`.
    public var lexical: String {
        if let text = spelling.text { return text }
        // As the parts of a whole date: the year's four digits and each part behind a dash.
        var date = CivilDateTime(kind: .date, precision: day != nil ? .day : month != nil ? .month : .year)
        date.year = XMLYear.civil(year ?? 2000)
        date.month = month ?? 1
        date.day = day ?? 1
        date.offset = offset
        let text = date.description
        guard year == nil else { return text }
        return month == nil ? "---" + text.dropFirst(8) : "--" + text.dropFirst(5)
    }
}
