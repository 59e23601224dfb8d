import IndivoBase

/// A date, a date with a time, or a time, of the precision that it was written with (FHIRPath section 4.1,
/// literals).
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
    /// Nil for what is no date of the calendar, for an hour of 24, and for a time with a zone but without a
    /// date.
    init?(_ text: some StringProtocol) {
        self.init(utf8: Array(text.utf8))
    }

    init?(utf8 bytes: [UInt8]) {
        guard bytes.count <= 40 else { return nil }
        let date = bytes.withUnsafeBufferPointer { bytes -> PartialDateTime? in
            var scanner = TimeScanner(text: bytes)
            guard let date = PartialDateTime(&scanner), scanner.isAtEnd else { return nil }
            return date
        }
        guard let date else { return nil }
        self = date
    }

    private init?(_ scanner: inout TimeScanner) {
        if scanner.take("T") {
            kind = .time
            precision = .hour
            guard scanWithTime(&scanner), offset == nil else { return nil }
            return
        }
        kind = .date
        precision = .year
        guard let year = scanner.number(4, 0...9999) else { return nil }
        self.year = year
        if scanner.take("-") {
            guard let month = scanner.number(2, 1...12) else { return nil }
            self.month = month
            precision = .month
            if scanner.take("-") {
                guard let day = scanner.number(2, 1...CivilCalendar.days(in: month, of: year)) else {
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
    }

    init(kind: Kind, precision: Precision) {
        self.kind = kind
        self.precision = precision
    }

    private mutating func scanWithTime(_ scanner: inout TimeScanner) -> Bool {
        guard let hour = scanner.number(2, 0...23) else { return false }
        self.hour = hour
        precision = .hour
        if scanner.take(":") {
            guard let minute = scanner.number(2, 0...59) else { return false }
            self.minute = minute
            precision = .minute
            if scanner.take(":") {
                // A leap second is the 60th; FHIR allows it.
                guard let second = scanner.number(2, 0...60), let fraction = scanner.fraction() else {
                    return false
                }
                self.second = second
                precision = .second
                // Digits beyond the ninth are not kept.
                let digits = fraction.prefix(9)
                fractionDigits = digits.count
                nanosecond = Int(digits + String(repeating: "0", count: 9 - digits.count)) ?? 0
            }
        }
        guard !scanner.isAtEnd else { return true }
        offset = scanner.offset()
        return offset != nil
    }

    /// The text in ISO 8601, without the `@` and the `T` of a literal.
    var description: String {
        var text = ""
        if kind != .time {
            text = CivilTime.padded(year, 4)
            if precision >= .month { text += "-" + CivilTime.padded(month, 2) }
            if precision >= .day { text += "-" + CivilTime.padded(day, 2) }
            if kind == .date || precision < .hour { return text }
            text += "T"
        }
        text += CivilTime.padded(hour, 2)
        if precision >= .minute { text += ":" + CivilTime.padded(minute, 2) }
        if precision >= .second { text += ":" + CivilTime.padded(second, 2) }
        if fractionDigits > 0 { text += "." + CivilTime.padded(nanosecond, 9).prefix(fractionDigits) }
        if let offset {
            let minutes = abs(offset)
            text +=
                offset == 0
                ? "Z"
                : (offset < 0 ? "-" : "+") + CivilTime.padded(minutes / 60, 2) + ":"
                    + CivilTime.padded(minutes % 60, 2)
        }
        return text
    }
}
