import Foundation
import IndivoBase

/// Reads XML Schema's dates and times (part 2, section 3.2.7) from bytes, checks every range, and notices
/// other spellings.
struct DateScanner {
    /// In minutes east of UTC.
    static let offsets = -14 * 60...14 * 60

    private let bytes: UnsafeBufferPointer<UInt8>
    private let expected: StaticString
    private var position: Int
    private let end: Int
    /// Whether the canonical form of what was read is the text itself.
    private var isCanonical: Bool

    /// - Parameter bytes: Must outlive the scanner.
    private init(_ bytes: UnsafeBufferPointer<UInt8>, expecting expected: StaticString) {
        self.bytes = bytes
        self.expected = expected
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        position = bytes.firstIndex { !isSpace($0) } ?? bytes.count
        end = (bytes.lastIndex { !isSpace($0) } ?? bytes.count - 1) + 1
        isCanonical = end - position == bytes.count
    }

    /// Reads a whole text.
    /// - Returns: What `read` made of it, and the text itself if it is spelled otherwise than canonically.
    static func scan<Parts>(
        _ bytes: UnsafeBufferPointer<UInt8>,
        expecting expected: StaticString,
        _ read: (inout DateScanner) throws(LexicalError) -> Parts
    ) throws(LexicalError) -> (parts: Parts, spelling: WrittenForm) {
        var scanner = DateScanner(bytes, expecting: expected)
        let parts = try read(&scanner)
        guard scanner.position == scanner.end else {
            let rest = UnsafeBufferPointer(rebasing: bytes[scanner.position..<scanner.end])
            throw scanner.failure("“\(String(decoding: rest, as: UTF8.self))” is left over")
        }
        return (parts, WrittenForm(text: scanner.isCanonical ? nil : String(decoding: bytes, as: UTF8.self)))
    }

    /// Year, month and day, joined by `-`.
    mutating func date() throws(LexicalError) -> (Int, Int, Int) {
        let year = try year()
        try literal(UInt8(ascii: "-"), "the - after the year")
        let month = try month()
        try literal(UInt8(ascii: "-"), "the - after the month")
        return (year, month, try day(of: month, in: year))
    }

    /// Four digits or more, never 0000.
    mutating func year() throws(LexicalError) -> Int {
        let negative = next(is: UInt8(ascii: "-"))
        let leadingZero = current == UInt8(ascii: "0")
        var year = 0
        var digits = 0
        while let digit = nextDigit() {
            guard digits < 9 else { throw failure("the year is out of range") }
            year = year * 10 + digit
            digits += 1
        }
        guard digits >= 4 else { throw failure("a year has four digits") }
        guard year > 0 else { throw failure("there is no year 0000") }
        guard digits == 4 || !leadingZero else {
            throw failure("a year longer than four digits has no leading zero")
        }
        return negative ? -year : year
    }

    mutating func month() throws(LexicalError) -> Int { try pair("month", 1...12) }

    /// A day of any month and year where these are not given.
    mutating func day(of month: Int? = nil, in year: Int? = nil) throws(LexicalError) -> Int {
        let day = try pair("day", 1...31)
        if let month, day > 28, day > GregorianCalendar.days(in: month, of: year ?? 2000) {
            throw failure("month \(month)" + (year.map { " of \($0)" } ?? "") + " has no day \(day)")
        }
        return day
    }

    /// Hour, minute, second and nanosecond; hour 24 only as 24:00:00.
    mutating func time() throws(LexicalError) -> (hour: Int, minute: Int, second: Int, nanosecond: Int) {
        let hour = try pair("hour", 0...24)
        try literal(UInt8(ascii: ":"), "the : after the hour")
        let minute = try pair("minute", 0...59)
        try literal(UInt8(ascii: ":"), "the : after the minute")
        let second = try pair("second", 0...59)
        let (nanosecond, hasFraction) = try fraction()
        if hour == 24 {
            guard minute == 0, second == 0, !hasFraction else {
                throw failure("hour 24 is only midnight, 24:00:00")
            }
            isCanonical = false
        }
        return (hour, minute, second, nanosecond)
    }

