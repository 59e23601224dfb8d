import IndivoBase

/// Dates as the server takes them: `2009-05-16`, `2009-05-16T12:00:00Z`, `2009-05-16T12:00:00.25Z`, and in no
/// other zone.
enum IndivoDate {
    /// As `strptime` of the real server's language reads them: a month, a day, an hour, a minute or a second
    /// may be one digit, a day may have a blank before it, and `T` and `Z` may be small.
    static func parseDateTime(_ text: String) -> Timestamp? {
        var bytes = Array(text.utf8)[...]
        guard let day = day(&bytes) else { return nil }
        let midnight = Int64(day) * 86_400_000_000
        if bytes.isEmpty { return Timestamp(rawValue: midnight) }
        guard take("T", &bytes), let hour = number(2, &bytes), take(":", &bytes),
            let minute = number(2, &bytes),
            take(":", &bytes), let second = number(2, &bytes), hour < 24, minute < 60, second < 60
        else { return nil }
        var micros: Int64 = 0
        if take(".", &bytes) {
            let count = bytes.count
            guard let fraction = number(6, &bytes) else { return nil }
            micros = (0..<6 - (count - bytes.count)).reduce(fraction) { value, _ in value * 10 }
        }
        guard take("Z", &bytes), bytes.isEmpty else { return nil }
        return Timestamp(rawValue: midnight + (hour * 3600 + minute * 60 + second) * 1_000_000 + micros)
    }

    /// - Returns: The days since 1970-01-01; `nil` for what names no day that exists.
    private static func day(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        let length = bytes.count
        guard let year = number(4, &bytes), length - bytes.count == 4, take("-", &bytes),
            let month = number(2, &bytes),
            take("-", &bytes), let day = take(" ", &bytes) ? number(1, &bytes) : number(2, &bytes), year > 0,
            (1...12).contains(month),
            (1...CivilCalendar.days(in: Int(month), of: Int(year))).contains(Int(day))
        else { return nil }
        return CivilCalendar.days(fromCivil: Int(year), Int(month), Int(day))
    }

    /// Takes a character, small or capital.
    private static func take(_ character: Unicode.Scalar, _ bytes: inout ArraySlice<UInt8>) -> Bool {
        let wanted = UInt8(ascii: character)
        let isLetter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(wanted)
        guard let first = bytes.first, first == wanted || isLetter && first == wanted + 32 else {
            return false
        }
        bytes.removeFirst()
        return true
    }

    /// Takes a number of so many digits at most.
    private static func number(_ maximum: Int, _ bytes: inout ArraySlice<UInt8>) -> Int64? {
        let digits = bytes.prefix(maximum).prefix { $0.isASCIIDigit }
        guard !digits.isEmpty else { return nil }
        bytes.removeFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
}

extension Timestamp {
    /// A form whose texts sort as the instants do: always six digits of fraction. Facts are stored so.
    var sortableText: String {
        let text = self.text
        return text.contains(".") ? text : text.dropLast() + ".000000Z"
    }
}
