import IndivoBase

/// The calendar's durations (FHIRPath section 2.1, quantities), from the longest.
enum CalendarUnit: String, Sendable, CaseIterable {
    case year, month, week, day, hour, minute, second, millisecond

    /// The unit of a word of the calendar, singular or plural.
    init?(word: String) {
        self.init(rawValue: word.hasSuffix("s") ? String(word.dropLast()) : word)
    }

    /// The UCUM code of about the same duration; of years and months it is not the same.
    var ucumCode: String {
        switch self {
        case .year: "a"
        case .month: "mo"
        case .week: "wk"
        case .day: "d"
        case .hour: "h"
        case .minute: "min"
        case .second: "s"
        case .millisecond: "ms"
        }
    }
}

extension CalendarUnit {
    /// By what to multiply a number of this unit, and one of the other, so that they compare: a year is 12
    /// months, and beside shorter units 365 days; a month is 30 days.
    func factors(to other: CalendarUnit) -> (Int, Int) {
        func months(_ unit: CalendarUnit) -> Int? { unit == .year ? 12 : unit == .month ? 1 : nil }
        if let own = months(self), let others = months(other) { return (own, others) }
        return (milliseconds, other.milliseconds)
    }

    private var milliseconds: Int {
        switch self {
        case .year: 31_536_000_000
        case .month: 2_592_000_000
        case .week: 604_800_000
        case .day: 86_400_000
        case .hour: 3_600_000
        case .minute: 60_000
        case .second: 1000
        case .millisecond: 1
        }
    }
}

extension CivilDateTime {
    /// The date or time so much later (FHIRPath section 6.6.7). A duration finer than the precision counts by
    /// whole units of the precision: a year plus 24 months is two years later. Nil where the year leaves 1 to
    /// 9999.
    ///
    /// - Parameter amount: the whole number of units; of seconds and milliseconds, which may have fractions,
    ///   nanoseconds.
    func adding(_ amount: Int, _ unit: CalendarUnit) -> CivilDateTime? {
        guard amount.magnitude <= 1_000_000_000_000_000_000 else { return nil }
        if kind == .time {
            // A time knows no days: it begins anew at midnight.
            guard let nanoseconds = Self.nanoseconds(amount, unit) else { return nil }
            return addingToTime(nanoseconds)
        }
        switch unit {
        case .year: return adding(months: amount, 12)
        case .month:
            return precision < .month ? adding(months: amount / 12, 12) : adding(months: amount, 1)
        case .week: return precision < .day ? coarse(days: amount, 7) : adding(days: amount, 7)
        case .day: return precision < .day ? coarse(days: amount, 1) : adding(days: amount, 1)
        case .hour, .minute, .second, .millisecond:
            guard let nanoseconds = Self.nanoseconds(amount, unit) else { return nil }
            if precision < .hour {
                let days = nanoseconds / 86_400_000_000_000
                return precision < .day ? coarse(days: days, 1) : adding(days: days, 1)
            }
            return adding(nanoseconds: nanoseconds)
        }
    }

    private static func nanoseconds(_ amount: Int, _ unit: CalendarUnit) -> Int? {
        // Seconds and milliseconds come as nanoseconds already, since they may have fractions.
        let each =
            switch unit {
            case .hour: 3_600_000_000_000
            case .minute: 60_000_000_000
            case .second, .millisecond: 1
            case .year, .month, .week, .day: 0
            }
        let (product, overflow) = amount.multipliedReportingOverflow(by: each)
        return overflow || each == 0 ? nil : product
    }

    /// Days by a precision of months (30 days) or years (365 days).
    private func coarse(days amount: Int, _ each: Int) -> CivilDateTime? {
        let (days, overflow) = amount.multipliedReportingOverflow(by: each)
        guard !overflow else { return nil }
        return precision == .year ? adding(months: days / 365, 12) : adding(months: days / 30, 1)
    }

    private func adding(months amount: Int, _ each: Int) -> CivilDateTime? {
        guard abs(amount) <= 200_000 else { return nil }
        let result = adding(months: amount * each)
        return 1...9999 ~= result.year ? result : nil
    }

    private func adding(days amount: Int, _ each: Int) -> CivilDateTime? {
        guard abs(amount) <= 4_000_000 else { return nil }
        var result = self
        result.days += amount * each
        return (1...9999).contains(result.year) ? result : nil
    }

    private func adding(nanoseconds amount: Int) -> CivilDateTime? {
        var result = self
        let days = result.addToTimeOfDay(amount)
        return result.adding(days: days, 1)
    }

    private func addingToTime(_ amount: Int) -> CivilDateTime {
        var result = self
        _ = result.addToTimeOfDay(amount)
        return result
    }

    /// Adds to the time of day, by whole units of its precision, and returns the days that it went over.
    private mutating func addToTimeOfDay(_ amount: Int) -> Int {
        let step = precision == .hour ? 3_600_000_000_000 : precision == .minute ? 60_000_000_000 : 1
        let day = 86_400_000_000_000
        let whole = amount / step * step
        let time = ((hour * 60 + minute) * 60 + second) * 1_000_000_000 + nanosecond
        let days = (whole.flooredQuotient(by: day))
        let total = time + whole - days * day
        let rest = total % day
        hour = rest / 3_600_000_000_000
        minute = rest / 60_000_000_000 % 60
        second = rest / 1_000_000_000 % 60
        nanosecond = rest % 1_000_000_000
        let written = fractionDigits
        if precision == .second {
            trimFraction()
            fractionDigits = max(fractionDigits, written)
        }
        return days + total / day
    }
}
