import FHIR

/// What was measured at one time.
private struct VitalSignsDraft {
    var date: FHIRDateTime?
    var encounter: FactResource?
    var observations: [(part: String, observation: Observation)] = []
}

extension FactMapping {
    /// The signs that are a number each, with LOINC's codes for those that the record does not name.
    private static let signs: [(field: String, code: CodeableConcept)] = [
        ("bmi", .loinc("39156-5", "Body mass index")), ("heart_rate", .loinc("8867-4", "Heart rate")),
        ("height", .loinc("8302-2", "Body height")),
        ("oxygen_saturation", .loinc("2710-2", "Oxygen saturation")),
        ("respiratory_rate", .loinc("9279-1", "Respiratory rate")),
        ("temperature", .loinc("8310-5", "Body temperature")), ("weight", .loinc("3141-9", "Body weight")),
    ]

    static let vitalSigns = FactMapping(
        "VitalSigns",
        to: "an Observation (category vital-signs) for each sign, and an Encounter",
        start: { _ in VitalSignsDraft() },
        rows: [
            MappingRow("date", "Observation.effectiveDateTime of each") { draft, fields, _ in
                draft.date = fields.dateTime("date")
            },
            MappingRow("encounter", "an Encounter, see there; Observation.encounter of each") {
                draft,
                fields,
                context in
                for (index, encounter) in fields.related("encounter").enumerated() {
                    if index > 0 {
                        // A fact has one encounter; what a second one says is reported.
                        continue
                    }
                    draft.encounter = FactMapping.encounter.convert(encounter, context).first
                }
            },
            MappingRow(
                "bp_systolic_*, bp_diastolic_*, bp_position_*, bp_site_*, bp_method_*",
                "an Observation with code 85354-9: .component (systolic 8480-6, diastolic 8462-4, "
                    + "position 8361-8), .bodySite, .method"
            ) { draft, fields, context in
                guard let panel = fields.bloodPressure(context) else { return }
                draft.observations.append(("bp", panel))
            },
        ]
            + signs.map { sign in
                MappingRow(
                    "\(sign.field)_*",
                    """
                    an Observation: .valueQuantity, .code (\(sign.code.firstCode ?? "") \
                    unless named otherwise)\(VitalSignProfile.row(sign.field, sign.code.firstCode))
                    """
                ) { draft, fields, context in
                    let name = fields.concept(sign.field + "_name")
                    let value = fields.measured(sign.field)
                    guard name != nil || value != nil else { return }
                    var observation = Observation(of: context, "vital-signs", "Vital Signs")
                    observation.code = name ?? sign.code
                    observation.set(value)
                    if value == nil { observation.dataAbsentReason = .unknown }
                    draft.observations.append((sign.field, observation))
                }
            },
        finish: { draft, context in
            let observations = draft.observations.map { part, observation in
                var observation = observation
                observation.effective = draft.date.map { .dateTime($0) }
                observation.encounter = draft.encounter?.address.reference()
                if part == "bp" { observation.conformToBloodPressure() }
                VitalSignProfile.bySign[part]?.conform(&observation)
                return FactResource(observation, context.address("Observation", part))
            }
            return observations + [draft.encounter].compactMap { $0 }
        }
    )
}

extension VitalSignProfile {
    /// What the documentation says of a sign beside its own code.
    fileprivate static func row(_ sign: String, _ code: String?) -> String {
        guard let profile = bySign[sign] else { return "" }
        let also = profile.code == code ? "" : " and \(profile.code)"
        let units = profile.units.map { "`\($0)`" }.joined(separator: " or ")
        return "\(also), in \(units) as the profile `\(profile.name)` asks"
    }
}

extension FactFields {
    /// A blood pressure as a panel of both pressures.
    fileprivate func bloodPressure(_ context: FactContext) -> Observation? {
        var panel = Observation(of: context, "vital-signs", "Vital Signs")
        panel.code = .loinc("85354-9", "Blood pressure panel with all children optional")
        let pressures: [(String, CodeableConcept)] = [
            ("bp_systolic", .loinc("8480-6", "Systolic blood pressure")),
            ("bp_diastolic", .loinc("8462-4", "Diastolic blood pressure")),
        ]
        for (field, code) in pressures {
            let name = concept(field + "_name")
            let value = measured(field)
            guard name != nil || value != nil else { continue }
            var component = Observation.Component(code: name ?? code)
            switch value {
            case .quantity(let quantity): component.value = .quantity(quantity)
            case .words(let words): component.value = .string(words)
            case nil: component.dataAbsentReason = .unknown
            }
            panel.component.append(component)
        }
        if let position = concept("bp_position") {
            var component = Observation.Component(
                code: .loinc("8361-8", "Body position with respect to gravity")
            )
            component.value = .codeableConcept(position)
            panel.component.append(component)
        }
        panel.bodySite = concept("bp_site")
        panel.method = concept("bp_method")
        return panel.component.isEmpty && panel.bodySite == nil && panel.method == nil ? nil : panel
    }
}
