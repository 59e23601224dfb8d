/// Reads dates and times in ISO 8601's forms from bytes of UTF-8, and checks every range.
package struct CivilTimeScanner {
    /// How formats that take ISO 8601 differ.
    package enum Rules: Sendable {
        /// Hours and minutes may do, and a minute may have a leap second (FHIR, FHIRPath).
        case iso8601
        /// All parts, no leap second, and 24:00:00 for the next midnight (XML Schema part 2, section 3.2.7).
        case xmlSchema
    }

    /// Minutes east of Greenwich.
    package static let offsets = -14 * 60...14 * 60

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// - Parameter bytes: Must outlive the scanner.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    package var isAtEnd: Bool { position == bytes.count }

    /// What is left.
    package var rest: String { String(decoding: bytes[position...], as: UTF8.self) }

    /// Whether the next character is this one; if so it is passed.
    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    package mutating func need(_ character: Unicode.Scalar, _ name: StaticString) throws(CivilTimeError) {
        guard take(character) else { throw .missing(name) }
    }

    private mutating func digit() -> Int? {
        guard position < bytes.count, case let digit = bytes[position] &- 0x30, digit < 10 else { return nil }
        position += 1
        return Int(digit)
    }

    /// Two digits.
    private mutating func pair(_ part: CivilTimeError.Part, _ range: ClosedRange<Int>) throws(CivilTimeError)
        -> Int
    {
        guard let tens = digit(), let ones = digit() else { throw .incomplete(part) }
        let value = tens * 10 + ones
        guard range.contains(value) else { throw .outOfRange(part, value) }
        return value
    }

    // MARK: Dates

    /// A year, a month or a day, or, unless it may be partial, a day.
    package mutating func date(isPartial: Bool = false) throws(CivilTimeError) -> CivilDateTime {
        var date = CivilDateTime(kind: .date, precision: .year)
        date.year = try year()
        // What follows a year may be a negative offset, such as `-05:00`.
        let isOffset = position + 3 < bytes.count && bytes[position + 3] == UInt8(ascii: ":")
        guard !isOffset, take("-") else {
            return try end(date, isPartial, "the - after the year")
        }
        date.month = try month()
        date.precision = .month
        guard take("-") else { return try end(date, isPartial, "the - after the month") }
        date.day = try day(of: date.month, in: date.year)
        date.precision = .day
        return date
    }

    private func end(_ date: CivilDateTime, _ isPartial: Bool, _ missing: StaticString)
        throws(CivilTimeError) -> CivilDateTime
    {
        guard isPartial else { throw .missing(missing) }
        return date
    }

    /// Four digits or more, never 0000; behind a minus it is before Christ.
    private mutating func year() throws(CivilTimeError) -> Int {
        let isNegative = take("-")
        let start = position
        var year = 0
        while let digit = digit() {
            guard position - start <= 9 else { throw .refused("the year is out of range") }
            year = year * 10 + digit
        }
        guard position - start >= 4 else { throw .refused("a year has four digits") }
        guard year > 0 else { throw .outOfRange(.year, 0) }
        guard position - start == 4 || bytes[start] != UInt8(ascii: "0") else {
            throw .refused("a year longer than four digits has no leading zero")
        }
        return isNegative ? 1 - year : year
    }

    package mutating func month() throws(CivilTimeError) -> Int { try pair(.month, 1...12) }

    /// A day of a month, of any year where none is given, or of any month.
    package mutating func day(of month: Int? = nil, in year: Int? = nil) throws(CivilTimeError) -> Int {
        let day = try pair(.day, 1...31)
        if let month, day > 28, day > CivilCalendar.days(in: month, of: year ?? 2000) {
            throw .noSuchDay(day, month: month, year: year)
        }
        return day
    }

    // MARK: Times

    /// The time of day, and of a date with a time the day after for 24:00:00.
    package mutating func time(of value: inout CivilDateTime, _ rules: Rules) throws(CivilTimeError) {
        let isXML = rules == .xmlSchema
        value.hour = try pair(.hour, 0...(isXML ? 24 : 23))
        value.precision = .hour
        guard take(":") else {
            if isXML { throw .missing("the : after the hour") }
            return
        }
        value.minute = try pair(.minute, 0...59)
        value.precision = .minute
        guard take(":") else {
            if isXML { throw .missing("the : after the minute") }
            return
        }
        value.second = try pair(.second, 0...(isXML ? 59 : 60))
        value.precision = .second
        let hasFraction = try fraction(of: &value)
        guard value.hour == 24 else { return }
        guard value.minute == 0, value.second == 0, !hasFraction else {
            throw .refused("hour 24 is only midnight, 24:00:00")
        }
        value.hour = 0
        if value.kind != .time { value.days += 1 }
    }

    /// - Returns: Whether a digit of the fraction is not 0, also of those that are not kept.
    private mutating func fraction(of value: inout CivilDateTime) throws(CivilTimeError) -> Bool {
        guard take(".") else { return false }
        let start = position
        var unit = 100_000_000
        var isZero = true
        while let digit = digit() {
            value.nanosecond += digit * unit
            unit /= 10
            if digit != 0 { isZero = false }
        }
        guard position > start else { throw .refused("there is no digit after the point") }
        value.fractionDigits = min(position - start, 9)
        return !isZero
    }

    /// `Z` or `±hh:mm`, in minutes east of Greenwich; nil where neither follows.
    package mutating func offset() throws(CivilTimeError) -> Int? {
        if take("Z") { return 0 }
        let isNegative = take("-")
        guard isNegative || take("+") else { return nil }
        let hours = try pair(.offsetHour, 0...14)
        try need(":", "the : in the offset")
        let minutes = hours * 60 + (try pair(.offsetMinute, 0...59))
        guard Self.offsets.contains(minutes) else { throw .refused("an offset is at most 14:00") }
        return isNegative ? -minutes : minutes
    }
}

/// Why a text is not a date or time.
package enum CivilTimeError: Error {
    /// The raw value is a name for messages.
    package enum Part: String, Sendable {
        case year, month, day, hour, minute, second
        case offsetHour = "hour of the offset"
        case offsetMinute = "minute of the offset"
    }

    case missing(StaticString)
    case incomplete(Part)
    case outOfRange(Part, Int)
    /// The year is nil for a day of any year.
    case noSuchDay(Int, month: Int, year: Int?)
    case refused(StaticString)

    /// For people, as it continues “in “…””.
    package var reason: String {
        switch self {
        case .missing(let name): "\(name) is missing"
        case .incomplete(let part): "the \(part.rawValue) needs two digits"
        case .outOfRange(.year, _): "there is no year 0000"
        case .outOfRange(let part, let value): "the \(part.rawValue) \(value) is out of range"
        case .noSuchDay(let day, let month, let year):
            "month \(month)\(year.map { " of \($0 > 0 ? $0 : $0 - 1)" } ?? "") has no day \(day)"
        case .refused(let reason): "\(reason)"
        }
    }

    /// The part of a date that does not exist; nil for what is not written as a date.
    package var nonexistentPart: Part? {
        switch self {
        case .outOfRange(.year, _): .year
        case .outOfRange(.month, _): .month
        case .outOfRange(.day, _): .day
        case .noSuchDay: .day
        default: nil
        }
    }
}
