import FHIR
import Foundation
import HealthSamples

/// What is known of measurements without a questionnaire, by the codes of their concepts: HealthKit's types,
/// and laboratory tests that people measure in several units.
enum KnownMeasurements {
    /// A measurement.
    struct Measurement: Sendable {
        /// What people read.
        let name: String
        /// The unit of its facts; `nil` for what has no number.
        var unit: String?
        /// Whether its numbers add up, as steps do.
        var addsUp = false
        /// Grams of a mole of what is measured, by which amounts of substance convert to masses.
        var molarMass: Decimal?
        /// The texts of its facts, and what each means, in the order of HealthKit's numbers.
        var options: [ValueMetadata.Option] = []
    }

    static subscript(concept: String) -> Measurement? { all[concept] }

    /// All of them by the codes of their concepts.
    static let all: [String: Measurement] = {
        var found: [String: Measurement] = [:]
        let mapping = HealthMapping.standard
        for (type, entry) in mapping.types {
            let own = Coding(system: ConceptNames.healthKit, code: type, display: entry.display)
            for coding in entry.codes + [own] {
                guard let code = ConceptNames.code(coding) else { continue }
                found[code] = Measurement(
                    name: coding.display ?? entry.display,
                    unit: entry.unit?.ucum.code,
                    addsUp: entry.total == .sum,
                    options: options(of: entry, mapping)
                )
            }
        }
        for test in laboratoryTests {
            let code = "LOINC:" + test.code
            var measurement = found[code] ?? Measurement(name: test.name)
            measurement.unit = measurement.unit ?? test.unit
            measurement.molarMass = test.molarMass
            found[code] = measurement
        }
        return found
    }()

    private static func options(of entry: HealthMapping.Entry, _ mapping: HealthMapping)
        -> [ValueMetadata.Option]
    {
        guard entry.kind == .category else { return [] }
        guard let values = entry.values.flatMap({ mapping.values[$0] }) else {
            return [ValueMetadata.Option(text: "true", label: "yes")]
        }
        return values.values.sorted { $0.key < $1.key }.compactMap { number, label in
            let coding = Coding(system: FHIRURI(values.system), code: String(number))
            return ConceptNames.code(coding).map { ValueMetadata.Option(text: $0, label: label) }
        }
    }

    private struct Test {
        let code: String
        let name: String
        let unit: String
        var molarMass: Decimal?

        init(_ code: String, _ name: String, _ unit: String, _ molarMass: String? = nil) {
            self.code = code
            self.name = name
            self.unit = unit
            self.molarMass = molarMass.flatMap { Decimal(string: $0) }
        }
    }

    /// LOINC codes with the unit that most laboratories report, and the molar mass in g/mol of substances
    /// that others report in moles. Of triglycerides it is that of triolein, as the conversion is defined.
    private static let laboratoryTests = [
        Test("2339-0", "Glucose in blood", "mg/dL", "180.156"),
        Test("2345-7", "Glucose in serum or plasma", "mg/dL", "180.156"),
        Test("1558-6", "Fasting glucose in serum or plasma", "mg/dL", "180.156"),
        Test("41653-7", "Glucose in capillary blood by glucometer", "mg/dL", "180.156"),
        Test("14749-6", "Glucose in serum or plasma (moles)", "mmol/L", "180.156"),
        Test("15074-8", "Glucose in blood (moles)", "mmol/L", "180.156"),
        Test("2093-3", "Cholesterol in serum or plasma", "mg/dL", "386.65"),
        Test("14647-2", "Cholesterol in serum or plasma (moles)", "mmol/L", "386.65"),
        Test("2085-9", "HDL cholesterol in serum or plasma", "mg/dL", "386.65"),
        Test("14646-4", "HDL cholesterol in serum or plasma (moles)", "mmol/L", "386.65"),
        Test("13457-7", "LDL cholesterol in serum or plasma, calculated", "mg/dL", "386.65"),
        Test("18262-6", "LDL cholesterol in serum or plasma, direct", "mg/dL", "386.65"),
        Test("22748-8", "LDL cholesterol in serum or plasma (moles)", "mmol/L", "386.65"),
        Test("2571-8", "Triglycerides in serum or plasma", "mg/dL", "885.43"),
        Test("14927-8", "Triglycerides in serum or plasma (moles)", "mmol/L", "885.43"),
        Test("2160-0", "Creatinine in serum or plasma", "mg/dL", "113.12"),
        Test("14682-9", "Creatinine in serum or plasma (moles)", "umol/L", "113.12"),
        Test("3084-1", "Urate in serum or plasma", "mg/dL", "168.11"),
        Test("14933-6", "Urate in serum or plasma (moles)", "umol/L", "168.11"),
        Test("1975-2", "Bilirubin in serum or plasma", "mg/dL", "584.66"),
        Test("14631-6", "Bilirubin in serum or plasma (moles)", "umol/L", "584.66"),
        Test("4548-4", "Hemoglobin A1c", "%"),
        Test("718-7", "Hemoglobin in blood", "g/dL"),
        Test("2823-3", "Potassium in serum or plasma", "mmol/L"),
        Test("2951-2", "Sodium in serum or plasma", "mmol/L"),
        Test("1988-5", "C-reactive protein in serum or plasma", "mg/L"),
        Test("6690-2", "Leukocytes in blood", "10*3/uL"),
        Test("777-3", "Platelets in blood", "10*3/uL"),
        Test("1742-6", "Alanine aminotransferase in serum or plasma", "U/L"),
        Test("1920-8", "Aspartate aminotransferase in serum or plasma", "U/L"),
        Test("3016-3", "Thyrotropin in serum or plasma", "m[iU]/L"),
        Test("3141-9", "Body weight, measured", "kg"),
        Test("3137-7", "Body height, measured", "cm"),
        Test("56086-2", "Waist circumference, adult", "cm"),
        Test("8310-5", "Body temperature", "Cel"),
        Test("8867-4", "Heart rate", "/min"),
        Test("9279-1", "Respiratory rate", "/min"),
        Test("2708-6", "Oxygen saturation in arterial blood", "%"),
        Test("59408-5", "Oxygen saturation by pulse oximetry", "%"),
        Test("39156-5", "Body mass index", "kg/m2"),
    ]
}
