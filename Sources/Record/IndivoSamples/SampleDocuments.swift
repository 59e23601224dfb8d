import FHIR
import Foundation
import HealthSamples
import IndivoModel
import IndivoXML
import UCUM

/// Samples as documents of an Indivo record.
public enum SampleDocuments {
    private static let bloodPressure = "HKCorrelationTypeIdentifierBloodPressure"

    /// The samples that become a document each: the sample itself; for a correlation its members, where the
    /// two pressures of blood pressure are one document.
    ///
    /// A correlation whose pressures cannot be converted is followed by all its members, so that its error
    /// excludes none of them.
    public static func parts(of sample: Sample, mapping: HealthMapping = .standard) -> [Sample] {
        guard case .correlation(let members) = sample.value, !members.isEmpty else { return [sample] }
        var rest = members
        if sample.type == bloodPressure {
            for sign in ["BloodPressureSystolic", "BloodPressureDiastolic"] {
                if let index = rest.firstIndex(where: { isQuantity($0, sign) }) { rest.remove(at: index) }
            }
        }
        guard rest.count < members.count else { return members }
        return [sample] + ((try? model(of: sample, mapping: mapping)) == nil ? members : rest)
    }

    private static func isQuantity(_ sample: Sample, _ type: String) -> Bool {
        if case .quantity = sample.value { HealthMapping.shortName(of: sample.type) == type } else { false }
    }

    /// The document of a sample: VitalSigns for types that this model has, otherwise a Measurement. For blood
    /// pressure it has the two pressures; ``parts(of:mapping:)`` gives the other members too.
    ///
    /// Both models have their numbers as `Double`, and one date, the start, in UTC. A Measurement has room
    /// for 24 characters of type and 8 of unit.
    /// - Throws: ``/HealthSamples/SampleError`` for samples without a number.
    public static func model(of sample: Sample, mapping: HealthMapping = .standard) throws(SampleError)
        -> IndivoDocument
    {
        try sample.check()
        guard let date = XMLDateTime(xmlText: try sample.start.indivoText("start")) else {
            throw .date(name: "start", text: sample.start.description)
        }
        let signs = VitalSigns()
        signs.date = date
        if case .correlation(let members) = sample.value {
            guard sample.type == bloodPressure else {
                throw .malformed(
                    name: sample.type,
                    expected: "a quantity or blood pressure, to become a document"
                )
            }
            let signTypes = ["BloodPressureSystolic", "BloodPressureDiastolic"]
            guard members.contains(where: { member in signTypes.contains { isQuantity(member, $0) } })
            else {
                throw .malformed(
                    name: sample.type,
                    expected: "a correlation with a systolic or diastolic pressure"
                )
            }
            for (index, member) in members.enumerated() {
                do throws(SampleError) { try member.check() } catch { throw .member(index, error) }
            }
            signs.bp = BloodPressure(
                systolic: try sign(members, "BloodPressureSystolic", "8480-6", "mm[Hg]"),
                diastolic: try sign(members, "BloodPressureDiastolic", "8462-4", "mm[Hg]")
            )
            return signs
        }
        guard case .quantity(let quantity) = sample.value else {
            throw .malformed(
                name: sample.type,
                expected: "a quantity or blood pressure, to become a document"
            )
        }
        switch HealthMapping.shortName(of: sample.type) {
        case "HeartRate": signs.heartRate = try sign([sample], "HeartRate", "8867-4", "{beats}/min")
        case "RespiratoryRate":
            signs.respiratoryRate = try sign([sample], "RespiratoryRate", "9279-1", "{breaths}/min")
        case "BodyTemperature": signs.temperature = try sign([sample], "BodyTemperature", "8310-5", "Cel")
        case "BodyMass": signs.weight = try sign([sample], "BodyMass", "3141-9", "kg")
        case "Height": signs.height = try sign([sample], "Height", "8302-2", "m")
        case "OxygenSaturation":
            signs.oxygenSaturation = try sign(
                [sample],
                "OxygenSaturation",
                "2710-2",
                "%{HemoglobinSaturation}",
                as: "%"
            )
        default: return try measurement(sample, quantity, date, mapping)
        }
        return signs
    }

    /// The document's XML.
    /// - Throws: ``/HealthSamples/SampleError``.
    public static func document(of sample: Sample, mapping: HealthMapping = .standard) throws -> [UInt8] {
        try [UInt8](SDMXDocument([model(of: sample, mapping: mapping)]).xml(naming: .current).data())
    }

    private static func sign(
        _ samples: [Sample],
        _ type: String,
        _ code: String,
        _ unit: String,
        as ucum: String? = nil
    ) throws(SampleError) -> VitalSign? {
        guard let sample = samples.first(where: { isQuantity($0, type) }),
            case .quantity(let quantity) = sample.value
        else { return nil }
        let entry = try HealthMapping.standard.entry(of: sample.type)
        let value = try quantity.value(in: try SampleUnit.ucum(ucum ?? unit).ucum, type: sample.type)
        return VitalSign(
            value.double,
            unit,
            name: CodedValue(title: entry.display, system: .loinc, identifier: code)
        )
    }

    private static func measurement(
        _ sample: Sample,
        _ quantity: SampleQuantity,
        _ date: XMLDateTime,
        _ mapping: HealthMapping
    ) throws(SampleError) -> IndivoDocument {
        let value = try SampleConverter(mapping: mapping).quantity(
            quantity,
            sample.type,
            try mapping.entry(of: sample.type)
        )
        let result = MeasuredValue()
        result.type = String(HealthMapping.shortName(of: sample.type).prefix(24))
        result.dateTime = date
        let code = value.code ?? "1"
        if let short = shortUnits[code] {
            let unit = try SampleUnit.ucum(short.ucum).ucum
            let number = SampleQuantity(value: value.value ?? 0, unit: .ucum(code))
            result.value = try number.value(in: unit, type: sample.type).double
            result.unit = short.text
        } else {
            result.value = value.value?.double
            result.unit = code.hasPrefix("{") ? String(code.dropFirst().dropLast()) : code
        }
        guard result.unit.map({ $0.utf8.count <= 8 }) == true else {
            throw .malformed(name: "unit", expected: "at most 8 characters in a Measurement, not '\(code)'")
        }
        return result
    }

    /// Units with more than eight characters, as others of the same dimension.
    private static let shortUnits: [String: (ucum: String, text: String)] = [
        "mL/kg/min": ("L/kg/min", "L/kg/min"), "kcal/kg/h": ("W/kg", "W/kg"),
        "{beverages}": ("{drinks}", "drinks"),
    ]
}
