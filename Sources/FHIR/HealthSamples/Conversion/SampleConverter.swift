import FHIR
import Foundation
import OrderedJSON
import UCUM

/// Turns samples into Observations, workout routes into DocumentReferences, and the devices that measured
/// them into Devices.
///
///     let converter = SampleConverter(subject: "Patient/7")
///     let device = converter.device(of: sample)
///     let observation = try converter.resource(
///         of: sample,
///         device: device.map { Reference("Device/\($0.id ?? "")") }
///     )
///
/// The same sample gives the same resources each time. Vital signs satisfy R4's profile of vital signs when
/// there is a subject.
public struct SampleConverter: Sendable {
    /// The codes, units and categories of types.
    public var mapping: HealthMapping
    /// A reference to the person whose samples these are, such as `Patient/7`.
    public var subject: String?
    let devices = DeviceCache()

    /// The system of identifiers that are UUIDs; their values begin with `urn:uuid:`.
    public static let identifierSystem: FHIRURI = "urn:ietf:rfc:3986"
    /// The system of HealthKit's own codes.
    public static let healthKit: FHIRURI = "http://developer.apple.com/documentation/healthkit"
    static let metadataURL = "https://bdh.stanford.edu/fhir/defs/metadata"
    static let categorySystem: FHIRURI = "http://terminology.hl7.org/CodeSystem/observation-category"

    /// A converter.
    public init(mapping: HealthMapping = .standard, subject: String? = nil) {
        self.mapping = mapping
        self.subject = subject
    }

    /// The Observation of a sample; for a clinical record the record's resource, unchanged, and for a workout
    /// route a DocumentReference with the route as GPX.
    /// - Parameter device: The device that measured the sample.
    /// - Throws: ``SampleError``, which names the type, unit or value.
    public func resource(of sample: Sample, device: Reference<AnyResource>? = nil) throws(SampleError)
        -> AnyResource
    {
        try sample.check()
        if case .clinicalRecord(let resource) = sample.value {
            if let entry = mapping.types[sample.type] { try check(sample, entry) }
            return resource
        }
        if case .workoutRoute(let route) = sample.value {
            return AnyResource(try document(of: route, sample, device: device))
        }
        return AnyResource(try observation(of: sample, device: device))
    }

    /// The samples to convert in place of a sample: the sample itself and, if it is a correlation that cannot
    /// become an Observation, its members after it. So one member without a mapping does not exclude the
    /// others.
    public func parts(of sample: Sample) -> [Sample] {
        guard case .correlation(let members) = sample.value else { return [sample] }
        do throws(SampleError) { _ = try resource(of: sample) } catch { return [sample] + members }
        return [sample]
    }

    /// - Throws: ``SampleError/malformed(name:expected:)`` if the value is of another kind than the type's.
    func check(_ sample: Sample, _ entry: HealthMapping.Entry) throws(SampleError) {
        let isRight: Bool =
            switch sample.value {
            case .quantity: entry.kind == .quantity
            case .category: entry.kind == .category
            case .correlation: entry.kind == .correlation
            // Types of own mappings may have any of these values, HealthKit's have one each.
            default:
                entry.kind == .other
                    && (sample.value.ownType == sample.type
                        || SampleValue.OwnType(rawValue: sample.type) == nil)
            }
        if isRight { return }
        let expected =
            switch entry.kind {
            case .quantity: "a 'value' with a unit"
            case .category: "a 'category'"
            case .correlation: "a 'correlation'"
            case .other: "what the type says, as HKStateOfMind is a 'stateOfMind'"
            }
        throw .malformed(name: sample.type, expected: expected)
    }

    private func observation(of sample: Sample, device: Reference<AnyResource>?) throws(SampleError)
        -> Observation
    {
        let entry = try mapping.entryOrIdentifier(of: sample.type)
        try check(sample, entry)
        let identity = sample.identity
        var result = Observation(status: .final, code: concept(sample.type, entry))
        result.id = identity
        result.identifier = [Identifier(system: Self.identifierSystem, value: "urn:uuid:\(identity)")]
        if let category = entry.category {
            result.category = [CodeableConcept(Coding(system: Self.categorySystem, code: category))]
        }
        if let subject { result.subject = Reference(subject) }
        let (start, end) = zoned(sample)
        result.effective =
            start.microseconds == end.microseconds
            ? .dateTime(start) : .period(Period(start: start, end: end))
        result.issued = FHIRInstant(text: end.description)
        result.device = device
        var shown: Set<String> = []
        switch sample.value {
        case .quantity(let quantity):
            result.value = .quantity(try self.quantity(quantity, sample.type, entry))
        case .category(let raw):
            result.value = try value(raw, sample.type, entry)
            result.component = components(ofMetadata: sample, &shown)
        case .correlation(let members):
            result.component = try components(of: members, entry)
        case .workout(let workout):
            let physical = Coding(
                system: "http://hl7.org/fhir/us/physical-activity/CodeSystem/pa-temporary-codes",
                code: "PhysicalActivity"
            )
            result.category.append(CodeableConcept(physical))
            guard mapping.workouts[workout.activity] != nil else {
                throw unknownActivity(workout.activity, sample.type)
            }
            result.value = .codeableConcept(.code(workout.activity, system: Self.healthKit))
            result.component = try components(of: workout)
        case .electrocardiogram(let heart): result.component = try components(of: heart)
        case .stateOfMind(let state): result.component = components(of: state)
        case .activitySummary(let summary):
            // Only the day is known, not the time.
            result.effective = FHIRDateTime(text: summary.day.description).map { .dateTime($0) }
            result.issued = nil
            result.component = try components(of: summary)
        case .audiogram(let audiogram): result.component = try components(of: audiogram)
        case .clinicalRecord, .workoutRoute: break
        }
        if let facts = metadata(of: sample, without: shown) { result.extension = [facts] }
        return result
    }

