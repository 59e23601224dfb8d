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
        guard let time = CivilDateTime(text: text), time.kind != .time,
            time.kind == .date || time.precision >= .minute
        else { return nil }
        low = Int64(time.microseconds)
        var end = time
        switch time.precision {
        case .year: end.year += 1
        case .month:
            end.year += time.month / 12
            end.month = time.month % 12 + 1
        case .day: end.days += 1
        case .hour, .minute: end.minute += 1
        case .second:
            let digits = min(time.fractionDigits, 6)
            high = low + (0..<6 - digits).reduce(1) { length, _ in length * 10 }
            return
        }
        high = Int64(end.microseconds)
    }
}
