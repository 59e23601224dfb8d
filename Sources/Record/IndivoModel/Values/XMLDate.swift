import Foundation
import IndivoBase
import IndivoXML

/// A calendar day (xs:date), such as a birthday: no time of day, and a zone only where one was given.
///
/// ```swift
/// let start: XMLDate = "2026-11-21"
/// start.year                          // 2026
/// ```
/// Two days are equal when they name the same day in the same zone, however they were spelled.
public struct XMLDate: Sendable, Hashable {
    let civil: CivilDateTime
    private let spelling: WrittenForm

    init(_ civil: CivilDateTime, spelling: WrittenForm = WrittenForm()) {
        self.civil = civil
        self.spelling = spelling
    }

    /// Never 0; the year before 1 is -1.
    public var year: Int { XMLYear.xml(civil.year) }
    /// 1 to 12.
    public var month: Int { civil.month }
    /// 1 to 31.
    public var day: Int { civil.day }
    /// Minutes east of UTC; `nil` when the text named no zone.
    public var offset: Int? { civil.offset }
}

extension XMLDate: LexicalValue, Comparable, CustomStringConvertible, ExpressibleByStringLiteral,
    XMLTextReadable
{
    /// A day of the proleptic Gregorian calendar, or `nil` when there is no such day. There is no year 0; the
    /// one before 1 is -1. A year has at most nine digits.
    public init?(year: Int, month: Int, day: Int, offset: Int? = nil) {
        guard XMLYear.isValid(year), (1...12).contains(month),
            (1...CivilCalendar.days(in: month, of: XMLYear.civil(year))).contains(day),
            CivilTimeScanner.offsets.contains(offset ?? 0)
        else { return nil }
        self.init(CivilDateTime(year: XMLYear.civil(year), month: month, day: day, offset: offset))
    }

    /// The day on which an instant falls in a time zone. Instants hundreds of thousands of years away are
    /// cut.
    public init(_ date: Date, in timeZone: TimeZone = .current) {
        let instant = date.wholeSeconds
        let seconds = instant + timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
        self.init(CivilDateTime(days: seconds.flooredQuotient(by: 86_400)))
    }

    /// The day that components name; `nil` when year, month or day is missing or there is no such day.
    /// - Parameter components: Of the Gregorian calendar. A time zone becomes the offset.
    public init?(_ components: DateComponents) {
        guard let year = components.xmlYear, let month = components.month, let day = components.day else {
            return nil
        }
        self.init(year: year, month: month, day: day, offset: components.offset)
    }

    /// The instant at which the day begins.
    /// - Parameter timeZone: Where, for a day that names no zone of its own.
    public func date(in timeZone: TimeZone = .current) -> Date {
        let midnight = XMLDateTime(midnightOf: self).date
        if offset != nil { return midnight }
        // The zone's offset at that midnight; asked twice, because the first answer is for UTC's midnight.
        let guess = midnight.addingTimeInterval(-TimeInterval(timeZone.secondsFromGMT(for: midnight)))
        return midnight.addingTimeInterval(-TimeInterval(timeZone.secondsFromGMT(for: guess)))
    }

    /// The day's parts, for `Calendar`.
    public var dateComponents: DateComponents {
        DateComponents(xmlYear: year, month: month, day: day, offset: offset)
    }

    /// Reads xs:date: `2026-11-21`, with `Z` or `±hh:mm` after it where a zone is meant.
    public init(lexical text: String) throws(LexicalError) {
        var text = text
        // The common case by itself, since it is so short that counting references would show.
        if let plain = text.withUTF8(Self.plain) {
            self = plain
        } else {
            self = try text.withBytes { (bytes) throws(LexicalError) in
                try Self._read(utf8: bytes, isField: false)
            }
        }
    }

    /// Ten bytes: a day without a zone, canonical as it is.
    private static func plain(_ bytes: UnsafeBufferPointer<UInt8>) -> XMLDate? {
        bytes.count == 10 ? CivilDateTime(plain: bytes).map { XMLDate($0) } : nil
    }

    public var lexical: String { spelling.text ?? civil.description }

    public static var dataType: DataModel.FieldType { .date }

    /// A data model's day field takes a date-time too, and keeps its day.
    public static func fromField(_ text: String) throws(LexicalError) -> XMLDate {
        try text.withBytes { (bytes) throws(LexicalError) in try _read(utf8: bytes, isField: true) }
    }

    public static func _read(utf8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) throws(LexicalError)
        -> XMLDate
    {
        if let plain = plain(bytes) { return plain }
        if isField, bytes.contains(UInt8(ascii: "T")) {
            return XMLDate(try XMLDateTime._read(utf8: bytes, isField: false).civil.date)
        }
        let (civil, spelling) = try CivilTimeScanner.scan(bytes, expecting: "a date (YYYY-MM-DD)") {
            (scanner) throws(CivilTimeError) in
            var date = try scanner.date()
            date.offset = try scanner.offset()
            return date
        }
        return XMLDate(civil, spelling: spelling)
    }

    /// Earlier by the calendar; the zone decides only between equal days (further east begins earlier).
    public static func < (a: XMLDate, b: XMLDate) -> Bool {
        (a.year, a.month, a.day, -(a.offset ?? 0)) < (b.year, b.month, b.day, -(b.offset ?? 0))
    }
}
