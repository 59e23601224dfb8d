import Foundation
import UCUM

extension SystemValue {
    /// Whether two values are equal (FHIRPath section 6.1.1). Nil where that is not known: dates of different
    /// precision, quantities of years and of days.
    static func equal(_ left: SystemValue, _ right: SystemValue) -> Bool? {
        switch (left, right) {
        case (.boolean(let a), .boolean(let b)): return a == b
        // By scalars: the standard compares strings by code points, Swift by canonical equivalence.
        case (.string(let a), .string(let b)): return a.utf8.elementsEqual(b.utf8)
        case (.temporal(let a), .temporal(let b)):
            switch a.compared(to: b) {
            case nil: return false
            case .uncertain: return nil
            case .equal: return true
            case .less, .greater: return false
            }
        case (.quantity(let a), .quantity(let b)): return PathQuantity.equal(a, b)
        case (.quantity(let a), _):
            return right.number.flatMap { PathQuantity.equal(a, PathQuantity(value: $0, unit: .ucum("1"))) }
                ?? false
        case (_, .quantity): return equal(right, left)
        default:
            guard let a = left.number, let b = right.number else { return false }
            return a.value == b.value
        }
    }

    /// Whether two values are equivalent (FHIRPath section 6.1.3): strings without case, with all white space
    /// alike, decimals to the digits of the less precise, dates of different precision never.
    static func equivalent(_ left: SystemValue, _ right: SystemValue) -> Bool {
        switch (left, right) {
        case (.string(let a), .string(let b)):
            return normalized(a).utf8.elementsEqual(normalized(b).utf8)
        case (.quantity(let a), .quantity(let b)): return PathQuantity.equivalent(a, b)
        case (.quantity(let a), _):
            return right.number.map { PathQuantity.equivalent(a, PathQuantity(value: $0, unit: .ucum("1"))) }
                ?? false
        case (_, .quantity): return equivalent(right, left)
        case (.temporal, .temporal), (.boolean, _), (_, .boolean): return equal(left, right) ?? false
        default:
            guard let a = left.number, let b = right.number else { return equal(left, right) ?? false }
            return PathDecimal.equivalent(a, b)
        }
    }

    private static func normalized(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.lowercased().unicodeScalars.map { $0.properties.isWhitespace ? " " : $0 }
            )
        )
    }

    /// How two values order (FHIRPath section 6.2): negative, zero or positive; nil where that is not known.
    ///
    /// - Throws: where the types have no order among each other.
    static func order(_ left: SystemValue, _ right: SystemValue) throws(OrderError) -> Int? {
        switch (left, right) {
        case (.string(let a), .string(let b)):
            if a.utf8.elementsEqual(b.utf8) { return 0 }
            return a.unicodeScalars.lexicographicallyPrecedes(b.unicodeScalars) ? -1 : 1
        case (.temporal(let a), .temporal(let b)):
            switch a.compared(to: b) {
            case nil: throw OrderError()
            case .uncertain: return nil
            case .equal: return 0
            case .less: return -1
            case .greater: return 1
            }
        case (.quantity(let a), .quantity(let b)): return PathQuantity.order(a, b)
        case (.quantity(let a), _):
            guard let number = right.number else { throw OrderError() }
            return PathQuantity.order(a, PathQuantity(value: number, unit: .ucum("1")))
        case (_, .quantity): return try order(right, left).map { -$0 }
        default:
            guard let a = left.number, let b = right.number else { throw OrderError() }
            return a.value == b.value ? 0 : a.value < b.value ? -1 : 1
        }
    }

    /// The types have no order among each other.
    struct OrderError: Error {}
}

extension PathDecimal {
    static func equivalent(_ a: PathDecimal, _ b: PathDecimal) -> Bool {
        let digits = min(a.precision, b.precision)
        return a.value.rounded(to: digits) == b.value.rounded(to: digits)
    }
}

