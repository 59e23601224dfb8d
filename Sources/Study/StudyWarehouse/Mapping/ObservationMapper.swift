import FHIR

/// Observations as facts: of the measurement, and of each of its components.
///
/// Concepts have the names of this package's table of measurements, or their codes: never what a phone calls
/// them.
public struct ObservationMapper: Sendable {
    private static let maximumComponents = 1000

    private let freeText: ResponseMapper.FreeText

    /// A mapper.
    ///
    /// - Parameter freeText: What happens to texts that are not codes, which may name people.
    public init(freeText: ResponseMapper.FreeText = .loaded) { self.freeText = freeText }

    /// Maps an observation. One that was entered in error or cancelled gives a visit without facts.
    ///
    /// - Parameters:
    ///   - visit: Identifies the visit where the observation has no identifier.
    ///   - received: When it was received, for observations that have no date.
    /// - Throws: ``MappingError``.
    public func map(_ observation: Observation, visit: String, received: FHIRDateTime) throws(MappingError)
        -> FactSet
    {
        let identifier = observation.identifier.first { $0.value != nil }
        // With its type: a response of the participant may have the same identifier, and is another visit.
        let id = identifier?.value.map { "Observation/\(identifier?.system?.rawValue ?? "")|\($0)" } ?? visit
        let (written, writtenEnd) = Self.times(of: observation, received)
        let start = ObservedTime(written, received: received).time
        let end = writtenEnd.map { ObservedTime($0, received: received).time }
        var builder = FactBuilder(StudyVisit(id: id, start: start, end: end))
        guard observation.status != .enteredInError, observation.status != .cancelled else {
            return builder.set
        }
        let concept = try Self.concept(observation.code, "Observation.code")
        var fact = Fact(concept.code, start: start)
        fact.end = end
        fact.flag = Self.flag(observation.interpretation)
        guard observation.component.count <= Self.maximumComponents else {
            throw MappingError(
                path: "Observation.component",
                reason: "more than \(Self.maximumComponents) of them"
            )
        }
        if let value = observation.value {
            guard fill(&fact, value) else {
                builder.omit("Observation.value: \(value.content.suffix)")
                return builder.set
            }
        }
        builder.append(fact, concept, ObservedTime.modifiers(written, received: received))
        for (index, component) in observation.component.enumerated() {
            let part = try Self.concept(component.code, "Observation.component[\(index)].code")
            var fact = Fact(part.code, start: start)
            fact.end = end
            fact.flag = Self.flag(component.interpretation)
            // The two choices have the same types.
            if let content = component.value?.content,
                let value = Observation.Value(content.suffix, content.tree)
            {
                guard fill(&fact, value) else {
                    builder.omit("Observation.component[\(index)].value: \(content.suffix)")
                    continue
                }
            }
            builder.append(fact, part, [(FactModifier.component, FactValue(text: concept.code))])
        }
        return builder.set
    }

    private static func times(of observation: Observation, _ received: FHIRDateTime) -> (
        FHIRDateTime, FHIRDateTime?
    ) {
        switch observation.effective {
        case .dateTime(let time): (time, nil)
        case .instant(let instant): (instant.dateTime, nil)
        case .period(let period): (period.start ?? period.end ?? received, period.end)
        case .timing, nil: (observation.issued?.dateTime ?? received, nil)
        }
    }

    /// The first code of a shared scheme, or else HealthKit's, or else the first code.
    private static func concept(_ concept: CodeableConcept?, _ path: String) throws(MappingError) -> Concept {
        let codings = concept?.coding ?? []
        let coding =
            codings.first { ConceptNames.scheme($0.system?.rawValue ?? "") != nil && $0.code != nil }
            ?? codings.first { $0.system == ConceptNames.healthKit && $0.code != nil } ?? codings.first
        guard let coding, let code = ConceptNames.code(coding) else {
            throw MappingError(path: path, reason: "it has no code")
        }
        let system = coding.system?.rawValue ?? ""
        return Concept(
            path: ConceptNames.path(ConceptNames.measurements, [code]),
            code: code,
            name: KnownMeasurements[code]?.name ?? coding.code ?? code,
            key: ConceptNames.scheme(system) == nil ? "\(system)|\(coding.code ?? "")" : code
        )
    }

    private static func flag(_ interpretations: [CodeableConcept]) -> String? {
        let codes = interpretations.flatMap { $0.coding.compactMap(\.code) }
        return codes.lazy.compactMap { code -> String? in
            switch code {
            case "H", "HH", "HU": "H"
            case "L", "LL", "LU": "L"
            case "A", "AA": "A"
            case "N": "N"
            default: nil
            }
        }.first
    }

    /// False for a value that has no form as a fact.
    private func fill(_ fact: inout Fact, _ value: Observation.Value) -> Bool {
        switch value {
        case .quantity(let quantity):
            guard let decimal = quantity.value else { return true }
            guard let number = WarehouseNumber(decimal) else {
                fact.value = FactValue(text: decimal.description)
                return true
            }
            fact.value = .number(number, comparison: Comparison.of(quantity.comparator))
            fact.unit = UnitConversion.unit(of: quantity)
        case .integer(let integer):
            guard let number = WarehouseNumber(FHIRDecimal(integer)) else { return false }
            fact.value = .number(number, comparison: "E")
        case .codeableConcept(let concept):
            guard let code = concept.coding.first.flatMap(ConceptNames.code) else {
                return say(&fact, concept.text ?? "")
            }
            fact.value = FactValue(text: code)
        case .string(let text): return say(&fact, text)
        case .boolean(let value): fact.value = FactValue(text: value ? "true" : "false")
        case .time(let time): fact.value = FactValue(text: time.description)
        case .dateTime(let time): fact.value = FactValue(text: time.description)
        case .range, .ratio, .sampledData, .period: return false
        }
        return true
    }

    /// A text is a value, unless such texts are omitted: then the fact has none.
    private func say(_ fact: inout Fact, _ text: String) -> Bool {
        if freeText == .loaded { fact.value = FactValue(text: text) }
        return true
    }
}
