import FHIR
import UCUM

/// Units as people write them, and as UCUM does.
enum Units {
    /// What is not UCUM, or means something else there (`K/uL` would be kelvin).
    static let common: [(text: String, code: String)] = [
        ("mcU/mL", "u[IU]/mL"), ("uIU/mL", "u[IU]/mL"), ("mIU/mL", "m[IU]/mL"), ("mIU/L", "m[IU]/L"),
        ("IU/mL", "[IU]/mL"), ("IU/L", "[IU]/L"), ("IU", "[IU]"), ("mcg", "ug"), ("mcg/dL", "ug/dL"),
        ("mcg/mL", "ug/mL"),
        ("mcg/L", "ug/L"), ("µg", "ug"), ("µg/dL", "ug/dL"), ("gm/dL", "g/dL"), ("mEq/L", "meq/L"),
        ("mmHg", "mm[Hg]"),
        ("mm Hg", "mm[Hg]"), ("K/uL", "10*3/uL"), ("M/uL", "10*6/uL"), ("10^3/uL", "10*3/uL"),
        ("10^6/uL", "10*6/uL"),
        ("10^9/L", "10*9/L"), ("10^12/L", "10*12/L"), ("x10E3/uL", "10*3/uL"), ("x10E6/uL", "10*6/uL"),
        ("lb", "[lb_av]"), ("lbs", "[lb_av]"), ("oz", "[oz_av]"), ("in", "[in_i]"), ("inch", "[in_i]"),
        ("inches", "[in_i]"), ("ft", "[ft_i]"), ("°C", "Cel"), ("°F", "[degF]"), ("degF", "[degF]"),
        ("bpm", "{beats}/min"), ("beats/min", "{beats}/min"), ("breaths/min", "{breaths}/min"),
        ("percent", "%"),
        ("sec", "s"), ("hr", "h"), ("day", "d"), ("days", "d"), ("week", "wk"), ("weeks", "wk"),
        ("month", "mo"),
        ("months", "mo"), ("year", "a"), ("years", "a"), ("cc", "mL"), ("tablet", "{tablet}"),
        ("tablets", "{tablet}"),
        ("tab", "{tab}"), ("capsule", "{capsule}"), ("capsules", "{capsule}"), ("puff", "{puff}"),
        ("puffs", "{puff}"),
        ("drop", "[drp]"), ("drops", "[drp]"), ("gtt", "[drp]"), ("pH", "[pH]"), ("steps", "{steps}"),
    ]

    private static let codes = Dictionary(firstOf: common.map { ($0.text, $0.code) })

    /// The UCUM code of a unit; `nil` when it has none.
    static func code(of unit: String) -> String? {
        if let code = codes[unit] { return code }
        return (try? UCUMUnit(unit)) == nil ? nil : unit
    }
}

extension Quantity {
    /// A number with a unit as it was written, and its code where UCUM has one.
    init(_ value: FHIRDecimal?, unit: String?) {
        self.init()
        self.value = value
        self.unit = unit
        if let code = unit.flatMap({ Units.code(of: $0.trimmed) }) {
            system = .ucum
            self.code = code
        }
    }
}
