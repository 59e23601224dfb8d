/// Values in their common spelling, read from bytes without a `String`. `nil` says only that the text is not in that
/// spelling; whether it is a value all the same, the type's own reader says.
enum PlainText {
    @inline(__always)
    private static func digit(_ byte: UInt8) -> Int? {
        let value = Int(byte) - 0x30
        return value >= 0 && value <= 9 ? value : nil
    }

    /// Up to 18 digits, perhaps behind a minus.
    static func integer(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        guard bytes.count > start, bytes.count - start <= 18 else { return nil }
        var value = 0
        for index in start..<bytes.count {
            guard let digit = digit(bytes[index]) else { return nil }
            value = value * 10 + digit
        }
        return isNegative ? -value : value
    }

    /// Up to 15 digits, perhaps with a point among them: both they and the power of ten below them are exact as
    /// `Double`, and so their quotient is the nearest one.
    static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        guard bytes.count > start, bytes.count - start <= 16 else { return nil }
        var (value, digits, fraction) = (0, 0, 0)
        var hasPoint = false
        for index in start..<bytes.count {
            if let digit = digit(bytes[index]) {
                value = value * 10 + digit
                digits += 1
                if hasPoint { fraction += 1 }
            } else if bytes[index] == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else {
                return nil
            }
        }
        guard digits > 0, digits <= 15 else { return nil }
        let quotient = Double(value) / powersOfTen[fraction]
        return isNegative ? -quotient : quotient
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    static func boolean(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool? {
        if bytes.count == 4, bytes.elementsEqual("true".utf8) { return true }
        if bytes.count == 5, bytes.elementsEqual("false".utf8) { return false }
        return nil
    }

    /// `YYYY-MM-DD` from `start` on.
    ///
    /// Dates are in nearly every document: the first eight bytes are read together, as one number.
    @inline(__always)
    static func day(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0) -> (year: Int, month: Int, day: Int)? {
        guard bytes.count >= start + 10, let day = pair(bytes, start + 8) else { return nil }
        let raw = UnsafeRawBufferPointer(bytes)
        let text = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        // What is left of `0000-00-`, the first character in the lowest byte: digits are their values, dashes are 0.
        let digits = text ^ 0x2D30_302D_3030_3030
        guard digits & 0xFFF0_F0FF_F0F0_F0F0 == 0, (digits &+ 0x0006_0600_0606_0606) & 0x00F0_F000_F0F0_F0F0 == 0
        else { return nil }
        func digit(_ place: UInt64) -> Int { Int(truncatingIfNeeded: digits >> (place * 8) & 0xF) }
        let year = (digit(0) * 10 + digit(1)) * 100 + digit(2) * 10 + digit(3)
        let month = digit(5) * 10 + digit(6)
        guard year > 0, month >= 1, month <= 12, day >= 1,
            day <= 28 || day <= GregorianCalendar.days(in: month, of: year)
        else { return nil }
        return (year, month, day)
    }

    /// `HH:MM:SS` from `start` on; midnight is 00:00:00.
    static func time(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> (hour: Int, minute: Int, second: Int)? {
        guard bytes.count >= start + 8, bytes[start + 2] == UInt8(ascii: ":"), bytes[start + 5] == UInt8(ascii: ":"),
            let hour = pair(bytes, start), let minute = pair(bytes, start + 3), let second = pair(bytes, start + 6),
            hour < 24, minute < 60, second < 60
        else { return nil }
        return (hour, minute, second)
    }

    @inline(__always)
    private static func pair(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
        guard let tens = digit(bytes[index]), let ones = digit(bytes[index + 1]) else { return nil }
        return tens * 10 + ones
    }
}
