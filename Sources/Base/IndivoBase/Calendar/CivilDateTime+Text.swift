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
    /// Nil says nothing of other texts.
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
