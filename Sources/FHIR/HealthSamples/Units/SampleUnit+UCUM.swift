import FHIR
import Foundation
import IndivoBase
import Synchronization
import UCUM

/// A unit of either language as UCUM: what the number is multiplied with, and the unit that it then has.
struct ResolvedUnit: Sendable, Hashable {
    var unit: UCUMUnit
    /// Of `mol<180.156>` the mass: another unit, and the factor of the number.
    var mass: (unit: UCUMUnit, factor: Decimal)?

    static func == (a: Self, b: Self) -> Bool { a.unit == b.unit && a.mass?.factor == b.mass?.factor }
    func hash(into hasher: inout Hasher) { hasher.combine(unit) }
}

extension SampleUnit {
    /// The unit in UCUM.
    /// - Throws: ``SampleError/unit(_:hint:)``.
    public var ucum: UCUMUnit { get throws(SampleError) { try resolved().unit } }

    /// Units that were parsed before: a million samples have a dozen of them. Beyond the limit each is parsed
    /// anew.
    private static let parsed = Mutex<[SampleUnit: ResolvedUnit]>([:])
    private static let parsedLimit = 1_000

    func resolved() throws(SampleError) -> ResolvedUnit {
        if let known = Self.parsed.withLock({ $0[self] }) { return known }
        let result = try parse()
        Self.parsed.withLock { if $0.count < Self.parsedLimit { $0[self] = result } }
        return result
    }

    private func parse() throws(SampleError) -> ResolvedUnit {
        switch self {
        case .ucum(let text):
            do throws(UCUMError) {
                return ResolvedUnit(unit: try UCUMUnit(text))
            } catch {
                throw .unit(text, hint: " \(error)")
            }
        case .healthKit(let text): return try HealthKitUnit.resolve(text)
        }
    }
}

extension SampleQuantity {
    /// The number in another unit: the digits as they were written where the units mean the same, exact where
    /// the factor is, else with 15 digits.
    /// - Throws: ``SampleError``.
    public func value(in target: UCUMUnit, type: String = "value") throws(SampleError) -> FHIRDecimal {
        let resolved = try unit.resolved()
        if resolved.unit == target { return value }
        guard let decimal = value.decimal, decimal.isFinite else {
            throw .number(name: type, text: value.description)
        }
        if let mass = resolved.mass, !resolved.unit.isCommensurable(with: target) {
            let product = decimal * mass.factor
            guard product.isFinite else { throw .number(name: type, text: value.description) }
            return try Self.convert(product, mass.unit, target, unit.text, type)
        }
        return try Self.convert(decimal, resolved.unit, target, unit.text, type)
    }

    private static func convert(
        _ value: Decimal,
        _ unit: UCUMUnit,
        _ target: UCUMUnit,
        _ text: String,
        _ type: String
    ) throws(SampleError) -> FHIRDecimal {
        guard unit.isCommensurable(with: target) else {
            throw .dimension(unit: text, target: target.code, type: type)
        }
        do throws(UCUMError) {
            let result = try unit.convert(value, to: target)
            let isExact = unit.convertsExactly(to: target) && result.significand.description.utf8.count <= 30
            return SampleNumber.rounded(result, isExact: isExact)
        } catch {
            throw .number(name: type, text: value.description)
        }
    }
}

/// HealthKit's language of units: `count/min`, `mL/kg*min`, `mmol<180.156>/L`. All behind the first `/` is
/// divided by.
enum HealthKitUnit {
    /// Units that take no prefix, and those whose name is not their prefix and base.
    private static let whole: [String: String] = [
        "count": "1", "%": "1", "min": "min", "hr": "h", "d": "d", "in": "[in_i]", "ft": "[ft_i]",
        "yd": "[yd_i]",
        "mi": "[mi_i]", "oz": "[oz_av]", "lb": "[lb_av]", "st": "[stone_av]", "fl_oz_us": "[foz_us]",
        "fl_oz_imp": "[foz_br]", "pt_us": "[pt_us]", "pt_imp": "[pt_br]", "cup_us": "[cup_us]",
        "cup_imp": "10.[foz_br]", "mmHg": "mm[Hg]",
        "inHg": "[in_i'Hg]", "cmAq": "cm[H2O]", "atm": "atm", "dBASPL": "dB[SPL]", "dBHL": "{dB(HL)}",
        "cal": "cal",
        "kcal": "kcal", "Cal": "kcal", "degC": "Cel", "degF": "[degF]", "IU": "[iU]", "rad": "rad",
        "deg": "deg",
        "D": "[diop]", "prD": "[p'diop]", "appleEffortScore": "{score}",
    ]
    private static let bases: [String: String] = [
        "g": "g", "m": "m", "s": "s", "L": "L", "l": "L", "Pa": "Pa", "J": "J", "K": "K", "S": "S", "V": "V",
        "W": "W",
        "Hz": "Hz", "mol": "mol", "lx": "lx",
    ]
    private static let prefixes: [String: String] = [
        "mc": "u", "p": "p", "n": "n", "f": "f", "m": "m", "c": "c", "d": "d", "da": "da", "h": "h", "k": "k",
        "M": "M", "G": "G",
        "T": "T",
    ]

