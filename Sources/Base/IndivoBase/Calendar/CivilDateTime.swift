/// A date, a date with a time, or a time of day of the proleptic Gregorian calendar, as precise as it was
/// written.
///
/// The dates and times of XML Schema, FHIR, FHIRPath, archives and warehouses wrap it or are read by it.
package struct CivilDateTime: Sendable, Hashable {
    package enum Kind: Sendable { case date, dateTime, time }

    /// The smallest part that is known. Seconds and their fractions are one precision.
    package enum Precision: Int, Sendable, Comparable, CaseIterable {
        case year, month, day, hour, minute, second
        package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    package var kind: Kind
    package var precision: Precision
    /// There is a year 0 before year 1, as ISO 8601 counts.
    package var year = 1
    /// 1 to 12; 1 where the precision ends before.
    package var month = 1
    /// 1 to 31; 1 where the precision ends before.
    package var day = 1
    /// 0 to 23; 0 where the precision ends before, as for all parts that follow.
    package var hour = 0
    package var minute = 0
    /// 60 in a leap second.
    package var second = 0
    package var nanosecond = 0
    /// How many digits of the fraction were written, up to nine; more are not kept.
    package var fractionDigits = 0
    /// Minutes east of Greenwich; nil without a zone.
    package var offset: Int?

    package init(kind: Kind, precision: Precision) {
        self.kind = kind
        self.precision = precision
    }

    package init(year: Int, month: Int, day: Int, offset: Int? = nil) {
        self.init(kind: .date, precision: .day)
        self.year = year
        self.month = month
        self.day = day
        self.offset = offset
    }

    /// The beginning of the day that is `days` days after 1970-01-01.
    package init(days: Int) {
        let (year, month, day) = CivilCalendar.civil(fromDays: days)
        self.init(year: year, month: month, day: day)
    }

    /// A point in time, in microseconds since 1970-01-01T00:00:00Z.
    ///
    /// - Parameter offset: Of the zone that it is written in, in minutes.
    package init(microseconds: Int, offset: Int = 0) {
        self.init(kind: .dateTime, precision: .second)
        // Two steps, since a sum of both could be too large.
        let seconds = microseconds.flooredQuotient(by: 1_000_000)
        nanosecond = (microseconds - seconds * 1_000_000) * 1000
        fractionDigits = nanosecond == 0 ? 0 : 6
        setClock(seconds: seconds + offset * 60)
        self.offset = offset
    }

    /// A point in time in UTC, in seconds since 1970-01-01T00:00:00Z.
    package init(seconds: Int) {
        self.init(kind: .dateTime, precision: .second)
        setClock(seconds: seconds)
        offset = 0
    }

    private mutating func setClock(seconds: Int) {
        days = seconds.flooredQuotient(by: 86_400)
        let rest = seconds - seconds.flooredQuotient(by: 86_400) * 86_400
        hour = rest / 3600
        minute = rest / 60 % 60
        second = rest % 60
    }

    /// Days since 1970-01-01.
    package var days: Int {
        get { CivilCalendar.days(fromCivil: year, month, day) }
        set { (year, month, day) = CivilCalendar.civil(fromDays: newValue) }
    }

    /// Whole seconds since 1970-01-01T00:00:00Z. Without a zone it is in UTC.
    package var seconds: Int {
        days * 86_400 + hour * 3600 + (minute - (offset ?? 0)) * 60 + second
    }

    /// Microseconds since 1970-01-01T00:00:00Z, finer digits cut, for years of at most five digits. Without a
    /// zone it is in UTC.
    package var microseconds: Int { seconds * 1_000_000 + nanosecond / 1000 }

    /// The same point in time with the offset of Greenwich.
    ///
    /// - Parameter zone: The offset where none is known, in minutes.
    package func inUTC(from zone: Int = 0) -> CivilDateTime {
        var result = self
        result.offset = 0
        let minutes = hour * 60 + minute - (offset ?? zone)
        let days = minutes.flooredQuotient(by: 1440)
        result.hour = (minutes - days * 1440) / 60
        result.minute = (minutes - days * 1440) % 60
        if kind != .time, days != 0 { result.days += days }
        return result
    }

    /// The date `months` months later, on the same day of the month or its last.
    package func adding(months: Int) -> CivilDateTime {
        var result = self
        let total = year * 12 + month - 1 + months
        result.year = total.flooredQuotient(by: 12)
        result.month = total - result.year * 12 + 1
        result.day = min(day, CivilCalendar.days(in: result.month, of: result.year))
        return result
    }

    package var date: CivilDateTime {
        var date = CivilDateTime(year: year, month: month, day: day)
        date.precision = min(precision, .day)
        return date
    }

    /// The time of a date with a time, without its zone.
    package var timeOfDay: CivilDateTime {
        var time = self
        time.kind = .time
        time.year = 1
        time.month = 1
        time.day = 1
        time.offset = nil
        return time
    }

    /// Removes zeros from the end of the fraction.
    package mutating func trimFraction() {
        fractionDigits = nanosecond == 0 ? 0 : 9
        guard nanosecond != 0 else { return }
        var rest = nanosecond
        while rest % 10 == 0 {
            rest /= 10
            fractionDigits -= 1
        }
    }
}

extension CivilDateTime: CustomStringConvertible {
    /// Reads `2015`, `2015-02`, `2015-02-04`, `2015T`, `2015-02-04T14:34:28.123+10:00`, `2015-02-04T14` or
    /// `T14:34`.
    ///
    /// Nil for a date that does not exist, a year that is not 1 to 9999, an hour of 24, and for a time with a
    /// zone but without a date.
    package init?(text: some StringProtocol) {
        var text = String(text)
        guard let value = text.withUTF8({ CivilDateTime(utf8: $0) }) else { return nil }
        self = value
    }

    package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        if let plain = CivilDateTime(plain: bytes) {
            self = plain
            return
        }
        var scanner = CivilTimeScanner(bytes)
        guard let value = try? scanner.iso8601(), scanner.isAtEnd else { return nil }
        self = value
    }

    /// Reads a time of day, as in `08:30:00.25`, `08:30` or `08`.
    package init?(timeOfDay bytes: UnsafeBufferPointer<UInt8>) {
        self.init(kind: .time, precision: .hour)
        var scanner = CivilTimeScanner(bytes)
        guard (try? scanner.time(of: &self, .iso8601)) != nil, scanner.isAtEnd else { return nil }
    }

    /// Reads `YYYY-MM-DD` and `YYYY-MM-DDTHH:MM:SSZ`, the most frequent forms.
    ///
    /// A `nil` does not mean that the text is not a date.
    package init?(plain bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 10 || bytes.count == 20, let day = Self.pair(bytes, 8) else { return nil }
        // The first eight bytes at once, as one number.
        let text = UInt64(littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt64.self))
        // What is left of `0000-00-`, the first character in the lowest byte: digits are their values, dashes
        // are 0.
        let digits = text ^ 0x2D30_302D_3030_3030
        guard digits & 0xFFF0_F0FF_F0F0_F0F0 == 0,
            (digits &+ 0x0006_0600_0606_0606) & 0x00F0_F000_F0F0_F0F0 == 0
        else { return nil }
        func digit(_ index: UInt64) -> Int { Int(truncatingIfNeeded: digits >> (index * 8) & 0xF) }
        let year = (digit(0) * 10 + digit(1)) * 100 + digit(2) * 10 + digit(3)
        let month = digit(5) * 10 + digit(6)
        guard year > 0, month >= 1, month <= 12, day >= 1,
            day <= 28 || day <= CivilCalendar.days(in: month, of: year)
        else { return nil }
        self.init(year: year, month: month, day: day)
        guard bytes.count == 20 else { return }
        guard bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "Z"),
            let hour = Self.pair(bytes, 11), let minute = Self.pair(bytes, 14),
            let second = Self.pair(bytes, 17), hour < 24, minute < 60, second < 60
        else { return nil }
        kind = .dateTime
        precision = .second
        self.hour = hour
        self.minute = minute
        self.second = second
        offset = 0
    }

    @inline(__always)
    private static func pair(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
        let tens = bytes[index] &- 0x30
        let ones = bytes[index + 1] &- 0x30
        return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
    }

    /// ISO 8601; a time of day without a `T` before it, a year before 1 behind a minus, as XML Schema counts.
    package var description: String { withText { String(decoding: $0, as: UTF8.self) } }

    /// Whether the bytes are its ``description``.
    package func isWritten(as bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        withText { $0.elementsEqual(bytes) }
    }

    private func withText<Result>(_ read: (Slice<UnsafeMutableBufferPointer<UInt8>>) -> Result) -> Result {
        // The longest has a year of 19 digits behind a minus, nine digits of a fraction and an offset.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 56) { buffer in
            var writer = CivilTimeWriter(buffer: buffer)
            writer.write(self)
            return read(buffer[..<writer.count])
        }
    }
}

