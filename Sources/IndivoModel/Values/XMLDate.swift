import CivilCalendar
import Foundation

/// A calendar day (xs:date), such as a birthday: no time of day, and a zone only where one was given.
///
/// ```swift
/// let start: XMLDate = "2026-11-21"
/// start.year                          // 2026
/// ```
/// Two days are equal when they name the same day in the same zone, however they were spelled.
public struct XMLDate: Sendable {
    /// Never 0; the year before 1 is -1.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int
    /// Minutes east of UTC; `nil` when the text named no zone.
    public let offset: Int?
    private let spelling: String?

    /// A day of the proleptic Gregorian calendar, or `nil` when there is no such day. There is no year 0; the one
    /// before 1 is -1. A year has at most nine digits.
    public init?(year: Int, month: Int, day: Int, offset: Int? = nil) {
        guard GregorianCalendar.hasYear(year), (1...12).contains(month),
            (1...GregorianCalendar.days(in: month, of: year)).contains(day), offset.map({ abs($0) <= 14 * 60 }) ?? true
        else { return nil }
        self.init(validated: year, month, day, offset: offset, spelling: nil)
    }

    private init(validated year: Int, _ month: Int, _ day: Int, offset: Int?, spelling: String?) {
        self.year = year
        self.month = month
        self.day = day
        self.offset = offset
        self.spelling = spelling
    }

    /// The day on which an instant falls in a time zone. Instants hundreds of thousands of years away are cut.
    public init(_ date: Date, in timeZone: TimeZone = .current) {
        let instant = GregorianCalendar.seconds(to: date)
        let seconds = instant + timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
        let (year, month, day) = GregorianCalendar.civil(fromDays: seconds.flooredQuotient(by: 86_400))
        self.init(validated: year, month, day, offset: nil, spelling: nil)
    }

    /// The day's parts, for `Calendar`.
    public var dateComponents: DateComponents {
        DateComponents(
            calendar: Calendar(identifier: .gregorian), timeZone: offset.flatMap { TimeZone(secondsFromGMT: $0 * 60) },
            era: year > 0 ? 1 : 0, year: abs(year), month: month, day: day)
    }
}

extension XMLDate: LexicalValue {
    /// Reads xs:date: `2026-11-21`, with `Z` or `±hh:mm` after it where a zone is meant.
    public init(lexical text: String) throws(LexicalError) {
        var text = text
        if let plain = text.withUTF8(Self.plain) {
            self = plain
            return
        }
        let (parts, spelling) = try DateScanner.scan(text, expecting: Self.expected, Self.parts)
        self.init(validated: parts.year, parts.month, parts.day, offset: parts.offset, spelling: spelling)
    }

    static let expected: StaticString = "a date (YYYY-MM-DD)"

    static func parts(
        _ scanner: inout DateScanner
    ) throws(LexicalError) -> (year: Int, month: Int, day: Int, offset: Int?) {
        let (year, month, day) = try scanner.date()
        return (year, month, day, try scanner.offset())
    }

    public var lexical: String {
        spelling
            ?? DateWriter.text {
                $0.date(year, month, day)
                $0.offset(offset)
            }
    }

    public static var dataType: DataFieldType { .date }

    /// A data model's day field takes a date-time too, and keeps its day.
    public static func fromField(_ text: String) throws(LexicalError) -> XMLDate {
        guard text.utf8.contains(UInt8(ascii: "T")) else { return try XMLDate(lexical: text) }
        let instant = try XMLDateTime(lexical: text)
        return XMLDate(validated: instant.year, instant.month, instant.day, offset: nil, spelling: nil)
    }

    public static func _fromField(utf8 bytes: UnsafeBufferPointer<UInt8>) throws(LexicalError) -> XMLDate {
        if let date = plain(bytes) { return date }
        return try fromField(String(decoding: bytes, as: UTF8.self))
    }

    public static func _fromLexical(utf8 bytes: UnsafeBufferPointer<UInt8>) throws(LexicalError) -> XMLDate {
        if let date = plain(bytes) { return date }
        return try XMLDate(lexical: String(decoding: bytes, as: UTF8.self))
    }

    /// Ten bytes are the common case: a day without a zone, canonical as it is.
    private static func plain(_ bytes: UnsafeBufferPointer<UInt8>) -> XMLDate? {
        guard bytes.count == 10, let day = PlainText.day(bytes) else { return nil }
        return XMLDate(validated: day.year, day.month, day.day, offset: nil, spelling: nil)
    }
}

extension XMLDate: Hashable {
    public static func == (a: XMLDate, b: XMLDate) -> Bool {
        a.year == b.year && a.month == b.month && a.day == b.day && a.offset == b.offset
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(year)
        hasher.combine(month)
        hasher.combine(day)
        hasher.combine(offset)
    }
}

extension XMLDate: Comparable {
    /// Earlier by the calendar; the zone decides only between equal days (further east begins earlier).
    public static func < (a: XMLDate, b: XMLDate) -> Bool {
        (a.year, a.month, a.day, -(a.offset ?? 0)) < (b.year, b.month, b.day, -(b.offset ?? 0))
    }
}

extension XMLDate: CustomStringConvertible, ExpressibleByStringLiteral {
    public var description: String { lexical }

    /// A day written in code. A literal that is no date is a mistake in the program and stops it.
    public init(stringLiteral text: String) {
        do { try self.init(lexical: text) } catch { preconditionFailure("“\(text)” is not an xs:date: \(error)") }
    }
}
