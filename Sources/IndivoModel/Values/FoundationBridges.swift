import Foundation

// Between these values and Foundation's: `Date`, `DateComponents` and `Calendar`.

extension DateComponents {
    /// - Parameter year: As XML Schema counts it: there is no year 0, and the one before 1 is -1.
    init(xmlYear year: Int?, month: Int?, day: Int?, offset: Int?) {
        self.init(
            calendar: Calendar(identifier: .gregorian), timeZone: offset.flatMap { TimeZone(secondsFromGMT: $0 * 60) },
            era: year.map { $0 > 0 ? 1 : 0 }, year: year.map(abs), month: month, day: day)
    }

    /// Minutes east of UTC; `nil` where the components name no zone.
    fileprivate var offset: Int? { timeZone.map { zone in zone.secondsFromGMT(for: date ?? Date(timeIntervalSince1970: 0)) / 60 } }

    fileprivate var xmlYear: Int? { year.map { era == 0 ? -$0 : $0 } }
}

extension XMLDate {
    /// The day that components name; `nil` when year, month or day is missing or there is no such day.
    /// - Parameter components: Of the Gregorian calendar. A time zone becomes the offset.
    public init?(_ components: DateComponents) {
        guard let year = components.xmlYear, let month = components.month, let day = components.day else { return nil }
        self.init(year: year, month: month, day: day, offset: components.offset)
    }

    /// The instant at which the day begins.
    /// - Parameter timeZone: Where, for a day that names no zone of its own.
    public func date(in timeZone: TimeZone = .current) -> Date {
        let midnight = XMLDateTime(midnightOf: self).date
        if offset != nil { return midnight }
        // The zone's offset at that midnight; asked twice, because the first answer is for UTC's midnight.
        let guess = midnight.addingTimeInterval(-TimeInterval(timeZone.secondsFromGMT(for: midnight)))
        return midnight.addingTimeInterval(-TimeInterval(timeZone.secondsFromGMT(for: guess)))
    }
}

extension XMLDateTime {
    /// The instant that components name; `nil` when year, month or day is missing or there is no such time.
    /// - Parameter components: Of the Gregorian calendar; missing parts of the time are 0. A time zone becomes the offset.
    public init?(_ components: DateComponents) {
        guard let year = components.xmlYear, let month = components.month, let day = components.day else { return nil }
        self.init(
            year: year, month: month, day: day, hour: components.hour ?? 0, minute: components.minute ?? 0,
            second: components.second ?? 0, nanosecond: components.nanosecond ?? 0, offset: components.offset)
    }
}

extension XMLTime {
    /// The time of day that components name; `nil` when the hour is missing or there is no such time.
    public init?(_ components: DateComponents) {
        guard let hour = components.hour else { return nil }
        self.init(
            hour: hour, minute: components.minute ?? 0, second: components.second ?? 0,
            nanosecond: components.nanosecond ?? 0, offset: components.offset)
    }

    /// The time's parts, for `Calendar`.
    public var dateComponents: DateComponents {
        DateComponents(
            timeZone: offset.flatMap { TimeZone(secondsFromGMT: $0 * 60) }, hour: hour, minute: minute, second: second,
            nanosecond: nanosecond)
    }
}

extension XMLPartialDate {
    /// The parts of a date that components have; `nil` when XML Schema has no such part of a date.
    public init?(_ components: DateComponents) {
        self.init(year: components.xmlYear, month: components.month, day: components.day, offset: components.offset)
    }

    /// The parts, for `Calendar`.
    public var dateComponents: DateComponents { DateComponents(xmlYear: year, month: month, day: day, offset: offset) }
}

extension XMLDuration {
    /// The span as months, seconds and nanoseconds, to be added to a date by `Calendar`.
    public var dateComponents: DateComponents {
        let whole = seconds.rounded(.towardZero)
        return DateComponents(month: months, second: Int(whole), nanosecond: Int(((seconds - whole) * 1e9).rounded()))
    }
}
