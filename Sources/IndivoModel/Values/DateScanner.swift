/// Reads the parts of XML Schema's dates and times (part 2, section 3.2.7) from bytes, checking every range.
///
/// It also notices whether the text is as the value would be written, so that only other spellings need to be kept.
struct DateScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let expected: StaticString
    private var position: Int
    private let end: Int
    /// Whether the canonical form of what was read is the text itself.
    private(set) var isCanonical: Bool

    /// - Parameter bytes: Must outlive the scanner.
    private init(_ bytes: UnsafeBufferPointer<UInt8>, expecting expected: StaticString) {
        self.bytes = bytes
        self.expected = expected
        var (start, end) = (0, bytes.count)
        while start < end, Self.isSpace(bytes[start]) { start += 1 }
        while end > start, Self.isSpace(bytes[end - 1]) { end -= 1 }
        position = start
        self.end = end
        isCanonical = end - start == bytes.count
    }

    /// Reads a whole text.
    /// - Returns: What `read` made of it, and the text itself if it is spelled otherwise than canonically.
    static func scan<Parts>(
        _ text: String, expecting expected: StaticString, _ read: (inout DateScanner) throws(LexicalError) -> Parts
    ) throws(LexicalError) -> (parts: Parts, spelling: String?) {
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(LexicalError) in try scan(bytes, expecting: expected, read) }
        }
        let (parts, isCanonical) = try result.get()
        return (parts, isCanonical ? nil : text)
    }

    /// Reads a whole text from its bytes.
    static func scan<Parts>(
        _ bytes: UnsafeBufferPointer<UInt8>, expecting expected: StaticString,
        _ read: (inout DateScanner) throws(LexicalError) -> Parts
    ) throws(LexicalError) -> (parts: Parts, isCanonical: Bool) {
        var scanner = DateScanner(bytes, expecting: expected)
        let parts = try read(&scanner)
        guard scanner.position == scanner.end else {
            let rest = UnsafeBufferPointer(rebasing: bytes[scanner.position..<scanner.end])
            throw scanner.failure("“\(String(decoding: rest, as: UTF8.self))” is left over")
        }
        return (parts, scanner.isCanonical)
    }

    // MARK: Parts

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
        var digits = 0
        var year = 0
        let leadingZero = current == UInt8(ascii: "0")
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
            guard minute == 0, second == 0, !hasFraction else { throw failure("hour 24 is only midnight, 24:00:00") }
            isCanonical = false
        }
        return (hour, minute, second, nanosecond)
    }

    private mutating func fraction() throws(LexicalError) -> (nanosecond: Int, isThere: Bool) {
        guard next(is: UInt8(ascii: ".")) else { return (0, false) }
        var nanosecond = 0
        var digits = 0
        var isThere = false
        var last = 0
        while let digit = nextDigit() {
            if digits < 9 { nanosecond = nanosecond * 10 + digit }
            if digit > 0 { isThere = true }
            last = digit
            digits += 1
        }
        guard digits > 0 else { throw failure("there is no digit after the point") }
        // Canonical fractions end in no zero, and nanoseconds hold nine digits.
        if last == 0 || digits > 9 { isCanonical = false }
        while digits < 9 {
            nanosecond *= 10
            digits += 1
        }
        return (nanosecond, isThere)
    }

    /// Minutes east of UTC, or `nil` when the text ends here.
    mutating func offset() throws(LexicalError) -> Int? {
        if next(is: UInt8(ascii: "Z")) { return 0 }
        let negative = current == UInt8(ascii: "-")
        guard negative || current == UInt8(ascii: "+") else { return nil }
        position += 1
        let hours = try pair("hour of the offset", 0...14)
        try literal(UInt8(ascii: ":"), "the : in the offset")
        let minutes = try pair("minute of the offset", 0...59)
        let total = hours * 60 + minutes
        guard total <= 14 * 60 else { throw failure("an offset is at most 14:00") }
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

    /// Whether a dash and a month follow a year, and not a negative offset such as `-05:00`.
    var nextIsMonth: Bool {
        current == UInt8(ascii: "-") && !(position + 3 < end && bytes[position + 3] == UInt8(ascii: ":"))
    }

    mutating func dashAndMonth() throws(LexicalError) -> Int {
        position += 1
        return try month()
    }

    // MARK: Bytes

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private var current: UInt8? { position < end ? bytes[position] : nil }

    private mutating func nextDigit() -> Int? {
        guard let byte = current, byte >= 0x30, byte <= 0x39 else { return nil }
        position += 1
        return Int(byte) - 0x30
    }

    private mutating func pair(_ name: StaticString, _ range: ClosedRange<Int>) throws(LexicalError) -> Int {
        guard let tens = nextDigit(), let ones = nextDigit() else { throw failure("the \(name) needs two digits") }
        let value = tens * 10 + ones
        guard range.contains(value) else { throw failure("the \(name) \(value) is out of range") }
        return value
    }

    private func failure(_ reason: String) -> LexicalError {
        LexicalError(expected: "\(expected)", reason: "in “\(String(decoding: bytes, as: UTF8.self))” \(reason)")
    }
}
