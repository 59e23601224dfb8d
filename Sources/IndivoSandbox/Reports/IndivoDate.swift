import CivilCalendar

/// Dates as the server takes them: `2009-05-16`, `2009-05-16T12:00:00Z`, `2009-05-16T12:00:00.25Z`, and in no other zone.
enum IndivoDate {
    static func parseDateTime(_ text: String) -> Timestamp? {
        let bytes = Array(text.utf8)
        guard let day = parseDay(bytes.prefix(10)) else { return nil }
        let midnight = Int64(day) * 86_400_000_000
        if bytes.count == 10 { return Timestamp(rawValue: midnight) }
        guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T"), bytes.last == UInt8(ascii: "Z"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            hour < 24, minute < 60, second < 60
        else { return nil }
        var micros: Int64 = 0
        if bytes.count > 20 {
            let digits = bytes[20..<bytes.count - 1]
            guard bytes[19] == UInt8(ascii: "."), (1...6).contains(digits.count), let fraction = number(digits) else { return nil }
            micros = (0..<6 - digits.count).reduce(fraction) { value, _ in value * 10 }
        }
        return Timestamp(rawValue: midnight + (hour * 3600 + minute * 60 + second) * 1_000_000 + micros)
    }

    /// - Returns: The days since 1970-01-01; `nil` for what names no day that exists.
    private static func parseDay(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[0..<4]).map(Int.init), let month = number(bytes[5..<7]).map(Int.init),
            let day = number(bytes[8..<10]).map(Int.init), year > 0, (1...12).contains(month),
            (1...CivilCalendar.days(in: month, of: year)).contains(day)
        else { return nil }
        return CivilCalendar.days(fromCivil: year, month, day)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
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