    /// All unit names, for suggestions.
    private static let names: [String] =
        Array(whole.keys) + Array(bases.keys)
        + bases.keys.flatMap { base in prefixes.keys.map { $0 + base } }

    static func resolve(_ text: String) throws(SampleError) -> ResolvedUnit {
        guard text.utf8.count <= 100 else { throw .unit(text, hint: " It is too long.") }
        var codes = ""
        var massCodes = ""
        var factor = Decimal(1)
        var isDenominator = false
        var name = ""
        var inMass = false
        var hasMass = false

        func finish() throws(SampleError) {
            let part = try atom(name, of: text)
            for index in 0..<2 {
                let code = index == 0 ? part.code : part.mass?.code ?? part.code
                let divisor = code.utf8.contains(UInt8(ascii: ".")) ? "(\(code))" : code
                let term =
                    isDenominator
                    ? "/\(divisor)" : codes.isEmpty || (index == 1 && massCodes.isEmpty) ? code : ".\(code)"
                if isDenominator && code == "1" { continue }
                if index == 0 { codes += term } else { massCodes += term }
            }
            if let mass = part.mass {
                hasMass = true
                factor = isDenominator ? factor / mass.factor : factor * mass.factor
            }
            name = ""
        }

        for character in text {
            switch character {
            case "<":
                inMass = true
                name += "<"
            case ">":
                inMass = false
                name += ">"
            case "*", "·", ".", "/":
                if inMass {
                    name.append(character)
                    continue
                }
                try finish()
                if character == "/" { isDenominator = true }
            case "(", ")", " ": continue
            default: name.append(character)
            }
        }
        try finish()
        do throws(UCUMError) {
            var resolved = ResolvedUnit(unit: try UCUMUnit(codes))
            if hasMass, factor.isFinite { resolved.mass = (try UCUMUnit(massCodes), factor) }
            return resolved
        } catch {
            throw .unit(text, hint: " \(error)")
        }
    }

    /// One unit with its exponent, and of moles of a substance their mass in grams.
    private static func atom(
        _ name: String,
        of text: String
    ) throws(SampleError) -> (code: String, mass: (code: String, factor: Decimal)?) {
        // As in `1/min`.
        if name == "1" { return ("1", nil) }
        var base = name[...]
        var exponent = ""
        while let last = base.last, last.isASCII, last.isNumber {
            exponent = String(base.removeLast()) + exponent
        }
        if base.last == "^" { base.removeLast() }
        var molarMass: Decimal?
        if base.last == ">", let start = base.firstIndex(of: "<") {
            let digits = String(base[base.index(after: start)...].dropLast())
            guard digits.utf8.count <= 30, let mass = FHIRDecimal(digits)?.decimal, mass > 0, mass.isFinite
            else {
                throw .unit(text, hint: " '\(digits)' is not a molar mass.")
            }
            molarMass = mass
            base = base[..<start]
        }
        guard exponent.count <= 1, let code = code(String(base)) else {
            throw .unit(text, hint: Spelling.hint(for: String(base), among: names))
        }
        if code == "1" || code.hasPrefix("{") { return (code, nil) }
        // An exponent would be that of the last part only.
        if !exponent.isEmpty, code.utf8.contains(UInt8(ascii: ".")) {
            throw .unit(text, hint: " '\(base)' takes no exponent.")
        }
        guard let molarMass else { return (code + exponent, nil) }
        guard code.hasSuffix("mol"), exponent.isEmpty else {
            throw .unit(text, hint: " Only moles have a molar mass.")
        }
        return (code, (String(code.dropLast(3)) + "g", molarMass))
    }

    private static func code(_ name: String) -> String? {
        if let code = whole[name] ?? bases[name] { return code }
        for count in [2, 1] {
            if let prefix = prefixes[String(name.prefix(count))], name.count > count,
                let base = bases[String(name.dropFirst(count))]
            {
                return prefix + base
            }
        }
        return nil
    }
}
