/// Dates of the Gregorian calendar and times of a day, as numbers.
enum CivilTime {
    static func daysInMonth(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01. (Howard Hinnant, "chrono-compatible low-level date algorithms".)
    static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date that is so many days after 1970-01-01.
    static func date(days: Int) -> (year: Int, month: Int, day: Int) {
        let days = days + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9, day)
    }

    static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// Reads the parts of dates and times from the start of a text.
struct TimeScanner {
    private let text: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// What `read` makes of a whole text; `nil` when it leaves something.
    static func scan<Value>(_ text: String, _ read: (inout TimeScanner) -> Value?) -> Value? {
        var text = text
        return text.withUTF8 { bytes in
            var scanner = TimeScanner(text: bytes)
            guard let value = read(&scanner), scanner.isAtEnd else { return nil }
            return value
        }
    }

    private init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

    var isAtEnd: Bool { position == text.count }

    private var current: UInt8? { position < text.count ? text[position] : nil }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Exactly so many digits, as a number in a range.
    mutating func number(_ count: Int, _ range: ClosedRange<Int>) -> Int? {
        guard position + count <= text.count else { return nil }
        var value = 0
        for index in position..<position + count {
            guard case 0x30...0x39 = text[index] else { return nil }
            value = value * 10 + Int(text[index] & 15)
        }
        guard range.contains(value) else { return nil }
        position += count
        return value
    }

    /// The digits after a decimal point, `""` without one; `nil` for a point without digits.
    mutating func fraction() -> String? {
        guard take(".") else { return "" }
        let start = position
        while let byte = current, case 0x30...0x39 = byte { position += 1 }
        return position == start ? nil : String(decoding: text[start..<position], as: UTF8.self)
    }

    /// `Z` or an offset from UTC, in minutes.
    mutating func offset() -> Int? {
        if take("Z") { return 0 }
        let isNegative = take("-")
        guard isNegative || take("+"), let hours = number(2, 0...14), take(":"),
            let minutes = number(2, 0...(hours == 14 ? 0 : 59))
        else { return nil }
        return (isNegative ? -1 : 1) * (hours * 60 + minutes)
    }
}
