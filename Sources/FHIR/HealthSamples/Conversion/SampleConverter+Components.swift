import FHIR
import Foundation
import IndivoBase
import UCUM

extension SampleConverter {
    /// The members of a correlation, in the order that the mapping gives, then by type and time.
    func components(of members: [Sample], _ entry: HealthMapping.Entry) throws(SampleError) -> [Observation
        .Component]
    {
        let ranks = Dictionary(firstOf: entry.members.enumerated().map { ($1, $0) })
        let sorted = members.enumerated().sorted { a, b in
            let left = ranks[a.element.type] ?? .max
            let right = ranks[b.element.type] ?? .max
            return (left, a.element.type, a.element.start.microseconds ?? 0, a.offset)
                < (right, b.element.type, b.element.start.microseconds ?? 0, b.offset)
        }
        guard !members.isEmpty else { throw .missing("correlation") }
        var components: [Observation.Component] = []
        for (index, member) in sorted {
            do throws(SampleError) {
                try member.check()
                guard case .quantity(let value) = member.value else {
                    throw .malformed(
                        name: member.type,
                        expected: "a quantity, as it is a member of a correlation"
                    )
                }
                let entry = try mapping.entryOrIdentifier(of: member.type)
                components.append(
                    component(concept(member.type, entry), .quantity(try quantity(value, member.type, entry)))
                )
            } catch { throw .member(index, error) }
        }
        // R4's profile of blood pressure requires both parts, with a reason for one that was not measured.
        guard entry.codes.contains(where: { $0.system == .loinc && $0.code == "85354-9" }) else {
            return components
        }
        for (rank, type) in entry.members.enumerated() {
            guard !members.contains(where: { $0.type == type }), let entry = mapping.types[type] else {
                continue
            }
            var component = Observation.Component(code: concept(type, entry))
            component.dataAbsentReason = CodeableConcept(
                Coding(system: Self.absentReason, code: "unknown", display: "Unknown")
            )
            components.insert(component, at: min(rank, components.count))
        }
        return components
    }

    func components(of workout: Workout) throws(SampleError) -> [Observation.Component] {
        var components: [Observation.Component] = []
        if let duration = workout.duration {
            let value = try duration.value(in: Self.minute, type: "duration")
            let code = CodeableConcept(
                Coding(system: .loinc, code: "55411-3", display: "Exercise duration"),
                Coding(system: Self.healthKit, code: "HKWorkout.duration"),
                text: "Duration"
            )
            components.append(component(code, .quantity(Quantity(value: value, unit: "min", code: "min"))))
        }
        if let energy = workout.energy {
            let type = "HKQuantityTypeIdentifierActiveEnergyBurned"
            let entry = try mapping.entry(of: type)
            components.append(component(concept(type, entry), .quantity(try quantity(energy, type, entry))))
        }
        if let distance = workout.distance {
            let value = try distance.value(in: Self.metre, type: "distance")
            let code = CodeableConcept(
                Coding(system: Self.healthKit, code: "HKWorkout.totalDistance", display: "Distance"),
                text: "Distance"
            )
            components.append(component(code, .quantity(Quantity(value: value, unit: "m", code: "m"))))
        }
        return components
    }

    func components(of heart: Electrocardiogram) throws(SampleError) -> [Observation.Component] {
        func own(_ part: String, _ display: String) -> CodeableConcept {
            self.own("HKElectrocardiogram", part, display)
        }
        let frequency = try heart.samplingFrequency.value(in: Self.hertz, type: "samplingFrequency")
        guard let perSecond = frequency.decimal, Electrocardiogram.frequencies.contains(perSecond) else {
            throw .number(name: "samplingFrequency", text: heart.samplingFrequency.value.description)
        }
        guard !heart.voltages.isEmpty else { throw .missing("microvolts") }
        guard heart.voltages.count <= 10_000_000 else {
            throw .tooLarge("an electrocardiogram has more than 10,000,000 voltages")
        }
        var components = [
            component(
                own("NumberOfVoltageMeasurements", "Number of voltage measurements"),
                .integer(heart.voltages.count)
            ),
            component(
                own("SamplingFrequency", "Sampling frequency"),
                .quantity(Quantity(value: frequency, unit: "Hz", code: "Hz"))
            ),
        ]
        if let text = heart.classification {
            components.append(component(own("Classification", "Classification"), .string(text)))
        }
        if let rate = heart.averageHeartRate {
            let type = "HKQuantityTypeIdentifierHeartRate"
            let entry = try mapping.entry(of: type)
            components.append(component(concept(type, entry), .quantity(try quantity(rate, type, entry))))
        }
        if let text = heart.symptoms {
            components.append(component(own("SymptomsStatus", "Symptoms"), .string(text)))
        }
        let lead = CodeableConcept(
            Coding(system: "urn:oid:2.16.840.1.113883.6.24", code: "131329", display: "MDC_ECG_ELEC_POTL_I"),
            text: "Lead I"
        )
        // Ten seconds a piece, since servers limit the length of a text.
        let count = max(1, NSDecimalNumber(decimal: perSecond * 10).intValue)
        for start in stride(from: 0, to: heart.voltages.count, by: count) {
            var data = SampledData(
                origin: Quantity(value: 0, unit: "uV", code: "uV"),
                period: SampleNumber.rounded(1000 / perSecond, isExact: false),
                dimensions: 1
            )
            data.data = heart.voltages[start..<min(start + count, heart.voltages.count)].map(\.description)
                .joined(separator: " ")
            components.append(component(lead, .sampledData(data)))
        }
        return components
    }

