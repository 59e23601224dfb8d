import Foundation

/// A unit of measure in the Unified Code for Units of Measure (UCUM), case-sensitive.
///
/// ```swift
/// let milligrams = try UCUMUnit("mg"), grams = try UCUMUnit("g")
/// try milligrams.convert(4000, to: grams)                            // 4, exactly
/// try UCUMUnit("[degF]").convert(98.6, to: UCUMUnit("Cel"))          // 37
/// try UCUMUnit("mg/dL").isCommensurable(with: UCUMUnit("mmol/L"))    // false: the substance decides
/// ```
/// Conversions are exact where the definitions of both units are rational and the result has at most 38
/// digits.
public struct UCUMUnit: Sendable, Hashable {
    /// The code as it was given.
    public let code: String
    let factor: UnitFactor
    let dimension: UnitDimension
    let scale: UnitScale

    /// Reads a code, such as `mg/dL`, `10*3/uL`, `mm[Hg]` or `{score}`.
    ///
    /// - Throws: ``UCUMError/malformed(code:reason:offset:)`` or
    ///   ``UCUMError/unknownUnit(code:name:offset:)``.
    public init(_ code: String) throws(UCUMError) {
        var parser = UnitParser(code)
        let term = try parser.unit()
        self.init(code: code, term: term)
    }

    init(code: String, term: UnitTerm) {
        self.code = code
        factor = term.factor
        dimension = term.dimension
        scale = term.scale
    }

    /// The unit of a number without one, `1`.
    public static let one = UCUMUnit(code: "1", term: UnitTerm())

    /// Whether both units measure the same dimension, so that values convert.
    public func isCommensurable(with other: UCUMUnit) -> Bool { dimension == other.dimension }

    /// Whether a conversion to the other unit is exact, except for rounding to 38 digits.
    public func convertsExactly(to other: UCUMUnit) -> Bool {
        scale.isRational && other.scale.isRational && (factor / other.factor).isExact
    }

    /// Converts a value of this unit to another unit.
    ///
    /// - Throws: ``UCUMError/incommensurable(_:_:)`` when they measure different things, and
    ///   ``UCUMError/outOfRange(_:)`` where the value has no counterpart or is too large for a `Decimal`.
    public func convert(_ value: Decimal, to other: UCUMUnit) throws(UCUMError) -> Decimal {
        guard isCommensurable(with: other) else { throw .incommensurable(code, other.code) }
        if scale == other.scale, scale.isRatio || factor == other.factor {
            return try (factor / other.factor).apply(to: value)
        }
        let base = try scale.toRatio(factor: factor, value: value)
        return try other.scale.fromRatio(factor: other.factor, value: base)
    }

    /// The value in the base units of the dimension, by which values of different units compare.
    ///
    /// - Throws: ``UCUMError/outOfRange(_:)`` as in ``convert(_:to:)``.
    public func baseValue(of value: Decimal) throws(UCUMError) -> Decimal {
        try scale.toRatio(factor: factor, value: value)
    }

    /// The unit of a product of values. Units on a scale of their own, such as `Cel`, count as their
    /// intervals.
    public func multiplied(by other: UCUMUnit) -> UCUMUnit {
        combined(
            other,
            "\(code).\(Self.grouped(other.code))",
            factor * other.factor,
            dimension * other.dimension
        )
    }

    /// The unit of a quotient of values. Equal units leave `1`.
    public func divided(by other: UCUMUnit) -> UCUMUnit {
        if code == other.code { return .one }
        let inverse = other.dimension.raised(to: -1)
        return combined(
            other,
            "\(code)/\(Self.grouped(other.code))",
            factor / other.factor,
            dimension * inverse
        )
    }

    private func combined(
        _ other: UCUMUnit,
        _ text: String,
        _ factor: UnitFactor,
        _ dimension: UnitDimension
    ) -> UCUMUnit {
        if other.code == "1" { return self }
        var term = UnitTerm()
        term.factor = factor
        term.dimension = dimension
        return UCUMUnit(code: text, term: term)
    }

    private static func grouped(_ code: String) -> String {
        code.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") } ? "(\(code))" : code
    }

    /// Whether they mean the same, however they are written: `L` and `l`, `mg/dL` and `mg.dL-1`, `[in_i]` and
    /// `2.54 cm`.
    public static func == (left: UCUMUnit, right: UCUMUnit) -> Bool {
        left.factor == right.factor && left.dimension == right.dimension && left.scale == right.scale
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(dimension)
        hasher.combine(scale)
    }
}
