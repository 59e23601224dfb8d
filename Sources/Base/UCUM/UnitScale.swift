import Foundation

/// How a unit's numbers follow from ratios: most are ratios themselves, some count from an offset or by
/// logarithms.
enum UnitScale: Sendable, Hashable {
    /// Twice the value is twice as much.
    case ratio
    /// Counted from a zero of its own: kelvin are `(value + numerator / denominator) × factor`.
    case offset(numerator: Int, denominator: Int)
    /// `value = multiplier × log(ratio) / log(base)`; a base of 0 is Euler's number. The factor belongs to
    /// the ratio.
    case logarithm(base: Int, multiplier: Int, prefix: UnitFactor)
    /// `value = 100 × tan(angle)`, of prisms and slopes.
    case tangent

    var isRatio: Bool { self == .ratio }

    var isRational: Bool {
        switch self {
        case .ratio, .offset: true
        case .logarithm, .tangent: false
        }
    }

    /// The value in base units.
    func toRatio(factor: UnitFactor, value: Decimal) throws(UCUMError) -> Decimal {
        switch self {
        case .ratio: return try factor.apply(to: value)
        case .offset(let numerator, let denominator):
            return try factor.apply(to: value + Decimal(numerator) / Decimal(denominator))
        case .logarithm(let base, let multiplier, let prefix):
            let exponent = value.double * prefix.doubleValue / Double(multiplier)
            return try .checked(Self.power(base, exponent) * factor.doubleValue)
        case .tangent: return try .checked(atan(value.double / 100) * factor.doubleValue)
        }
    }

    /// The value in this scale of a value in base units.
    func fromRatio(factor: UnitFactor, value: Decimal) throws(UCUMError) -> Decimal {
        switch self {
        case .ratio: return try factor.inverse.apply(to: value)
        case .offset(let numerator, let denominator):
            return try factor.inverse.apply(to: value) - Decimal(numerator) / Decimal(denominator)
        case .logarithm(let base, let multiplier, let prefix):
            let ratio = value.double / factor.doubleValue
            guard ratio > 0 else { throw .outOfRange("Only a positive value has a logarithm.") }
            let exponent = base == 0 ? log(ratio) : base == 2 ? log2(ratio) : log10(ratio)
            return try .checked(exponent * Double(multiplier) / prefix.doubleValue)
        case .tangent: return try .checked(tan(value.double / factor.doubleValue) * 100)
        }
    }

    private static func power(_ base: Int, _ exponent: Double) -> Double {
        base == 0 ? exp(exponent) : pow(Double(base), exponent)
    }
}

extension UnitFactor {
    /// The product with a value.
    func apply(to value: Decimal) throws(UCUMError) -> Decimal {
        var result: Decimal
        if isExact, let tens = Int16(exactly: tens) {
            result = value * Decimal(numerator)
            if denominator != 1 { result /= Decimal(denominator) }
            var shifted = Decimal()
            let outcome = withUnsafeMutablePointer(to: &shifted) { target in
                withUnsafePointer(to: result) { NSDecimalMultiplyByPowerOf10(target, $0, tens, .plain) }
            }
            guard outcome == .noError || outcome == .lossOfPrecision else { throw .tooLarge }
            result = shifted
        } else {
            result = try .checked(value.double * doubleValue)
        }
        guard !result.isNaN else { throw .tooLarge }
        return result
    }
}

extension UCUMError {
    fileprivate static var tooLarge: UCUMError {
        .outOfRange("The converted value is too large or too small.")
    }
}

extension Decimal {
    fileprivate init(_ integer: Int128) {
        self = Decimal(string: String(integer)) ?? .nan
    }

    fileprivate var double: Double { NSDecimalNumber(decimal: self).doubleValue }

    /// A computed number, with the 15 digits that a floating-point number is sure of.
    fileprivate static func checked(_ value: Double) throws(UCUMError) -> Decimal {
        guard value.isFinite, let decimal = Decimal(string: String(format: "%.15g", value)) else {
            throw UCUMError.tooLarge
        }
        return decimal
    }
}