extension PathDecimal {
    /// How much the last digit as written counts for, in the base units; nil where the value has none.
    fileprivate func lastDigit(in unit: UCUMUnit) -> Decimal? {
        let digit = Decimal(sign: .plus, exponent: -precision, significand: 1)
        // By difference, since the scales of temperatures begin elsewhere.
        guard let base = try? unit.baseValue(of: value), let next = try? unit.baseValue(of: value + digit)
        else { return nil }
        return next < base ? base - next : next - base
    }

    /// Whether another number of another unit is the same, rounded to the digits that this one has.
    fileprivate func isRounded(_ other: PathDecimal, _ unit: UCUMUnit, to own: UCUMUnit) -> Bool {
        guard let converted = try? unit.convert(other.value, to: own) else { return false }
        return converted.rounded(to: precision) == value.rounded(to: precision)
    }
}

extension PathQuantity {
    /// The values in one unit, if the units measure the same.
    private static func aligned(_ a: PathQuantity, _ b: PathQuantity) -> (Decimal, Decimal)? {
        if a.unit == b.unit { return (a.value.value, b.value.value) }
        if case (.calendar(let left), .calendar(let right)) = (a.unit, b.unit) {
            return alignedByCalendar(a, left, b, right)
        }
        guard let left = a.ucumUnit(calendarAsUCUM: false), let right = b.ucumUnit(calendarAsUCUM: false),
            let leftValue = try? left.convert(a.value.value, to: right)
        else { return nil }
        return (leftValue, b.value.value)
    }

    private static func alignedByCalendar(
        _ a: PathQuantity,
        _ left: CalendarUnit,
        _ b: PathQuantity,
        _ right: CalendarUnit
    ) -> (Decimal, Decimal)? {
        let (from, to) = left.factors(to: right)
        return (a.value.value * Decimal(from), b.value.value * Decimal(to))
    }

    static func equal(_ a: PathQuantity, _ b: PathQuantity) -> Bool? {
        guard let (left, right) = aligned(a, b) else {
            return mixesCalendar(a, b) ? nil : measuresTheSame(a, b) == false ? false : nil
        }
        return left == right
    }

    /// Whether two quantities are the same to the last digit of the less precise, whichever of the two is on
    /// the left.
    static func equivalent(_ a: PathQuantity, _ b: PathQuantity) -> Bool {
        if a.unit == b.unit { return PathDecimal.equivalent(a.value, b.value) }
        guard let left = a.ucumUnit(calendarAsUCUM: true), let right = b.ucumUnit(calendarAsUCUM: true),
            let leftStep = a.value.lastDigit(in: left), let rightStep = b.value.lastDigit(in: right)
        else { return false }
        // Of two that are as precise either may be rounded to; both are, so that their order does not count.
        return leftStep >= rightStep && a.value.isRounded(b.value, right, to: left)
            || rightStep >= leftStep && b.value.isRounded(a.value, left, to: right)
    }

    static func order(_ a: PathQuantity, _ b: PathQuantity) -> Int? {
        guard let (left, right) = aligned(a, b) else { return nil }
        return left == right ? 0 : left < right ? -1 : 1
    }

    /// Whether one is a calendar's year or month and the other measures time in another way.
    private static func mixesCalendar(_ a: PathQuantity, _ b: PathQuantity) -> Bool {
        guard a.ucumUnit(calendarAsUCUM: false) == nil || b.ucumUnit(calendarAsUCUM: false) == nil,
            let left = a.ucumUnit(calendarAsUCUM: true), let right = b.ucumUnit(calendarAsUCUM: true)
        else { return false }
        return left.isCommensurable(with: right)
    }

    /// Nil where one has no unit of UCUM.
    private static func measuresTheSame(_ a: PathQuantity, _ b: PathQuantity) -> Bool? {
        guard let left = a.ucumUnit(calendarAsUCUM: true), let right = b.ucumUnit(calendarAsUCUM: true) else {
            return nil
        }
        return left.isCommensurable(with: right)
    }
}
