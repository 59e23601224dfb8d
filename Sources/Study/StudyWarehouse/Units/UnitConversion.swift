import FHIR
import Foundation
import HealthSamples
import UCUM

/// Units of facts: UCUM codes, texts that are not UCUM codes, and the empty text for a number without a unit.
enum UnitConversion {
    /// The most characters of a unit in a row.
    private static let maximumLength = 50

    /// The unit of a quantity as a fact has it. A text without a code is read as HealthKit writes units, and
    /// then as UCUM does: there a `pt` is a pint.
    static func unit(of quantity: Quantity) -> String? {
        let isUCUM = quantity.system == nil || quantity.system == .ucum
        if isUCUM, let code = quantity.code, !code.isEmpty, fits(code), ucum(code) != nil { return code }
        let texts = [quantity.unit, quantity.code].compactMap { $0 }.filter { !$0.isEmpty }
        for text in texts where text.utf8.count <= 2 * maximumLength {
            // HealthKit's percent is a fraction of 1; the number beside the text is not.
            if !text.contains("%"), let unit = try? SampleUnit.healthKit(text).ucum, fits(unit.code) {
                return unit.code
            }
            if fits(text), ucum(text) != nil { return text }
        }
        return texts.first.map { String($0.unicodeScalars.prefix(maximumLength)) }
    }

    private static func fits(_ code: String) -> Bool { code.unicodeScalars.count <= maximumLength }

    /// A code as UCUM has it; `nil` for another text.
    static func ucum(_ code: String) -> UCUMUnit? {
        guard code.utf8.count <= 2 * maximumLength else { return nil }
        return try? SampleUnit.ucum(code).ucum
    }

    /// A value in another unit, with its digits where both mean the same; `nil` where they measure different
    /// things.
    ///
    /// A number without a unit counts as one in `1` or `{score}`, not in `%`. A mole fraction is not
    /// converted to `%`: hemoglobin A1c is given in both, and a linear function relates these scales, not a
    /// factor.
    ///
    /// - Parameter molarMass: In g/mol, of what is measured.
    static func convert(
        _ value: FHIRDecimal,
        from source: String,
        to target: String,
        molarMass: Decimal? = nil
    ) -> FHIRDecimal? {
        guard source != target else { return value }
        let units: Set = [source, target]
        if units.contains("%"), units.contains(where: { $0.contains("mol") }) { return nil }
        guard let from = source.isEmpty ? .one : ucum(source), let to = target.isEmpty ? .one : ucum(target)
        else { return nil }
        if from == to { return value }
        guard !source.isEmpty, !target.isEmpty else { return nil }
        if from.isCommensurable(with: to) {
            return try? SampleQuantity(value: value, unit: .ucum(source)).value(in: to)
        }
        guard let molarMass, let decimal = value.decimal, let gramsPerMole = ucum("g/mol") else { return nil }
        let mass = from.multiplied(by: gramsPerMole)
        if mass.isCommensurable(with: to) { return try? rounded(mass.convert(decimal * molarMass, to: to)) }
        let amount = from.divided(by: gramsPerMole)
        guard amount.isCommensurable(with: to) else { return nil }
        return try? rounded(amount.convert(decimal / molarMass, to: to))
    }

    /// To more digits than a molar mass has.
    private static func rounded(_ value: Decimal) -> FHIRDecimal {
        var value = value
        var result = Decimal()
        NSDecimalRound(&result, &value, 10, .plain)
        return FHIRDecimal(result)
    }

    /// Units in which people give what is measured in a unit, with the factor to it: those that i2b2 converts
    /// by.
    static func factors(to target: String, molarMass: Decimal?) -> [(unit: String, factor: String)] {
        common.compactMap { unit in
            guard unit != target, let from = ucum(unit), let to = ucum(target), from != to,
                // A scale with another zero has no factor.
                convert(0, from: unit, to: target, molarMass: molarMass)?.decimal == 0,
                let factor = convert(1, from: unit, to: target, molarMass: molarMass)
            else { return nil }
            return (unit, factor.description)
        }
    }

    private static let common = [
        "kg", "g", "mg", "ug", "[lb_av]", "[oz_av]", "[stone_av]", "m", "cm", "mm", "km", "[in_i]", "[ft_i]",
        "[mi_i]", "s", "min", "h", "d", "ms", "/min", "/s", "/h", "mm[Hg]", "kPa", "kcal", "kJ", "J", "L",
        "mL",
        "dL", "[foz_us]", "m/s", "km/h", "[mi_i]/h", "mg/dL", "g/dL", "g/L", "mg/L", "ug/mL", "mmol/L",
        "umol/L", "mol/L", "W", "kW",
    ]
}
