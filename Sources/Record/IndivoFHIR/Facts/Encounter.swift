import FHIR

extension FactMapping {
    /// Codes of SMART's encounter types, and HL7's for the same.
    private static let classes = [
        "home": ("HH", "home health"), "emergency": ("EMER", "emergency"),
        "ambulatory": ("AMB", "ambulatory"),
        "inpatient": ("IMP", "inpatient encounter"), "field": ("FLD", "field"), "virtual": ("VR", "virtual"),
    ]

    static let encounter = FactMapping(
        "Encounter",
        to: "Encounter",
        start: { context in
            // A class is required, and the record may not say.
            var encounter = Encounter(
                status: .unknown,
                class: Coding(system: Vocabulary.dataAbsentReason, code: "unknown")
            )
            encounter.subject = context.patient()
            return encounter
        },
        rows: [
            MappingRow("encounterType_*", "Encounter.class, in HL7's codes, and .type") {
                encounter,
                fields,
                _ in
                guard let type = fields.concept("encounterType", "type") else { return }
                encounter.type = [type]
                if let (code, display) = type.firstCode.flatMap({ classes[$0] }) {
                    encounter.class = Coding(
                        system: "http://terminology.hl7.org/CodeSystem/v3-ActCode",
                        code: code,
                        display: display
                    )
                }
            },
            MappingRow("startDate, endDate", "Encounter.period, .status (finished with an end, else unknown)")
            {
                encounter,
                fields,
                _ in
                let start = fields.dateTime("startDate")
                let end = fields.dateTime("endDate")
                if start != nil || end != nil { encounter.period = Period(start: start, end: end) }
                if end != nil { encounter.status = .finished }
            },
            MappingRow("facility_*", "Encounter.serviceProvider, a contained Organization") {
                encounter,
                fields,
                _ in
                guard let facility = fields.organization("facility", name: "_name") else { return }
                encounter.serviceProvider = Reference(encounter.contain(facility, as: "facility"))
            },
            MappingRow("provider_*", "Encounter.participant.individual, a contained Practitioner") {
                encounter,
                fields,
                _ in
                guard let provider = fields.practitioner("provider") else { return }
                var participant = Encounter.Participant()
                participant.individual = Reference(encounter.contain(provider, as: "provider"))
                encounter.participant = [participant]
            },
        ],
        finish: { encounter, context in [FactResource(encounter, context.address("Encounter"))] }
    )
}