extension CivilTimeScanner {
    fileprivate mutating func iso8601() throws(CivilTimeError) -> CivilDateTime {
        if take("T") {
            var time = CivilDateTime(kind: .time, precision: .hour)
            try self.time(of: &time, .iso8601)
            return time
        }
        var value = try date(isPartial: true)
        guard 1...9999 ~= value.year else { throw .refused("the year is out of range") }
        guard take("T") else { return value }
        value.kind = .dateTime
        guard !isAtEnd else { return value }
        guard value.precision == .day else { throw .missing("the day") }
        try time(of: &value, .iso8601)
        value.offset = try offset()
        return value
    }
}

/// Writes a date or time into a buffer that is long enough.
private struct CivilTimeWriter: ~Copyable {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    var count = 0

    mutating func write(_ value: CivilDateTime) {
        if value.kind != .time {
            if value.year < 1 { append("-") }
            number(value.year < 1 ? 1 - value.year : value.year, digits: 4)
            if value.precision >= .month { number(value.month, behind: "-") }
            if value.precision >= .day { number(value.day, behind: "-") }
        }
        if value.precision >= .hour, value.kind != .date {
            if value.kind == .dateTime { append("T") }
            number(value.hour, digits: 2)
            if value.precision >= .minute { number(value.minute, behind: ":") }
            if value.precision >= .second { number(value.second, behind: ":") }
            if value.fractionDigits > 0 {
                var fraction = value.nanosecond
                for _ in value.fractionDigits..<9 { fraction /= 10 }
                append(".")
                number(fraction, digits: value.fractionDigits)
            }
        }
        guard let offset = value.offset else { return }
        if offset == 0 { return append("Z") }
        number(abs(offset) / 60, behind: offset < 0 ? "-" : "+")
        number(abs(offset) % 60, behind: ":")
    }

    private mutating func append(_ character: Unicode.Scalar) {
        precondition(count < buffer.count, "no date and no time is that long")
        buffer[count] = UInt8(ascii: character)
        count += 1
    }

    private mutating func number(_ number: Int, behind sign: Unicode.Scalar) {
        append(sign)
        self.number(number, digits: 2)
    }

    /// With zeros before it, up to so many digits.
    private mutating func number(_ number: Int, digits: Int) {
        if number > 9 || digits > 1 { self.number(number / 10, digits: digits - 1) }
        append(Unicode.Scalar(UInt8(ascii: "0") + UInt8(number % 10)))
    }
}

extension Int {
    /// The digits, with zeros before them up to a width.
    package func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
