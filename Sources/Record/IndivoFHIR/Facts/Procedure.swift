import FHIR

extension FactMapping {
    static let procedure = FactMapping(
        "Procedure",
        to: "Procedure",
        start: { Procedure(status: .unknown, subject: $0.patient()) },
        rows: [
            MappingRow(
                "name, name_type, name_value, name_abbrev",
                "Procedure.code; the abbreviation as a coding with a display alone"
            ) { procedure, fields, _ in
                procedure.code = fields.namedConcept("name") ?? .unknown
            },
            MappingRow(
                "date_performed",
                """
                Procedure.performedDateTime (words as .performedString), .status (completed; \
                without it unknown)
                """
            ) { procedure, fields, _ in
                switch fields.dateOrWords("date_performed") {
                case .dateTime(let date): procedure.performed = .dateTime(date)
                case .words(let words): procedure.performed = .string(words)
                case nil: return
                }
                procedure.status = .completed
            },
            MappingRow(
                "provider_name, provider_institution",
                "Procedure.performer: .actor.display, .onBehalfOf.display"
            ) { procedure, fields, _ in
                let name = fields.text("provider_name")
                let institution = fields.text("provider_institution")
                if let name {
                    var performer = Procedure.Performer(actor: .named(name, type: "Practitioner"))
                    performer.onBehalfOf = institution.map { .named($0, type: "Organization") }
                    procedure.performer = [performer]
                } else if let institution {
                    procedure.performer = [
                        Procedure.Performer(actor: .named(institution, type: "Organization"))
                    ]
                }
            },
            MappingRow("location", "Procedure.location.display") { procedure, fields, _ in
                procedure.location = fields.text("location").map { .named($0, type: "Location") }
            },
            MappingRow("comments", "Procedure.note") { procedure, fields, _ in
                procedure.note = fields.notes("comments")
            },
        ],
        finish: { procedure, context in [FactResource(procedure, context.address("Procedure"))] }
    )
}
