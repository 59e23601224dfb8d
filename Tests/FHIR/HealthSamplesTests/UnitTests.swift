import FHIR
import Foundation
import HealthSamples
import Testing
import UCUM

/// HealthKit's language of units, and conversions.
@Suite struct UnitTests {
    @Test(
        "values are converted",
        arguments: [
            ("72", "count/min", "/min", "72"), ("0.98", "%", "%", "98"), ("150", "lb", "kg", "68.0388555"),
            ("70", "in", "cm", "177.8"), ("98.6", "degF", "Cel", "37"), ("1", "Cal", "kcal", "1"),
            ("4184", "J", "kcal", "1"),
            ("5.5", "mL/kg*min", "mL/kg/min", "5.5"), ("5.5", "mL/min·kg", "mL/kg/min", "5.5"),
            ("5.5", "mL/(kg*min)", "mL/kg/min", "5.5"),
            ("5", "mmol<180.1558800000541>/L", "mg/dL", "90.07794000002705"),
            ("5", "mmol<180>/L", "mmol/L", "5"),
            ("3.6", "km/hr", "m/s", "1"), ("1", "mcg", "mg", "0.001"), ("10", "mcV", "uV", "10"),
            ("1", "fl_oz_us", "mL", "29.5735295625"),
            ("60", "dBASPL", "dB[SPL]", "60"), ("2", "IU", "[iU]", "2"), ("25", "kg/m^2", "kg/m2", "25"),
            ("1.50", "m", "m", "1.50"),
            ("1", "hr", "min", "60"), ("2", "st", "kg", "12.70058636"), ("1.2e-05", "S", "uS", "12"),
            ("120", "mmHg", "mm[Hg]", "120"),
            ("1", "kcal/hr·kg", "kcal/kg/h", "1"), ("100", "degF", "Cel", "37.7777777777778"),
        ]
    )
    func conversion(_ value: String, _ unit: String, _ target: String, _ expected: String) throws {
        let quantity = SampleQuantity(value: try #require(FHIRDecimal(value)), unit: .healthKit(unit))
        #expect(try quantity.value(in: UCUMUnit(target)).description == expected)
    }

    @Test(
        "wrong units are errors",
        arguments: [
            "", "foo", "/", "count/", "mmol<x>/L", "mmol<>/L", "kg^99", "cup_imp^2", "m<3>",
            String(repeating: "kg*", count: 60) + "kg", "9", "🤖",
        ]
    )
    func wrongUnits(_ unit: String) {
        #expect(throws: SampleError.self) { try SampleUnit.healthKit(unit).ucum }
    }

    /// Of UCUM's own essence, by hand: the same unit in both languages.
    @Test(
        "HealthKit's spelling of a unit and UCUM's mean the same",
        arguments: [
            ("g", "g"), ("kg", "kg"), ("mg", "mg"), ("oz", "[oz_av]"), ("m", "m"), ("cm", "cm"),
            ("ft", "[ft_i]"),
            ("yd", "[yd_i]"),
            ("mi", "[mi_i]"), ("L", "L"), ("mL", "mL"), ("cup_us", "[cup_us]"), ("Pa", "Pa"), ("kPa", "kPa"),
            ("inHg", "[in_i'Hg]"),
            ("cmAq", "cm[H2O]"), ("atm", "atm"), ("s", "s"), ("ms", "ms"), ("min", "min"), ("hr", "h"),
            ("d", "d"), ("J", "J"),
            ("kJ", "kJ"), ("kcal", "kcal"), ("degC", "Cel"), ("K", "K"), ("S", "S"), ("mcS", "uS"),
            ("Hz", "Hz"),
            ("W", "W"),
            ("V", "V"), ("mol", "mol"), ("mmol", "mmol"), ("lx", "lx"), ("count/s", "/s"), ("m/s", "m/s"),
            ("mg/dL", "mg/dL"),
            ("ng/mL", "ng/mL"), ("rad", "rad"), ("count", "1"), ("cup_imp", "10.[foz_br]"),
            ("mg/cup_imp", "mg/(10.[foz_br])"), ("1/min", "/min"),
        ]
    )
    func languages(_ healthKit: String, _ ucum: String) throws {
        #expect(try SampleUnit.healthKit(healthKit).ucum == UCUMUnit(ucum))
    }
}
