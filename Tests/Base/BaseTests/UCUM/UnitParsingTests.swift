import Testing
import UCUM

@Suite struct UnitParsingTests {
    @Test(
        "codes that laboratories and devices use are read",
        arguments: [
            "1", "%", "mg", "ug/L", "umol/L", "mmol/L", "10*3/uL", "10*6/uL", "10*-3", "g/dL", "fL", "pg",
            "U/L", "m[IU]/L",
            "[pH]", "mm[Hg]", "mm[H2O]", "cm[H2O]", "/min", "{beats}/min", "kg/m2", "Cel", "[degF]", "ms",
            "mL/min/{1.73_m2}",
            "mL/min/1.73.m2", "[arb'U]/mL", "/[HPF]", "/100{WBCs}", "kcal/d", "[in_i]", "[lb_av]", "dB[SPL]",
            "uV", "lm/m2",
            "mL/kg/min", "m/s2", "[CCID_50]", "{#}", "ng/mL{FEU}", "nmol/s/L", "mosm/kg", "meq/L", "kat/L",
            "10.L/min",
            "(kg.m)/s2", "m[H2O]", "cal_[15]", "%[slope]", "[p'diop]", "'", "''", "g%", "mm/h", "[drp]", "a",
            "mo", "wk",
        ]
    )
    func valid(code: String) throws {
        #expect(try UCUMUnit(code).code == code)
    }

    @Test(
        "what is no unit is refused with its offset",
        arguments: [
            ("", 0), ("bpm", 0), ("beats/min", 0), ("mmHg", 0), ("degrees", 0), ("lbs", 0), ("KG", 0),
            ("mg/", 3),
            ("mg//dL", 3), ("m^2", 0), ("(mg", 3), ("mg)", 2), ("mg{a", 4), ("[in_i", 0), ("µg", 0),
            ("mg dL", 2), ("m200", 1),
            ("0", 0), ("Cel2", 0), ("Cel/s", 3), ("kmin", 0), ("m-", 1), ("{a{b}}", 2),
            ("12345678901234567890", 0),
        ]
    )
    func invalid(code: String, offset: Int) {
        do {
            let unit = try UCUMUnit(code)
            Issue.record("\(unit.code) was taken")
        } catch {
            switch error {
            case .malformed(let named, _, let found), .unknownUnit(let named, _, let found):
                #expect(named == code)
                #expect(found == offset)
            default: Issue.record("\(error)")
            }
        }
    }

    @Test("codes are bounded in length and nesting")
    func bounds() {
        let nested = String(repeating: "(", count: 100) + "m" + String(repeating: ")", count: 100)
        #expect(throws: UCUMError.self) { try UCUMUnit(nested) }
        #expect(throws: UCUMError.self) { try UCUMUnit(String(repeating: "m.", count: 200) + "m") }
    }

    @Test("huge powers stay finite")
    func hugePowers() throws {
        let unit = try UCUMUnit("Ym99.Ym99.Ym99.Ym99")
        #expect(throws: UCUMError.self) { try unit.convert(1, to: UCUMUnit("ym99.ym99.ym99.ym99")) }
    }
}
