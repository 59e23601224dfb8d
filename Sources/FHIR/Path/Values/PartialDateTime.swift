import CivilCalendar

/// A date, a date with a time, or a time, of the precision that it was written with (FHIRPath section 4.1, literals).
struct PartialDateTime: Sendable, Hashable {
    enum Kind: Sendable { case date, dateTime, time }

    /// How much of it is known. Seconds and their fractions are one precision.
    enum Precision: Int, Sendable, Comparable, CaseIterable {
        case year, month, day, hour, minute, second
        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    var kind: Kind
    var precision: Precision
    /// Zero, or one, where the precision ends before.
    var year = 1
    var month = 1
    var day = 1
    var hour = 0
    var minute = 0
    var second = 0
    /// Nanoseconds, and how many digits of the fraction were written.
    var nanosecond = 0
    var fractionDigits = 0
    /// Minutes east of Greenwich; nil without a zone.
    var offset: Int?

    /// Reads `2015`, `2015-02`, `2015-02-04`, `2015T`, `2015-02-04T14:34:28.123+10:00`, or `T14:34`.
    ///
    /// Nil for what is no date of the calendar, for an hour of 24, and for a time with a zone but without a date.
    init?(_ text: some StringProtocol) {
        self.init(utf8: Array(text.utf8))
    }

    init?(utf8 bytes: [UInt8]) {
        guard bytes.count <= 40 else { return nil }
        var scanner = Scanner(bytes: bytes)
        if scanner.take("T") {
            kind = .time
            precision = .hour
            guard scanWithTime(&scanner), offset == nil, scanner.isAtEnd else { return nil }
            return
        }
        kind = .date
        precision = .year
        guard let year = scanner.number(4) else { return nil }
        self.year = year
        if scanner.take("-") {
            guard let month = scanner.number(2), (1...12).contains(month) else { return nil }
            self.month = month
            precision = .month
            if scanner.take("-") {
                guard let day = scanner.number(2), (1...CivilCalendar.days(in: month, of: year)).contains(day) else {
                    return nil
                }
                self.day = day
                precision = .day
            }
        }
        if scanner.take("T") {
            kind = .dateTime
            if !scanner.isAtEnd {
                guard precision == .day, scanWithTime(&scanner) else { return nil }
            }
        }
        guard scanner.isAtEnd else { return nil }
    }

    init(kind: Kind, precision: Precision) {
        self.kind = kind
        self.precision = precision
    }

    private mutating func scanWithTime(_ scanner: inout Scanner) -> Bool {
        guard let hour = scanner.number(2), hour < 24 else { return false }
        self.hour = hour
        precision = .hour
        if scanner.take(":") {
            guard let minute = scanner.number(2), minute < 60 else { return false }
            self.minute = minute
            precision = .minute
            if scanner.take(":") {
                // A leap second is the 60th; FHIR allows it.
                guard let second = scanner.number(2), second <= 60 else { return false }
                self.second = second
                precision = .second
                if scanner.take(".") {
                    guard let (value, digits) = scanner.fraction() else { return false }
                    nanosecond = value
                    fractionDigits = digits
                }
            }
        }
        if scanner.take("Z") {
            offset = 0
        } else if let sign = scanner.sign() {
            guard let hours = scanner.number(2), hours <= 14, scanner.take(":"), let minutes = scanner.number(2),
                minutes < 60
            else { return false }
            offset = sign * (hours * 60 + minutes)
        }
        return true
    }

    /// The text in ISO 8601, without the `@` and the `T` of a literal.
    var description: String {
        var text = ""
        if kind != .time {
            text = Self.padded(year, 4)
            if precision >= .month { text += "-" + Self.padded(month, 2) }
            if precision >= .day { text += "-" + Self.padded(day, 2) }
            if kind == .date || precision < .hour { return text }
            text += "T"
        }
        text += Self.padded(hour, 2)
        if precision >= .minute { text += ":" + Self.padded(minute, 2) }
        if precision >= .second { text += ":" + Self.padded(second, 2) }
        if fractionDigits > 0 { text += "." + Self.padded(nanosecond, 9).prefix(fractionDigits) }
        if let offset {
            let minutes = abs(offset)
            text += offset == 0 ? "Z" : (offset < 0 ? "-" : "+") + Self.padded(minutes / 60, 2) + ":"
                + Self.padded(minutes % 60, 2)
        }
        return text
    }

    static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Reads digits from bytes.
    private struct Scanner {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func number(_ width: Int) -> Int? {
            guard position + width <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[position..<position + width] {
                guard Unicode.Scalar(byte).isDigit else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            position += width
            return value
        }

        mutating func sign() -> Int? {
            if take("+") { return 1 }
            return take("-") ? -1 : nil
        }

        /// Nanoseconds and the number of digits; digits beyond the ninth are not kept.
        mutating func fraction() -> (Int, Int)? {
            var value = 0
            var digits = 0
            while position < bytes.count, Unicode.Scalar(bytes[position]).isDigit {
                if digits < 9 {
                    value = value * 10 + Int(bytes[position] - UInt8(ascii: "0"))
                    digits += 1
                }
                position += 1
            }
            guard digits > 0 else { return nil }
            for _ in digits..<9 { value *= 10 }
            return (value, digits)
        }
    }
}
