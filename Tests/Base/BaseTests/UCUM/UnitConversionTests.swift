import Foundation
import Testing
import UCUM

@Suite struct UnitConversionTests {
    @Test(
        "values convert exactly between units of one dimension",
        arguments: [
            ("4000", "mg", "g", "4"),
            ("1", "[in_i]", "cm", "2.54"),
            ("1", "[mi_i]", "m", "1609.344"),
            ("1", "[lb_av]", "g", "453.59237"),
            ("1", "[lb_av]", "[oz_av]", "16"),
            ("150", "[lb_av]", "kg", "68.0388555"),
            ("1", "kcal", "kJ", "4.184"),
            ("1", "[Cal]", "cal", "1000"),
            ("1", "a", "d", "365.25"),
            ("1", "wk", "h", "168"),
            ("98.6", "[degF]", "Cel", "37"),
            ("37", "Cel", "K", "310.15"),
            ("-40", "Cel", "[degF]", "-40"),
            ("20", "[degRe]", "Cel", "25"),
            ("0.98", "1", "%", "98"),
            ("98", "%", "1", "0.98"),
            ("7", "10*3/uL", "10*9/L", "7"),
            ("7", "10^3/uL", "/nL", "7"),
            ("100", "mg/dL", "g/L", "1"),
            ("5", "mmol/L", "mol/m3", "5"),
            ("72", "/min", "Hz", "1.2"),
            ("1", "m2.kg.s-2", "J", "1"),
            ("1", "[gal_us]", "L", "3.785411784"),
            ("1", "[foz_us]", "mL", "29.5735295625"),
            ("1", "[ft_us]", "[in_us]", "12"),
            ("1", "KiBy", "By", "1024"),
            ("1", "[iU]/mL", "k[IU]/L", "1"),
            ("3", "kg.m/s2", "N", "3"),
            ("1", "bar", "kPa", "100"),
            ("180", "deg", "[pi].rad", "1"),
            ("9", "mm[Hg]", "m[Hg]", "0.009"),
            ("2", "(g/dL)/(mg/L)", "1", "20000"),
            ("1", "{score}", "1", "1"),
            ("12", "mo", "a", "1"),
        ]
    )
    func exact(value: String, from: String, to: String, expected: String) throws {
        let from = try UCUMUnit(from)
        let to = try UCUMUnit(to)
        #expect(from.convertsExactly(to: to))
        #expect(
            try from.convert(#require(Decimal(string: value)), to: to) == #require(Decimal(string: expected))
        )
    }

    @Test(
        "logarithms, tangents and π convert to the digits of a Double",
        arguments: [
            ("7.4", "[pH]", "nmol/L", 39.8107170553497),
            ("1", "Np", "dB", 4.34294481903252),
            ("20", "dB[SPL]", "uPa", 200),
            ("60", "dB[SPL]", "mPa", 20),
            ("3", "dB[W]", "W", 1.99526231496888),
            ("1", "circ", "rad", 6.28318530717959),
            ("100", "%[slope]", "deg", 45),
            ("10", "bit_s", "1", 1024),
        ]
    )
    func inexact(value: String, from: String, to: String, expected: Double) throws {
        let from = try UCUMUnit(from)
        let to = try UCUMUnit(to)
        #expect(!from.convertsExactly(to: to))
        let result = try from.convert(#require(Decimal(string: value)), to: to)
        #expect(abs(NSDecimalNumber(decimal: result).doubleValue - expected) < abs(expected) * 1e-12)
        let back = try to.convert(result, to: from)
        // the numerals above
        #expect(abs(NSDecimalNumber(decimal: back).doubleValue - Double(value)!) < 1e-9)
    }

    @Test(
        "units of different dimensions do not convert",
        arguments: [
            ("mg/dL", "mmol/L"), ("kg", "m"), ("[iU]", "U"), ("[iU]", "[arb'U]"), ("Cel", "J"), ("1", "m"),
            ("rad", "1"),
        ]
    )
    func incommensurable(left: String, right: String) throws {
        let left = try UCUMUnit(left)
        let right = try UCUMUnit(right)
        #expect(!left.isCommensurable(with: right))
        #expect(throws: UCUMError.incommensurable(left.code, right.code)) { try left.convert(1, to: right) }
    }

    @Test(
        "spellings of one unit are equal",
        arguments: [
            ("L", "l"), ("mg/dL", "mg.dL-1"), ("[in_i]", "[ft_i]/12"), ("/min", "min-1"), ("N.m", "J"),
            ("a", "a_j"),
            ("10*3", "10^3"), ("10*3", "1000"), ("g{total}", "g"), ("[IU]", "[iU]"), ("4.[pi].sr", "sph"),
        ]
    )
    func equal(left: String, right: String) throws {
        #expect(try UCUMUnit(left) == UCUMUnit(right))
        #expect(try UCUMUnit(left).hashValue == UCUMUnit(right).hashValue)
    }

    @Test("products and quotients have units")
    func products() throws {
        let metre = try UCUMUnit("m"), second = try UCUMUnit("s")
        #expect(try metre.divided(by: second) == UCUMUnit("m/s"))
        #expect(metre.divided(by: metre) == .one)
        #expect(try UCUMUnit("mg/dL").multiplied(by: UCUMUnit("dL")) == UCUMUnit("mg"))
        #expect(try UCUMUnit(metre.divided(by: UCUMUnit("m/s")).code) == second)
    }

    @Test("negative values have no logarithm")
    func logarithms() throws {
        #expect(throws: UCUMError.self) { try UCUMUnit("mol/L").convert(-1, to: UCUMUnit("[pH]")) }
    }
}
