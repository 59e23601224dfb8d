/// Writes XML Schema's dates and times (part 2, section 3.2.7), each in one piece: the other way round from
/// ``DateScanner``.
struct DateWriter: ~Copyable {
    /// The longest that there is: a year of nine digits behind a minus, nine digits of a fraction and an offset.
    private static let longest = 41

    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private var count = 0

    private init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

    /// The text that `write` writes.
    static func text(_ write: (inout DateWriter) -> Void) -> String {
        // A text of up to 15 bytes, as most dates are, then takes no memory of its own.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longest) { buffer in
            var writer = DateWriter(buffer)
            write(&writer)
            return String(decoding: buffer[..<writer.count], as: UTF8.self)
        }
    }

    mutating func sign(_ byte: Unicode.Scalar) {
        precondition(count < buffer.count, "no date and no time is that long")
        buffer[count] = UInt8(ascii: byte)
        count += 1
    }

    /// A number that is not negative, with zeros in front up to so many digits.
    private mutating func number(_ number: Int, digits: Int) {
        var (length, limit) = (digits, 1)
        for _ in 0..<digits { limit *= 10 }
        while number >= limit { (length, limit) = (length + 1, limit * 10) }
        precondition(count + length <= buffer.count, "no date and no time is that long")
        var rest = number
        for index in (count..<count + length).reversed() {
            buffer[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        count += length
    }

    /// A year, with more than four digits or a minus where it needs them.
    mutating func year(_ year: Int) {
        if year < 0 { sign("-") }
        number(abs(year), digits: 4)
    }

    /// A month, a day, an hour, a minute or a second.
    mutating func twoDigits(_ number: Int) { self.number(number, digits: 2) }

    /// `YYYY-MM-DD`.
    mutating func date(_ year: Int, _ month: Int, _ day: Int) {
        self.year(year)
        sign("-")
        twoDigits(month)
        sign("-")
        twoDigits(day)
    }

    /// `HH:MM:SS`, and as much of a fraction as there is.
    mutating func time(_ hour: Int, _ minute: Int, _ second: Int, _ nanosecond: Int) {
        twoDigits(hour)
        sign(":")
        twoDigits(minute)
        sign(":")
        twoDigits(second)
        fraction(nanosecond)
    }

    /// `.` and the digits of a fraction of a second; nothing for none.
    mutating func fraction(_ nanosecond: Int) {
        guard nanosecond > 0 else { return }
        var (rest, digits) = (nanosecond, 9)
        while rest % 10 == 0 { (rest, digits) = (rest / 10, digits - 1) }
        sign(".")
        number(rest, digits: digits)
    }

    /// `Z`, `±HH:MM`, or nothing where no zone is named.
    mutating func offset(_ offset: Int?) {
        guard let offset else { return }
        if offset == 0 { return sign("Z") }
        sign(offset < 0 ? "-" : "+")
        twoDigits(abs(offset) / 60)
        sign(":")
        twoDigits(abs(offset) % 60)
    }
}
