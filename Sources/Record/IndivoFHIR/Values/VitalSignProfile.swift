import FHIR
import UCUM

/// What R4's profile of a vital sign asks for: a code of LOINC and one of some units
/// (http://hl7.org/fhir/R4/observation-vitalsigns.html).
struct VitalSignProfile: Sendable {
    /// The end of the profile's URL.
    let name: String
    /// The code of LOINC that must be there, beside those of the record.
    let code: String
    let display: String
    /// The units of UCUM that the value may have; what is in none of them is converted to the first.
    let units: [String]

    /// The profiles by the field of the record.
    static let bySign: [String: VitalSignProfile] = [
        "bmi": .init(name: "bmi", code: "39156-5", display: "Body mass index", units: ["kg/m2"]),
        "heart_rate": .init(name: "heartrate", code: "8867-4", display: "Heart rate", units: ["/min"]),
        "height": .init(name: "bodyheight", code: "8302-2", display: "Body height", units: ["cm", "[in_i]"]),
        "oxygen_saturation": .init(
            name: "oxygensat",
            code: "2708-6",
            display: "Oxygen saturation in Arterial blood",
            units: ["%"]
        ),
        "respiratory_rate": .init(
            name: "resprate",
            code: "9279-1",
            display: "Respiratory rate",
            units: ["/min"]
        ),
        "temperature": .init(
            name: "bodytemp",
            code: "8310-5",
            display: "Body temperature",
            units: ["Cel", "[degF]"]
        ),
        "weight": .init(
            name: "bodyweight",
            code: "29463-7",
            display: "Body weight",
            units: ["kg", "g", "[lb_av]"]
        ),
    ]

    /// The units of both pressures of `bp`.
    static let pressureUnits = ["mm[Hg]"]

    private static let base = "http://hl7.org/fhir/StructureDefinition/"

    /// The URL, for `Observation.meta.profile`.
    var url: FHIRURI { FHIRURI(Self.base + name) }

    /// The profile of a blood pressure.
    static let bloodPressure: FHIRURI = "http://hl7.org/fhir/StructureDefinition/bp"

    /// Adds the code, puts the value in one of the units, and names the profile where all that it asks for is
    /// there.
    func conform(_ observation: inout Observation) {
        observation.code?.add(code, display)
        if case .quantity(let quantity) = observation.value {
            observation.value = .quantity(quantity.converted(toOneOf: units))
        }
        if observation.isVitalSign(code), observation.hasMeasured(units) { observation.name(profile: url) }
    }
}

extension Observation {
    /// Names the profile of a blood pressure where both pressures are as it asks.
    mutating func conformToBloodPressure() {
        var both = 0
        for index in component.indices {
            if case .quantity(let quantity) = component[index].value {
                component[index].value = .quantity(
                    quantity.converted(toOneOf: VitalSignProfile.pressureUnits)
                )
            }
            let part = component[index]
            let isPressure = ["8480-6", "8462-4"].contains { part.code?.contains($0, system: .loinc) == true }
            let isMeasured = part.value?.quantity?.isMeasured(VitalSignProfile.pressureUnits) == true
            if isPressure, isMeasured || part.value == nil && part.dataAbsentReason != nil { both += 1 }
        }
        if both == 2, isVitalSign("85354-9") { name(profile: VitalSignProfile.bloodPressure) }
    }

    /// Whether it has what every vital sign has: the category, the code, whom it is about, and when to the
    /// day.
    fileprivate func isVitalSign(_ loinc: String) -> Bool {
        let system: FHIRURI = "http://terminology.hl7.org/CodeSystem/observation-category"
        guard category.contains(where: { $0.contains("vital-signs", system: system) }),
            code?.contains(loinc, system: .loinc) == true, subject?.reference != nil
        else { return false }
        return effective?.dateTime?.date.day != nil
    }

    fileprivate func hasMeasured(_ units: [String]) -> Bool {
        value == nil ? dataAbsentReason != nil : value?.quantity?.isMeasured(units) == true
    }

    fileprivate mutating func name(profile: FHIRURI) {
        var meta = meta ?? Meta()
        meta.profile.append(profile)
        self.meta = meta
    }
}

extension Quantity {
    fileprivate func isMeasured(_ units: [String]) -> Bool {
        value != nil && unit != nil && system == .ucum && code.map(units.contains) == true
    }

    /// The same in the first of some units of UCUM, unless it is in one of them or measures something else.
    /// What the record says stays: as the unit's text where only its code is another, else in an extension.
    func converted(toOneOf units: [String]) -> Quantity {
        guard system == .ucum, let code, !units.contains(code), let target = units.first,
            let from = try? UCUMUnit(code), let to = try? UCUMUnit(target), from.isCommensurable(with: to)
        else { return self }
        var converted = self
        converted.code = target
        if (try? from.convert(1, to: to)) == 1, (try? from.convert(0, to: to)) == 0 { return converted }
        guard let value = value?.decimal, let number = try? from.convert(value, to: to) else { return self }
        converted.value = FHIRDecimal(number)
        converted.unit = target
        converted.extension = [Extension(url: Vocabulary.recordedQuantity, value: .quantity(self))]
        return converted
    }
}

extension CodeableConcept {
    /// Adds a code of LOINC behind those that are there.
    fileprivate mutating func add(_ loinc: String, _ display: String) {
        guard !contains(loinc, system: .loinc) else { return }
        coding.append(Coding(system: .loinc, code: loinc, display: display))
    }
}
