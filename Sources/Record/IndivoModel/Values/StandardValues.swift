import Foundation

// The types of Swift and Foundation that stand for XML Schema's simple types.

extension String: LexicalValue {
    public init(lexical text: String) { self = text }
    public var lexical: String { self }

    public func _isSaid(byUTF8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) -> Bool {
        isText(self, bytes)
    }
}

extension Bool: LexicalValue {
    /// Reads xs:boolean: `true`, `false`, `1` or `0`.
    public init(lexical text: String) throws(LexicalError) {
        switch text.trimmingXMLSpace {
        case "true", "1": self = true
        case "false", "0": self = false
        default: throw LexicalError(expected: "a boolean (true or false)", reason: "“\(text)” is neither")
        }
    }

    public var lexical: String { self ? "true" : "false" }
    public static var dataType: DataModel.FieldType { .boolean }

    /// Data models take `true` and `false` in any case, and nothing else.
    public static func fromField(_ text: String) throws(LexicalError) -> Bool {
        try Bool(lexical: text.lowercased())
    }

    public static func _read(utf8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) throws(LexicalError)
        -> Bool
    {
        if isText("true", bytes) { return true }
        return isText("false", bytes)
            ? false : try read(String(decoding: bytes, as: UTF8.self), isField: isField)
    }
}

extension Int: LexicalValue {
    /// Reads xs:integer, as far as it fits.
    public init(lexical text: String) throws(LexicalError) {
        guard let value = Int(text.trimmingXMLSpace) else {
            throw LexicalError(
                expected: "a whole number",
                reason: "“\(text)” is not one (or does not fit 64 bits)"
            )
        }
        self = value
    }

    public var lexical: String { description }
    public static var dataType: DataModel.FieldType { .number }

    public static func _read(utf8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) throws(LexicalError)
        -> Int
    {
        if let plain = PlainText.number(bytes), plain.fraction == nil {
            return plain.isNegative ? -plain.digits : plain.digits
        }
        return try Int(lexical: String(decoding: bytes, as: UTF8.self))
    }
}

extension Double: LexicalValue {
    /// Reads xs:double, `INF`, `-INF` and `NaN` included.
    public init(lexical text: String) throws(LexicalError) {
        switch text.trimmingXMLSpace {
        case "INF", "+INF": self = .infinity
        case "-INF": self = -.infinity
        case "NaN": self = .nan
        case let trimmed:
            // Swift's own reader also takes hexadecimal, "inf" and "nan", which XML Schema does not.
            guard trimmed.utf8.allSatisfy("0123456789+-.eE".utf8.contains), let value = Double(trimmed) else {
                throw LexicalError(text, isNot: "a number")
            }
            // Swift's own reader makes infinite what is beyond the range.
            guard value.isFinite else {
                throw LexicalError(
                    expected: "a number",
                    reason: "“\(text.prefix(80))” is beyond the range of a double"
                )
            }
            self = value
        }
    }

    public var lexical: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-INF" : "INF" }
        return description
    }

    public static var dataType: DataModel.FieldType { .number }

    /// A data model's number is finite. A server that was sent another writes it as `nan`, `inf` or `NaN`.
    public static func fromField(_ text: String) throws(LexicalError) -> Double {
        guard let value = try? Double(lexical: text), !value.isFinite else {
            return try Double(lexical: text)
        }
        throw LexicalError(expected: "a finite number", reason: "“\(text)” is not one")
    }

    private static let powersOfTen = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    public static func _read(utf8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) throws(LexicalError)
        -> Double
    {
        // Both the digits and the power of ten below them are exact as `Double`, and so their quotient is the
        // nearest one.
        if let plain = PlainText.number(bytes) {
            let quotient = Double(plain.digits) / powersOfTen[plain.fraction ?? 0]
            return plain.isNegative ? -quotient : quotient
        }
        return try read(String(decoding: bytes, as: UTF8.self), isField: isField)
    }
}

extension Decimal: LexicalValue {
    /// Reads xs:decimal: digits with an optional sign and point, no exponent.
    /// - Throws: ``LexicalError`` also for a number of more digits than `Decimal` holds, about 38: it is not
    ///   rounded.
    public init(lexical text: String) throws(LexicalError) {
        guard let plain = Decimal.plainSpelling(of: text.trimmingXMLSpace)
        else { throw LexicalError(text, isNot: "a decimal number") }
        // No number of more digits and zeros fits.
        guard plain.utf8.count <= 400,
            let value = Decimal(string: plain, locale: Locale(identifier: "en_US_POSIX")),
            Decimal.plainSpelling(of: value.lexical) == plain
        else {
            throw LexicalError(
                expected: "a decimal number of at most 38 digits",
                reason: "“\(text.prefix(80))” would be rounded"
            )
        }
        self = value
    }

