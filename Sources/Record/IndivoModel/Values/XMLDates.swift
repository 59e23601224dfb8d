import Foundation
import IndivoBase
import IndivoXML

/// A date with a time of day (xs:dateTime). The offset and the fraction stay as they were read.
///
/// ```swift
/// let taken = XMLDateTime(Date.now)               // in UTC, as Indivo wants it
/// let read: XMLDateTime = "2012-05-04T15:34:23.502840Z"
/// read.date                                       // a Foundation Date
/// ```
/// Two are equal when they name the same instant in the same offset, however they were spelled.
public struct XMLDateTime: LexicalValue, CustomStringConvertible, ExpressibleByStringLiteral, XMLTextReadable
{
    let civil: CivilDateTime
    private let spelling: WrittenForm

    private init(_ civil: CivilDateTime, spelling: WrittenForm = WrittenForm()) {
        self.civil = civil
        self.spelling = spelling
    }

    /// Never 0; the year before 1 is -1.
    public var year: Int { XMLYear.xml(civil.year) }
    /// 1 to 12.
    public var month: Int { civil.month }
    /// 1 to 31.
    public var day: Int { civil.day }
    /// 0 to 23; the text `24:00:00` is midnight of the next day.
    public var hour: Int { civil.hour }
    /// 0 to 59.
    public var minute: Int { civil.minute }
    /// 0 to 59: XML Schema has no leap seconds.
    public var second: Int { civil.second }
    /// 0 to 999,999,999. Digits beyond the ninth are kept in the text, not here.
    public var nanosecond: Int { civil.nanosecond }
    /// Minutes east of UTC; `nil` when the text named no zone.
    public var offset: Int? { civil.offset }

    /// A date and time of the proleptic Gregorian calendar, or `nil` when there is no such time.
    public init?(
        year: Int,
        month: Int,
        day: Int,
        hour: Int = 0,
        minute: Int = 0,
        second: Int = 0,
        nanosecond: Int = 0,
        offset: Int? = 0
    ) {
        guard let date = XMLDate(year: year, month: month, day: day),
            let time = XMLTime(
                hour: hour,
                minute: minute,
                second: second,
                nanosecond: nanosecond,
                offset: offset
            )
        else { return nil }
        var civil = time.civil
        civil.kind = .dateTime
        civil.year = date.civil.year
        civil.month = month
        civil.day = day
        self.init(civil)
    }

    /// An instant, to the microsecond, in UTC (the only zone an Indivo server accepts). Instants hundreds of
    /// thousands of years away are clamped.
    public init(_ date: Date) {
        // A clamped date, or one that is not a number, has no fraction. A fraction that rounds up begins the
        // next second.
        let seconds = date.wholeSeconds
        let rest = date.timeIntervalSince1970 - Double(seconds)
        let fraction = rest >= 0 && rest < 1 ? Int((rest * 1_000_000).rounded()) : 0
        var civil = CivilDateTime(seconds: seconds + fraction / 1_000_000)
        civil.nanosecond = fraction % 1_000_000 * 1000
        civil.trimFraction()
        self.init(civil)
    }

    /// The beginning of a day, in UTC where the day names no zone.
    init(midnightOf day: XMLDate) {
        var civil = day.civil
        civil.kind = .dateTime
        civil.precision = .second
        civil.offset = day.offset ?? 0
        self.init(civil)
    }

    /// The instant that components name; `nil` when year, month or day is missing or there is no such time.
    /// - Parameter components: Of the Gregorian calendar; missing parts of the time are 0. A time zone
    ///   becomes the offset.
    public init?(_ components: DateComponents) {
        guard let year = components.xmlYear, let month = components.month, let day = components.day else {
            return nil
        }
        self.init(
            year: year,
            month: month,
            day: day,
            hour: components.hour ?? 0,
            minute: components.minute ?? 0,
            second: components.second ?? 0,
            nanosecond: components.nanosecond ?? 0,
            offset: components.offset
        )
    }

    /// The instant, in UTC where the text named no zone (as Indivo does).
    public var date: Date {
        Date(timeIntervalSince1970: Double(civil.seconds) + Double(nanosecond) / 1_000_000_000)
    }

    /// The parts, for `Calendar`.
    public var dateComponents: DateComponents {
        var parts = DateComponents(xmlYear: year, month: month, day: day, offset: offset)
        parts.hour = hour
        parts.minute = minute
        parts.second = second
        parts.nanosecond = nanosecond
        return parts
    }

    /// Reads xs:dateTime: `2012-05-04T15:34:23`, a fraction and `Z` or `±hh:mm` where given.
    public init(lexical text: String) throws(LexicalError) {
        self = try text.withBytes { (bytes) throws(LexicalError) in
            try Self._read(utf8: bytes, isField: false)
        }
    }

    public var lexical: String { spelling.text ?? civil.description }

    /// The same instant in UTC. A time without a zone, or finer than a microsecond, keeps its text: no server
    /// takes it, and ``IndivoDocument/problems()`` lists it.
    public var fieldLexical: String {
        offset == nil || isFinerThanMicroseconds ? lexical : civil.inUTC().description
    }

    private var isFinerThanMicroseconds: Bool {
        guard let point = spelling.text?.utf8.firstIndex(of: UInt8(ascii: ".")) else {
            return nanosecond % 1000 != 0
        }
        let fraction = spelling.text?.utf8[point...].dropFirst() ?? ""[...].utf8
        let digits = fraction.prefix { $0 >= 0x30 && $0 <= 0x39 }
        return digits.dropFirst(6).contains { $0 != 0x30 }
    }

    public static var dataType: DataModel.FieldType { .dateTime }

    /// A data model's date field takes a plain day too, which means midnight UTC.
    public static func fromField(_ text: String) throws(LexicalError) -> XMLDateTime {
        try text.withBytes { (bytes) throws(LexicalError) in try _read(utf8: bytes, isField: true) }
    }

    public static func _read(utf8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) throws(LexicalError)
        -> XMLDateTime
    {
        if let plain = CivilDateTime(plain: bytes), plain.kind == .dateTime { return XMLDateTime(plain) }
        if isField, !bytes.contains(UInt8(ascii: "T")) {
            return XMLDateTime(midnightOf: try XMLDate._read(utf8: bytes, isField: false))
        }
        let (civil, spelling) = try CivilTimeScanner.scan(
            bytes,
            expecting: "a date and time (YYYY-MM-DDTHH:MM:SSZ)"
        ) {
            (scanner) throws(CivilTimeError) in
            var value = try scanner.date()
            value.kind = .dateTime
            try scanner.need("T", "the T between date and time")
            try scanner.time(of: &value, .xmlSchema)
            value.offset = try scanner.offset()
            return value
        }
        return XMLDateTime(civil, spelling: spelling)
    }
}

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
    /// clamped.
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
        // The zone's offset at that midnight, computed twice: the first result is for midnight in UTC.
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
        // The common case has its own path: it is so short that reference counting would take a measurable
        // part of it.
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
