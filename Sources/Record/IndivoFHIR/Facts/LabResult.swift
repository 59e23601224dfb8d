import FHIR

/// A laboratory's result, and what is known of the specimen.
private struct LabDraft {
    var observation: Observation
    var specimen = Specimen()
    var collector = PractitionerRole()
}

extension FactMapping {
    static let labResult = FactMapping(
        "LabResult",
        to: "Observation (category laboratory)",
        start: { context in
            var observation = Observation(of: context, "laboratory", "Laboratory")
            observation.status = .unknown
            return LabDraft(observation: observation)
        },
        rows: [
            MappingRow(
                "status_*",
                """
                Observation.status (correction: corrected; without it unknown); \
                the coded value as an extension of .status
                """
            ) { draft, fields, _ in
                guard let status = fields.concept("status") else { return }
                draft.observation.status = status.firstCode.flatMap { LabCodes.statuses[$0] } ?? .unknown
                draft.observation.keep(status, of: "status")
            },
            MappingRow("test_name_*", "Observation.code") { draft, fields, _ in
                draft.observation.code = fields.concept("test_name", "name") ?? .unknown
            },
            MappingRow("collected_at", "Observation.effectiveDateTime") { draft, fields, _ in
                draft.observation.effective = fields.dateTime("collected_at", "date").map { .dateTime($0) }
            },
            MappingRow(
                "quantitative_result_value_*",
                "Observation.valueQuantity, with .comparator for <5; words as .valueString"
            ) { draft, fields, _ in
                draft.observation.set(fields.measured("quantitative_result_value"))
            },
            MappingRow("narrative_result", "Observation.valueString; .note beside a quantity") {
                draft,
                fields,
                _ in
                guard let narrative = fields.text("narrative_result") else { return }
                if draft.observation.value == nil {
                    draft.observation.value = .string(narrative)
                } else {
                    draft.observation.note.append(Annotation(text: narrative))
                }
            },
            MappingRow(
                "quantitative_result_normal_range_*, quantitative_result_non_critical_range_*",
                "Observation.referenceRange: .low, .high (in words .text), .type"
            ) { draft, fields, _ in
                draft.observation.referenceRange = [
                    fields.referenceRange("quantitative_result_normal_range", type: LabCodes.normal),
                    fields.referenceRange(
                        "quantitative_result_non_critical_range",
                        type: LabCodes.nonCritical
                    ),
                ].compactMap { $0 }
            },
            MappingRow(
                "abnormal_interpretation_*",
                "Observation.interpretation, in HL7's codes and the record's own"
            ) {
                draft,
                fields,
                _ in
                guard let concept = fields.concept("abnormal_interpretation") else { return }
                let known = concept.firstCode.flatMap { LabCodes.interpretations[$0] }
                draft.observation.interpretation = [concept.translated(to: known)]
            },
            MappingRow("notes", "Observation.note") { draft, fields, _ in
                draft.observation.note += fields.notes("notes")
            },
            MappingRow("accession_number", "Observation.specimen, a contained Specimen: .accessionIdentifier")
            {
                draft,
                fields,
                _ in
                draft.specimen.accessionIdentifier = fields.text("accession_number").map {
                    Identifier(system: nil, value: $0)
                }
            },
            MappingRow(
                "collected_by_org_*, collected_by_name_*, collected_by_role",
                "the same Specimen's .collection.collector, a contained PractitionerRole "
                    + "with contained Organization and Practitioner"
            ) { draft, fields, _ in
                if let organization = fields.organization("collected_by_org", name: "_name") {
                    let reference = draft.observation.contain(organization, as: "collecting-organization")
                    draft.collector.organization = Reference(reference)
                }
                if let name = fields.personName("collected_by_name") {
                    var person = Practitioner()
                    person.name = [name]
                    let reference = draft.observation.contain(person, as: "collecting-person")
                    draft.collector.practitioner = Reference(reference)
                }
                draft.collector.code =
                    fields.text("collected_by_role").map { [CodeableConcept(text: $0)] } ?? []
            },
        ],
        finish: { draft, context in
            var observation = draft.observation
            var specimen = draft.specimen
            if !draft.collector.isBare {
                var collection = Specimen.Collection()
                collection.collector = Reference(observation.contain(draft.collector, as: "collector"))
                specimen.collection = collection
            }
            if !specimen.isBare {
                specimen.subject = context.patient()
                observation.specimen = Reference(observation.contain(specimen, as: "specimen"))
            }
            if observation.value == nil { observation.dataAbsentReason = .unknown }
            return [FactResource(observation, context.address("Observation"))]
        }
    )
}

/// SMART's codes in Indivo's laboratory results, and FHIR's codes for the same.
private enum LabCodes {
    static let statuses: [String: ObservationStatus] = [
        "preliminary": .preliminary, "final": .final, "correction": .corrected,
    ]

    static let interpretations = [
        "normal": interpretation("N", "Normal"), "abnormal": interpretation("A", "Abnormal"),
        "critical": interpretation("AA", "Critical abnormal"),
    ]

    static let normal = CodeableConcept(
        Coding(
            system: "http://terminology.hl7.org/CodeSystem/referencerange-meaning",
            code: "normal",
            display: "Normal Range"
        )
    )
    static let nonCritical = CodeableConcept(text: "non-critical")

    private static func interpretation(_ code: String, _ display: String) -> Coding {
        Coding(
            system: "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation",
            code: code,
            display: display
        )
    }
}

extension FactFields {
    /// A range of values: `_min_value`, `_min_unit`, `_max_value`, `_max_unit`. Bounds that are not numbers
    /// are words.
    fileprivate func referenceRange(_ name: String, type: CodeableConcept) -> Observation.ReferenceRange? {
        var range = Observation.ReferenceRange()
        var words: [String] = []
        for (bound, label) in [("_min", "from"), ("_max", "to")] {
            switch measured(name + bound) {
            case .quantity(let quantity) where quantity.comparator == nil:
                if bound == "_min" { range.low = quantity } else { range.high = quantity }
            case .quantity(let quantity):
                let parts = [quantity.comparator?.code, quantity.value?.description, quantity.unit]
                words.append("\(label) \(parts.compactMap { $0 }.joined(separator: " "))")
            case .words(let text): words.append("\(label) \(text)")
            case nil: break
            }
        }
        if !words.isEmpty { range.text = words.joined(separator: " ") }
        if range.isEmpty { return nil }
        range.type = type
        return range
    }
}
