import Foundation
import IndivoBase

/// The least and the greatest value that a value of its precision can stand for (FHIRPath section 5.6).
extension SystemValue {
    enum Boundary { case low, high }

    /// - Parameter precision: digits after the point for numbers, digits altogether for dates and times; nil
    ///   for the greatest of the type.
    /// - Returns: nil where the type does not have the precision.
    func boundary(_ boundary: Boundary, precision: Int?) -> SystemValue? {
        switch self {
        case .integer, .long, .decimal:
            return number?.boundary(boundary, precision: precision).map { .decimal($0) }
        case .quantity(let quantity):
            return quantity.value.boundary(boundary, precision: precision).map {
                .quantity(PathQuantity(value: $0, unit: quantity.unit))
            }
        case .temporal(let value): return value.boundary(boundary, digits: precision).map { .temporal($0) }
        case .boolean, .string: return nil
        }
    }

    /// How many digits the value has: after the point for numbers, altogether for dates and times.
    var precision: Int? {
        switch self {
        case .integer, .long: 0
        case .decimal(let value): value.scale
        case .quantity(let quantity): quantity.value.scale
        case .temporal(let value): value.digits
        case .boolean, .string: nil
        }
    }
}

extension PathDecimal {
    func boundary(_ boundary: SystemValue.Boundary, precision: Int?) -> PathDecimal? {
        let digits = precision ?? 8
        guard (0...28).contains(digits), scale < 38 else { return nil }
        let half = Decimal(sign: .plus, exponent: -scale - 1, significand: 5)
        // Away from zero is the far end of what was rounded to this number.
        let isAway = (boundary == .high) == (value >= 0)
        let magnitude = abs(value)
        if magnitude == 0 {
            let end = half.rounded(to: digits, .down)
            return PathDecimal(boundary == .high ? end : -end, scale: digits)
        }
        let end = (isAway ? magnitude + half : magnitude - half).rounded(to: digits, isAway ? .plain : .down)
        return PathDecimal(value < 0 ? -end : end, scale: digits)
    }
}

extension CivilDateTime {
    /// Digits of each precision, of a date and time: the fraction has three.
    private static let digitsOfPrecision = [4, 6, 8, 10, 12, 14, 17]

    /// Digits of the date, the time and the fraction, without punctuation and zone.
    var digits: Int {
        let all = precision == .second && fractionDigits > 0 ? 17 : Self.digitsOfPrecision[precision.rawValue]
        return kind == .time ? all - 8 : all
    }

    func boundary(_ boundary: SystemValue.Boundary, digits: Int?) -> CivilDateTime? {
        let isTime = kind == .time
        let wanted = (digits ?? (kind == .date ? 8 : isTime ? 9 : 17)) + (isTime ? 8 : 0)
        guard let level = Self.digitsOfPrecision.firstIndex(of: wanted), !isTime || level >= 3 else {
            return nil
        }
        var result = self
        let isHigh = boundary == .high
        if precision < .month { result.month = isHigh ? 12 : 1 }
        if precision < .day, !isTime {
            result.day = isHigh ? CivilCalendar.days(in: result.month, of: result.year) : 1
        }
        if precision < .hour { result.hour = isHigh ? 23 : 0 }
        if precision < .minute { result.minute = isHigh ? 59 : 0 }
        if precision < .second { result.second = isHigh ? 59 : 0 }
        if precision < .second || fractionDigits == 0 { result.nanosecond = isHigh ? 999_000_000 : 0 }
        result.precision = Precision(rawValue: min(level, 5)) ?? .second
        result.fractionDigits = level == 6 ? 3 : 0
        guard level >= 3 else {
            // What ends before the time is a date.
            result.kind = .date
            result.offset = nil
            return result
        }
        if !isTime {
            result.kind = .dateTime
            // The zone that lets the local time come first, or last.
            if offset == nil { result.offset = isHigh ? -12 * 60 : 14 * 60 }
        }
        return result
    }
}
