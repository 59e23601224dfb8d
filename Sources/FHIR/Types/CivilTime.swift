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
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Exactly so many digits, as a number in a range.
    mutating func number(_ count: Int, _ range: ClosedRange<Int>) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let value = digits.reduce(0) { $0 * 10 + Int($1 & 15) }
        guard range.contains(value) else { return nil }
        rest.removeFirst(count)
        return value
    }

    /// The digits after a decimal point, `""` without one; `nil` for a point without digits.
    mutating func fraction() -> String? {
        guard take(".") else { return "" }
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest.removeFirst(digits.count)
        return digits.isEmpty ? nil : String(Substring(digits))
    }

    /// `Z` or an offset from UTC, in minutes.
    mutating func offset() -> Int? {
        if take("Z") { return 0 }
        let isNegative = rest.first == UInt8(ascii: "-")
        guard isNegative || rest.first == UInt8(ascii: "+") else { return nil }
        rest.removeFirst()
        guard let hours = number(2, 0...14), take(":"), let minutes = number(2, 0...(hours == 14 ? 0 : 59)) else { return nil }
        return (isNegative ? -1 : 1) * (hours * 60 + minutes)
    }
}