    private mutating func fraction() throws(LexicalError) -> (nanosecond: Int, isThere: Bool) {
        guard next(is: UInt8(ascii: ".")) else { return (0, false) }
        var nanosecond = 0
        var weight = 100_000_000
        var isThere = false
        let start = position
        while let digit = nextDigit() {
            nanosecond += digit * weight
            weight /= 10
            if digit > 0 { isThere = true }
        }
        guard position > start else { throw failure("there is no digit after the point") }
        // Canonical fractions end in no zero, and nanoseconds hold nine digits.
        if bytes[position - 1] == UInt8(ascii: "0") || position - start > 9 { isCanonical = false }
        return (nanosecond, isThere)
    }

    /// Minutes east of UTC, or `nil` when the text ends here.
    mutating func offset() throws(LexicalError) -> Int? {
        if next(is: UInt8(ascii: "Z")) { return 0 }
        let negative = next(is: UInt8(ascii: "-"))
        guard negative || next(is: UInt8(ascii: "+")) else { return nil }
        let hours = try pair("hour of the offset", 0...14)
        try literal(UInt8(ascii: ":"), "the : in the offset")
        let minutes = try pair("minute of the offset", 0...59)
        let total = hours * 60 + minutes
        guard Self.offsets.contains(total) else { throw failure("an offset is at most 14:00") }
        if total == 0 { isCanonical = false }
        return negative ? -total : total
    }

    /// Whether the next byte is this one; if so it is passed.
    mutating func next(is byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    mutating func literal(_ byte: UInt8, _ name: StaticString) throws(LexicalError) {
        guard next(is: byte) else { throw failure("\(name) is missing") }
    }

    /// The month behind a year and a dash; `nil` where there is none, or only a negative offset such as
    /// `-05:00`.
    mutating func monthBehindYear() throws(LexicalError) -> Int? {
        if position + 3 < end, bytes[position + 3] == UInt8(ascii: ":") { return nil }
        return try next(is: UInt8(ascii: "-")) ? month() : nil
    }

    private var current: UInt8? { position < end ? bytes[position] : nil }

    private mutating func nextDigit() -> Int? {
        guard let byte = current, byte >= 0x30, byte <= 0x39 else { return nil }
        position += 1
        return Int(byte) - 0x30
    }

    private mutating func pair(_ name: StaticString, _ range: ClosedRange<Int>) throws(LexicalError) -> Int {
        guard let tens = nextDigit(), let ones = nextDigit() else {
            throw failure("the \(name) needs two digits")
        }
        let value = tens * 10 + ones
        guard range.contains(value) else { throw failure("the \(name) \(value) is out of range") }
        return value
    }

    private func failure(_ reason: String) -> LexicalError {
        LexicalError(
            expected: "\(expected)",
            reason: "in “\(String(decoding: bytes, as: UTF8.self))” \(reason)"
        )
    }
}

/// The text that a value was read from, if it is not the canonical one. Values are equal whatever their
/// spelling.
struct WrittenForm: Hashable, Sendable {
    var text: String?

