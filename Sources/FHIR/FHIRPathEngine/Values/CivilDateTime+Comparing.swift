import IndivoBase

extension CivilDateTime {
    /// What comparing two of different precision comes to: as far as both are known they may be equal.
    enum Comparison: Sendable {
        case less, equal, greater
        /// Equal as far as both are known, and one is known further.
        case uncertain
    }

    /// Compares part by part (FHIRPath section 6.2). Nil for a time with a date.
    ///
    /// Of two date times one with a zone and one without are only comparable where no zone would change the
    /// result.
    func compared(to other: CivilDateTime) -> Comparison? {
        guard (kind == .time) == (other.kind == .time) else { return nil }
        guard hasTime, other.hasTime, (offset == nil) != (other.offset == nil) else {
            return compared(to: other, zone: 0)
        }
        let earliest = compared(to: other, zone: 14 * 60)
        return earliest == compared(to: other, zone: -12 * 60) ? earliest : .uncertain
    }

    private var hasTime: Bool { kind == .dateTime && precision >= .hour }

    /// - Parameter zone: minutes east of Greenwich of those that have a time but no zone.
    private func compared(to other: CivilDateTime, zone: Int) -> Comparison {
        // A day has no zone.
        let left = hasTime ? inUTC(from: zone) : self
        let right = other.hasTime ? other.inUTC(from: zone) : other
        let common = min(left.precision, right.precision)
        for part in Precision.allCases where part <= common && (kind != .time || part >= .hour) {
            let a = left.part(part)
            let b = right.part(part)
            if a != b { return a < b ? .less : .greater }
        }
        return left.precision == right.precision ? .equal : .uncertain
    }

    private func part(_ precision: Precision) -> Int {
        switch precision {
        case .year: year
        case .month: month
        case .day: day
        case .hour: hour
        case .minute: minute
        case .second: second * 1_000_000_000 + nanosecond
        }
    }
}
