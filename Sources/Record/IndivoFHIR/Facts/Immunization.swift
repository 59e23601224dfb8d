import FHIR

extension FactMapping {
    static let immunization = FactMapping(
        "Immunization",
        to: "Immunization",
        start: { context in
            var immunization = Immunization(view: ["resourceType": "Immunization"])
            immunization.status = .completed
            immunization.vaccineCode = .unknown
            immunization.patient = context.patient()
            return immunization
        },
        rows: [
            MappingRow(
                "administration_status_*",
                "Immunization.status (notAdministered: not-done), .isSubpotent (partialDose); "
                    + "the coded value as an extension of .status"
            ) { immunization, fields, _ in
                guard let status = fields.concept("administration_status") else { return }
                if status.firstCode == "notAdministered" { immunization.status = .notDone }
                if status.firstCode == "partialDose" { immunization.isSubpotent = true }
                immunization.keep(status, of: "status")
            },
            MappingRow("refusal_reason_*", "Immunization.statusReason") { immunization, fields, _ in
                immunization.statusReason = fields.concept("refusal_reason")
            },
            MappingRow(
                "product_name_*, product_class_*, product_class_2_*",
                "Immunization.vaccineCode, a coding of each"
            ) { immunization, fields, _ in
                let names = ["product_name", "product_class", "product_class_2"].compactMap {
                    fields.concept($0)
                }
                guard var code = names.first else { return }
                for other in names.dropFirst() {
                    code.coding += other.coding.isEmpty ? [Coding(display: other.text)] : other.coding
                }
                immunization.vaccineCode = code
            },
            MappingRow("date", "Immunization.occurrenceDateTime; words as .occurrenceString") {
                immunization,
                fields,
                _ in
                // It is required, and readers want one of the two.
                immunization.occurrence =
                    switch fields.dateOrWords("date") {
                    case .dateTime(let date): .dateTime(date)
                    case .words(let words): .string(words)
                    case nil: .string("unknown")
                    }
            },
        ],
        finish: { immunization, context in [FactResource(immunization, context.address("Immunization"))] }
    )
}
