import IndivoBase

/// A range of time, as a date of some precision means it: `2026` is the whole year.
struct TimeRange: Sendable, Hashable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    var low: Int64
    /// The first microsecond after the range.
    var high: Int64

    /// Before and after every date that FHIR can write.
    static let past = Int64.min / 4
    static let future = Int64.max / 4

    init(low: Int64, high: Int64) {
        self.low = low
        self.high = high
    }

    /// Reads a date or a date with a time, without seconds too, as searches write it. Without a zone it is
    /// UTC.
    init?(_ text: some StringProtocol) {
        var rest = Array(text.utf8.prefix(41))[...]
        guard rest.count <= 40 else { return nil }
        func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }
        func number(_ count: Int, _ range: ClosedRange<Int>) -> Int? {
            let digits = rest.prefix(count)
            guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            let value = digits.reduce(0) { $0 * 10 + Int($1 & 15) }
            guard range.contains(value) else { return nil }
            rest.removeFirst(count)
            return value
        }
        guard let year = number(4, 1...9999) else { return nil }
        func day(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
            Int64(CivilCalendar.days(fromCivil: year, month, day)) * 86_400_000_000
        }
        guard take("-") else {
            guard rest.isEmpty else { return nil }
            self.init(low: day(year, 1, 1), high: day(year + 1, 1, 1))
            return
        }
        guard let month = number(2, 1...12) else { return nil }
        guard take("-") else {
            guard rest.isEmpty else { return nil }
            self.init(
                low: day(year, month, 1),
                high: month == 12 ? day(year + 1, 1, 1) : day(year, month + 1, 1)
            )
            return
        }
        guard let dayOfMonth = number(2, 1...CivilCalendar.days(in: month, of: year)) else { return nil }
        let midnight = day(year, month, dayOfMonth)
        guard take("T") else {
            guard rest.isEmpty else { return nil }
            self.init(low: midnight, high: midnight + 86_400_000_000)
            return
        }
        guard let hour = number(2, 0...23), take(":"), let minute = number(2, 0...59) else { return nil }
        var low = midnight + Int64(hour * 60 + minute) * 60_000_000
        var length: Int64 = 60_000_000
        if take(":") {
            guard let second = number(2, 0...60) else { return nil }
            low += Int64(second) * 1_000_000
            length = 1_000_000
            if take(".") {
                var digits = 0
                while let byte = rest.first, (0x30...0x39).contains(byte) {
                    rest.removeFirst()
                    digits += 1
                    guard digits <= 6 else { continue }
                    length /= 10
                    low += Int64(byte & 15) * length
                }
                guard digits > 0 else { return nil }
            }
        }
        if !take("Z"), !rest.isEmpty {
            let isWest = take("-")
            guard isWest || take("+"), let hours = number(2, 0...14), take(":"),
                let minutes = number(2, 0...59)
            else {
                return nil
            }
            low += Int64((hours * 60 + minutes) * (isWest ? 1 : -1)) * 60_000_000
        }
        guard rest.isEmpty else { return nil }
        self.init(low: low, high: low + length)
    }
}