    /// A decimal number without a plus and without zeros that say nothing; `nil` for what is none.
    private static func plainSpelling(of text: some StringProtocol) -> String? {
        let sign = text.hasPrefix("-") ? "-" : ""
        let digits = text.dropFirst(text.hasPrefix("-") || text.hasPrefix("+") ? 1 : 0)
        let parts = digits.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let zero = UInt8(ascii: "0")
        guard parts.count <= 2, digits.utf8.count >= parts.count,
            parts.allSatisfy({ $0.allSatisfy { $0 >= zero && $0 <= UInt8(ascii: "9") } })
        else { return nil }
        let whole = String(decoding: parts[0].drop { $0 == zero }, as: UTF8.self)
        var fraction = parts.count == 2 ? Array(parts[1]) : []
        while fraction.last == zero { fraction.removeLast() }
        if whole.isEmpty, fraction.isEmpty { return "0" }
        return sign + (whole.isEmpty ? "0" : whole)
            + (fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self))
    }

    public var lexical: String { NSDecimalNumber(decimal: self).description(withLocale: nil) }
    public static var dataType: DataModel.FieldType { .number }
}

extension URL: LexicalValue {
    /// Reads xs:anyURI.
    public init(lexical text: String) throws(LexicalError) {
        guard let url = URL(string: String(text.trimmingXMLSpace)) else {
            throw LexicalError(text, isNot: "a URI")
        }
        self = url
    }

    public var lexical: String { absoluteString }
}

extension Data: LexicalValue {
    /// Reads xs:base64Binary; white space between the digits is allowed.
    public init(lexical text: String) throws(LexicalError) {
        // Byte by byte: as a character, a carriage return and a line feed are one.
        let digits = Data(text.utf8.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D })
        // Foundation reads more than is allowed: text of any length, digits behind the padding and bits
        // beneath it.
        guard digits.count.isMultiple(of: 4), let data = Data(base64Encoded: digits),
            data.base64EncodedData() == digits
        else {
            throw LexicalError(
                expected: "base64",
                reason: "the text is not (its length or a character is wrong)"
            )
        }
        self = data
    }

    public var lexical: String { base64EncodedString() }
}

/// Values in their common spelling, read from bytes without a `String`. `nil` says only that the text is not
/// in that spelling; whether it is a value all the same, the type's own reader says.
enum PlainText {
    @inline(__always)
    private static func digit(_ byte: UInt8) -> Int? {
        let value = Int(byte) - 0x30
        return value >= 0 && value <= 9 ? value : nil
    }

    /// Up to 15 digits, perhaps behind a minus, and perhaps with a point in front of the last `fraction` of
    /// them.
    @inline(__always)
    static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> (
        isNegative: Bool, digits: Int, fraction: Int?
    )? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        var value = 0
        var count = 0
        var fraction: Int?
        guard bytes.count - start <= 16 else { return nil }
        for index in start..<bytes.count {
            if let digit = digit(bytes[index]) {
                value = value * 10 + digit
                count += 1
                fraction? += 1
            } else if bytes[index] == UInt8(ascii: "."), fraction == nil {
                fraction = 0
            } else {
                return nil
            }
        }
        return count > 0 && count <= 15 ? (isNegative, value, fraction) : nil
    }

    /// `YYYY-MM-DD` at the beginning. Dates are in nearly every document: the first eight bytes are read
    /// together, as one number.
    @inline(__always)
    static func day(_ bytes: UnsafeBufferPointer<UInt8>) -> (year: Int, month: Int, day: Int)? {
        guard bytes.count >= 10, let day = pair(bytes, 8) else { return nil }
        let text = UInt64(littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt64.self))
        // What is left of `0000-00-`, the first character in the lowest byte: digits are their values, dashes
        // are 0.
        let digits = text ^ 0x2D30_302D_3030_3030
        guard digits & 0xFFF0_F0FF_F0F0_F0F0 == 0,
            (digits &+ 0x0006_0600_0606_0606) & 0x00F0_F000_F0F0_F0F0 == 0
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
    static func time(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> (
        hour: Int, minute: Int, second: Int
    )? {
        guard bytes.count >= start + 8, bytes[start + 2] == UInt8(ascii: ":"),
            bytes[start + 5] == UInt8(ascii: ":"),
            let hour = pair(bytes, start), let minute = pair(bytes, start + 3),
            let second = pair(bytes, start + 6),
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
