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
    /// Never 0; the year before 1 is -1.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int
    /// 0 to 23; the text `24:00:00` is midnight of the next day.
    public let hour: Int
    /// 0 to 59.
    public let minute: Int
    /// 0 to 59: XML Schema has no leap seconds.
    public let second: Int
    /// 0 to 999,999,999. Digits beyond the ninth are kept in the text, not here.
    public let nanosecond: Int
    /// Minutes east of UTC; `nil` when the text named no zone.
    public let offset: Int?
    private let spelling: WrittenForm

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
        guard XMLDate(year: year, month: month, day: day) != nil,
            XMLTime(hour: hour, minute: minute, second: second, nanosecond: nanosecond, offset: offset) != nil
        else { return nil }
        self.init(validated: (year, month, day), (hour, minute, second, nanosecond), offset: offset)
    }

    private init(
        validated day: (Int, Int, Int),
        _ time: (Int, Int, Int, Int),
        offset: Int?,
        spelling: WrittenForm = WrittenForm()
    ) {
        (self.year, self.month, self.day) = day
        (hour, minute, second, nanosecond) = time
        self.offset = offset
        self.spelling = spelling
    }

    /// An instant, to the microsecond, in UTC (the only zone an Indivo server takes). Instants hundreds of
    /// thousands of years away are cut.
    public init(_ date: Date) {
        var seconds = GregorianCalendar.seconds(to: date)
        // What was cut, or is no number, has no fraction; one that rounds up is the next second's beginning.
        let rest = date.timeIntervalSince1970 - Double(seconds)
        let fraction = rest >= 0 && rest < 1 ? Int((rest * 1_000_000).rounded()) : 0
        seconds += fraction / 1_000_000
        let days = seconds.flooredQuotient(by: 86_400)
        seconds -= days * 86_400
        self.init(
            validated: GregorianCalendar.civil(fromDays: days),
            (seconds / 3600, seconds / 60 % 60, seconds % 60, fraction % 1_000_000 * 1000),
            offset: 0
        )
    }

    /// The beginning of a day, in UTC where the day names no zone.
    init(midnightOf day: XMLDate) {
        self.init(validated: (day.year, day.month, day.day), (0, 0, 0, 0), offset: day.offset ?? 0)
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
        let days = GregorianCalendar.days(fromCivil: year, month, day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - (offset ?? 0) * 60
        return Date(timeIntervalSince1970: Double(seconds) + Double(nanosecond) / 1_000_000_000)
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

    public var lexical: String {
        DateWriter.text(spelling) {
            $0.date(year, month, day)
            $0.sign("T")
            $0.time(hour, minute, second, nanosecond)
            $0.offset(offset)
        }
    }

    /// The same instant in UTC. A time without a zone, or finer than a microsecond, keeps its text: no server
    /// takes it, and ``IndivoDocument/problems()`` lists it.
    public var fieldLexical: String {
        guard let offset, !isFinerThanMicroseconds else { return lexical }
        let minutes = GregorianCalendar.days(fromCivil: year, month, day) * 1440 + hour * 60 + minute - offset
        let days = minutes.flooredQuotient(by: 1440)
        let rest = minutes - days * 1440
        let time = (rest / 60, rest % 60, second, nanosecond)
        return XMLDateTime(validated: GregorianCalendar.civil(fromDays: days), time, offset: 0).lexical
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
        let separator = UInt8(ascii: "T")
        // Twenty bytes are the common case: whole seconds in UTC, canonical as they are.
        if bytes.count == 20, bytes[10] == separator, bytes[19] == UInt8(ascii: "Z"),
            let day = PlainText.day(bytes), let time = PlainText.time(bytes, from: 11)
        {
            return XMLDateTime(
                validated: (day.year, day.month, day.day),
                (time.hour, time.minute, time.second, 0),
                offset: 0
            )
        }
        if isField, !bytes.contains(separator) {
            return XMLDateTime(midnightOf: try XMLDate._read(utf8: bytes, isField: false))
        }
        let (parts, spelling) = try DateScanner.scan(
            bytes,
            expecting: "a date and time (YYYY-MM-DDTHH:MM:SSZ)"
        ) {
            (scanner) throws(LexicalError) in
            let day = try scanner.date()
            try scanner.literal(separator, "the T between date and time")
            return (day: day, time: try scanner.time(), offset: try scanner.offset())
        }
        var day = parts.day
        var time = parts.time
        if time.hour == 24 {
            day = GregorianCalendar.civil(
                fromDays: GregorianCalendar.days(fromCivil: day.0, day.1, day.2) + 1
            )
            time.hour = 0
        }
        return XMLDateTime(validated: day, time, offset: parts.offset, spelling: spelling)
    }
}
