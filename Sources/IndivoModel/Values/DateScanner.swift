/// Reads the parts of XML Schema's dates and times (part 2, section 3.2.7), checking every range.
struct DateScanner {
    private let text: String
    private let expected: String
    private var rest: Substring.UTF8View

    init(_ text: String, expecting expected: String) {
        self.text = text
        self.expected = expected
        rest = text.trimmingXMLSpace.utf8
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
        let negative = skip(UInt8(ascii: "-"))
        var digits = 0
        var year = 0
        let leadingZero = rest.first == UInt8(ascii: "0")
        while let digit = nextDigit() {
            guard digits < 9 else { throw failure("the year is out of range") }
            year = year * 10 + digit
            digits += 1
        }
        guard digits >= 4 else { throw failure("a year has four digits") }
        guard year > 0 else { throw failure("there is no year 0000") }
        guard digits == 4 || !leadingZero else { throw failure("a year longer than four digits has no leading zero") }
        return negative ? -year : year
    }

    mutating func month() throws(LexicalError) -> Int { try pair("month", 1...12) }

    /// - Parameters:
    ///   - month: The month the day is in; `nil` for any.
    ///   - year: The year; `nil` for any, leap years included.
    mutating func day(of month: Int? = nil, in year: Int? = nil) throws(LexicalError) -> Int {
        let day = try pair("day", 1...31)
        if let month, day > GregorianCalendar.days(in: month, of: year ?? 2000) {
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
        var nanosecond = 0
        var hasFraction = false
        if skip(UInt8(ascii: ".")) {
            var digits = 0
            while let digit = nextDigit() {
                if digits < 9 { nanosecond = nanosecond * 10 + digit }
                if digit > 0 { hasFraction = true }
                digits += 1
            }
            guard digits > 0 else { throw failure("there is no digit after the point") }
            while digits < 9 {
                nanosecond *= 10
                digits += 1
            }
        }
        guard hour < 24 || (minute == 0 && second == 0 && !hasFraction) else {
            throw failure("hour 24 is only midnight, 24:00:00")
        }
        return (hour, minute, second, nanosecond)
    }

    /// Minutes east of UTC, or `nil` when the text ends here.
    mutating func offset() throws(LexicalError) -> Int? {
        if skip(UInt8(ascii: "Z")) { return 0 }
        let negative = rest.first == UInt8(ascii: "-")
        guard negative || rest.first == UInt8(ascii: "+") else { return nil }
        rest.removeFirst()
        let hours = try pair("hour of the offset", 0...14)
        try literal(UInt8(ascii: ":"), "the : in the offset")
        let minutes = try pair("minute of the offset", 0...59)
        let total = hours * 60 + minutes
        guard total <= 14 * 60 else { throw failure("an offset is at most 14:00") }
        return negative ? -total : total
    }

    mutating func literal(_ byte: UInt8, _ name: String) throws(LexicalError) {
        guard skip(byte) else { throw failure("\(name) is missing") }
    }

    mutating func literal(_ byte: UInt8, _ name: String, times: Int) throws(LexicalError) {
        for _ in 0..<times { try literal(byte, name) }
    }

    /// Whether the next byte is this one; if so it is passed.
    mutating func next(is byte: UInt8) -> Bool { skip(byte) }

    func end() throws(LexicalError) {
        guard rest.isEmpty else { throw failure("“\(String(Substring(rest)))” is left over") }
    }

    private func failure(_ reason: String) -> LexicalError {
        LexicalError(expected: expected, reason: "in “\(text)” \(reason)")
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func nextDigit() -> Int? {
        guard let byte = rest.first, byte >= 0x30, byte <= 0x39 else { return nil }
        rest.removeFirst()
        return Int(byte) - 0x30
    }

    private mutating func pair(_ name: String, _ range: ClosedRange<Int>) throws(LexicalError) -> Int {
        guard let tens = nextDigit(), let ones = nextDigit() else { throw failure("the \(name) needs two digits") }
        let value = tens * 10 + ones
        guard range.contains(value) else { throw failure("the \(name) \(value) is out of range") }
        return value
    }
}