    /// The metadata as an extension; nil without any.
    func metadata(of sample: Sample, without shown: Set<String>) -> Extension? {
        let facts = sample.metadata.filter { !shown.contains($0.key) }.sorted { $0.key < $1.key }
        if facts.isEmpty { return nil }
        var parts = Extension(url: FHIRURI(Self.metadataURL))
        parts.extension = facts.compactMap { name, value in
            guard let value = extensionValue(value, name) else { return nil }
            let path = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
            return Extension(url: FHIRURI("\(Self.metadataURL)/\(path)"), value: value)
        }
        return parts.extension.isEmpty ? nil : parts
    }

    /// The codes of a type: those of the mapping, and HealthKit's own for its types.
    func concept(_ type: String, _ entry: HealthMapping.Entry) -> CodeableConcept {
        var concept = CodeableConcept(text: entry.display)
        concept.coding = entry.codes
        if type.hasPrefix("HK") {
            concept.coding.append(Coding(system: Self.healthKit, code: type, display: entry.display))
        }
        return concept
    }

    /// The sample's dates in its own zone, where its metadata name it.
    func zoned(_ sample: Sample) -> (start: FHIRDateTime, end: FHIRDateTime) {
        guard case .text(let name)? = sample.metadata["HKTimeZone"], let zone = TimeZone(identifier: name)
        else {
            return (sample.start, sample.end)
        }
        return (sample.start.moved(to: zone), sample.end.moved(to: zone))
    }

    package func quantity(_ quantity: SampleQuantity, _ type: String, _ entry: HealthMapping.Entry)
        throws(SampleError) -> Quantity
    {
        guard let unit = entry.unit else {
            if entry.kind == .quantity, mapping.types[type] == nil {
                // A type that the mapping does not know yet has its sample's unit.
                return Quantity(
                    value: quantity.value,
                    unit: quantity.unit.text,
                    code: try quantity.unit.ucum.code
                )
            }
            throw .malformed(name: "value", expected: "left out: \(type) is not a quantity")
        }
        if let accepts = unit.accepts, quantity.unit == .healthKit(accepts) {
            return Quantity(value: quantity.value, unit: unit.text, code: unit.ucum.code)
        }
        return Quantity(
            value: try quantity.value(in: unit.ucum, type: type),
            unit: unit.text,
            code: unit.ucum.code
        )
    }

    private func value(_ raw: Int?, _ type: String, _ entry: HealthMapping.Entry) throws(SampleError)
        -> Observation.Value
    {
        guard let name = entry.values, let values = mapping.values[name] else {
            // For a type that the mapping does not know yet, nobody knows what its numbers mean.
            if let raw, mapping.types[type] == nil, entry.kind == .category { return .integer(raw) }
            // The type alone is the finding: it has no values, or HealthKit's 0 for "not applicable".
            guard entry.kind == .category, raw == nil || raw == 0 else {
                throw .value(raw.map(String.init) ?? "null", type: type, hint: " It has no values.")
            }
            return .boolean(true)
        }
        guard let raw, let display = values.values[raw] else {
            let known = values.values.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }.joined(
                separator: ", "
            )
            throw .value(raw.map(String.init) ?? "null", type: type, hint: " It has \(known).")
        }
        return .codeableConcept(.code(String(raw), system: FHIRURI(values.system), display))
    }

    /// The value of a metadata entry; nil for a text without printable characters.
    private func extensionValue(_ value: MetadataValue, _ name: String) -> AnyValue? {
        func string(_ text: String) -> AnyValue? { SampleText.plain(text).map { .string($0) } }
        switch value {
        case .text(let text): return string(text)
        case .number(let number): return .decimal(number)
        case .boolean(let value): return .boolean(value)
        case .date(let date): return .dateTime(date)
        case .quantity(let quantity):
            // An unknown unit, or one of another dimension than the name's, does not exclude the sample: the
            // text stays.
            guard let unit = try? quantity.unit.resolved().unit else {
                return string("\(quantity.value) \(quantity.unit.text)")
            }
            let target =
                mapping.metadataUnits[name].flatMap { unit.isCommensurable(with: $0) ? $0 : nil } ?? unit
            guard let value = try? quantity.value(in: target) else {
                return string("\(quantity.value) \(quantity.unit.text)")
            }
            return .quantity(Quantity(value: value, unit: target.code, code: target.code))
        }
    }
}