    func components(of state: StateOfMind) -> [Observation.Component] {
        func own(_ part: String) -> CodeableConcept {
            CodeableConcept(
                Coding(system: Self.healthKit, code: "HKStateOfMind\(part)", display: part),
                text: part
            )
        }
        var components = [
            component(own("Kind"), .string(state.kind)),
            component(own("Valence"), .quantity(Quantity(value: state.valence, code: "1"))),
        ]
        if let text = state.classification {
            components.append(component(own("ValenceClassification"), .string(text)))
        }
        components += state.labels.map { component(own("Label"), .string($0)) }
        components += state.associations.map { component(own("Association"), .string($0)) }
        return components
    }

    /// The components that HealthKit stores in the metadata of events, although they belong to what was
    /// observed.
    func components(ofMetadata sample: Sample, _ shown: inout Set<String>) -> [Observation.Component] {
        var components: [Observation.Component] = []
        for (name, type) in Self.thresholds {
            // With a unit that does not fit the type it stays with the other metadata, so that the event is
            // not lost.
            guard case .quantity(let value)? = sample.metadata[name], let entry = mapping.types[type],
                let quantity = try? quantity(value, type, entry)
            else { continue }
            components.append(component(concept(type, entry), .quantity(quantity)))
            shown.insert(name)
        }
        for name in ["HKMenstrualCycleStart", "HKSexualActivityProtectionUsed"] {
            let isSet: Bool? =
                switch sample.metadata[name] {
                case .boolean(let value): value
                case .text("1"): true
                case .text("0"): false
                default: nil
                }
            guard let isSet else { continue }
            let code = CodeableConcept(Coding(system: Self.healthKit, code: name))
            components.append(component(code, .boolean(isSet)))
            shown.insert(name)
        }
        return components
    }

    func unknownActivity(_ name: String, _ type: String) -> SampleError {
        .value(
            name,
            type: type,
            hint: Spelling.hint(for: String(name.prefix(60)), among: mapping.workouts.keys)
        )
    }

    /// The code of a property of one of HealthKit's classes.
    func own(_ type: String, _ part: String, _ display: String) -> CodeableConcept {
        CodeableConcept(
            Coding(system: Self.healthKit, code: "\(type).\(part)", display: display),
            text: display
        )
    }

    func component(_ code: CodeableConcept, _ value: Observation.Component.Value)
        -> Observation.Component
    {
        var component = Observation.Component(code: code)
        component.value = value
        return component
    }

    private static let thresholds = [
        ("HKHeartRateEventThreshold", "HKQuantityTypeIdentifierHeartRate"),
        ("HKLowCardioFitnessEventThreshold", "HKQuantityTypeIdentifierVO2Max"),
        ("HKVO2MaxValue", "HKQuantityTypeIdentifierVO2Max"),
    ]
    private static let absentReason: FHIRURI = "http://terminology.hl7.org/CodeSystem/data-absent-reason"
    static let minute = unit("min")
    static let metre = unit("m")
    static let kilocalorie = unit("kcal")
    static let hertz = unit("Hz")

    static func unit(_ code: String) -> UCUMUnit {
        // The codes above are UCUM's.
        (try? UCUMUnit(code)) ?? .one
    }
}