    static func == (a: Self, b: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

/// Writes XML Schema's dates and times (part 2, section 3.2.7), each in one piece: the other way round from
/// ``DateScanner``.
struct DateWriter: ~Copyable {
    fileprivate let buffer: UnsafeMutableBufferPointer<UInt8>
    fileprivate var count = 0

    /// What a value is spelled as or, where that is the canonical form, what `write` writes.
    static func text(_ spelling: WrittenForm = WrittenForm(), _ write: (inout DateWriter) -> Void) -> String {
        if let text = spelling.text { return text }
        // The longest that there is: a year of nine digits behind a minus, nine digits of a fraction and an
        // offset.
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 41) { buffer in
            var writer = DateWriter(buffer: buffer)
            write(&writer)
            return String(decoding: buffer[..<writer.count], as: UTF8.self)
        }
    }

    mutating func sign(_ sign: Unicode.Scalar) { append(UInt8(ascii: sign)) }

    private mutating func append(_ byte: UInt8) {
        precondition(count < buffer.count, "no date and no time is that long")
        buffer[count] = byte
        count += 1
    }

    /// A number that is not negative, with zeros in front up to so many digits.
    private mutating func number(_ number: Int, digits: Int) {
        if number > 9 || digits > 1 { self.number(number / 10, digits: digits - 1) }
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    /// A year, with more than four digits or a minus where it needs them.
    mutating func year(_ year: Int) {
        if year < 0 { sign("-") }
        number(abs(year), digits: 4)
    }

    /// A month, a day, an hour, a minute or a second.
    mutating func twoDigits(_ number: Int, behind sign: Unicode.Scalar? = nil) {
        if let sign { self.sign(sign) }
        self.number(number, digits: 2)
    }

    /// `YYYY-MM-DD`.
    mutating func date(_ year: Int, _ month: Int, _ day: Int) {
        self.year(year)
        twoDigits(month, behind: "-")
        twoDigits(day, behind: "-")
    }

    /// `HH:MM:SS`, and as much of a fraction as there is.
    mutating func time(_ hour: Int, _ minute: Int, _ second: Int, _ nanosecond: Int) {
        twoDigits(hour)
        twoDigits(minute, behind: ":")
        twoDigits(second, behind: ":")
        fraction(nanosecond)
    }

    /// `.` and the digits of a fraction of a second; nothing for none.
    mutating func fraction(_ nanosecond: Int) {
        guard nanosecond > 0 else { return }
        var rest = nanosecond
        var digits = 9
        while rest % 10 == 0 {
            rest /= 10
            digits -= 1
        }
        sign(".")
        number(rest, digits: digits)
    }

    /// `Z`, `±HH:MM`, or nothing where no zone is named.
    mutating func offset(_ offset: Int?) {
        guard let offset else { return }
        if offset == 0 { return sign("Z") }
        twoDigits(abs(offset) / 60, behind: offset < 0 ? "-" : "+")
        twoDigits(abs(offset) % 60, behind: ":")
    }
}

/// The calendar with XML Schema's years (part 2, section 3.2.7): there is no year 0, and the one before 1 is
/// -1.
enum GregorianCalendar {
    /// Years that can be written and read back.
    static func hasYear(_ year: Int) -> Bool { year != 0 && (-999_999_999...999_999_999).contains(year) }

    /// The year as astronomers count it, with a year 0.
    private static func astronomical(_ year: Int) -> Int { year < 0 ? year + 1 : year }

    /// Whole seconds from 1970 to an instant, cut where the years get too long. What is no number is 1970.
    static func seconds(to date: Date) -> Int {
        let interval = date.timeIntervalSince1970
        return interval.isNaN ? 0 : Int(min(max(interval, -9e12), 9e12).rounded(.down))
    }

    static func days(in month: Int, of year: Int) -> Int {
        CivilCalendar.days(in: month, of: astronomical(year))
    }

    /// Days since 1970-01-01.
    static func days(fromCivil year: Int, _ month: Int, _ day: Int) -> Int {
        CivilCalendar.days(fromCivil: astronomical(year), month, day)
    }

    /// The inverse of ``days(fromCivil:_:_:)``.
    static func civil(fromDays days: Int) -> (Int, Int, Int) {
        let (year, month, day) = CivilCalendar.civil(fromDays: days)
        return (year > 0 ? year : year - 1, month, day)
    }
}

extension DateComponents {
    /// - Parameter year: As XML Schema counts it: there is no year 0, and the one before 1 is -1.
    init(xmlYear year: Int?, month: Int?, day: Int?, offset: Int?) {
        self.init(
            calendar: Calendar(identifier: .gregorian),
            timeZone: offset.flatMap { TimeZone(secondsFromGMT: $0 * 60) },
            era: year.map { $0 > 0 ? 1 : 0 },
            year: year.map(abs),
            month: month,
            day: day
        )
    }

    /// Minutes east of UTC; `nil` where the components name no zone.
    var offset: Int? {
        timeZone.map { zone in zone.secondsFromGMT(for: date ?? Date(timeIntervalSince1970: 0)) / 60 }
    }

    var xmlYear: Int? { year.map { era == 0 ? -$0 : $0 } }
}
