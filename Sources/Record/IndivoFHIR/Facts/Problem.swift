import FHIR

extension FactMapping {
    static let problem = FactMapping(
        "Problem",
        to: "Condition",
        start: { context in
            var condition = Condition(subject: context.patient())
            condition.category = [
                .code(
                    "problem-list-item",
                    system: "http://terminology.hl7.org/CodeSystem/condition-category",
                    "Problem List Item"
                )
            ]
            condition.clinicalStatus = .clinical("active", of: "condition")
            condition.verificationStatus = .confirmed(of: "Condition")
            return condition
        },
        rows: [
            MappingRow(
                "name_*",
                "Condition.code; .verificationStatus is confirmed, unless the document is void"
            ) { condition, fields, _ in
                condition.code = fields.concept("name") ?? .unknown
            },
            MappingRow("startDate", "Condition.onsetDateTime; words as .onsetString") {
                condition,
                fields,
                _ in
                switch fields.dateOrWords("startDate") {
                case .dateTime(let date): condition.onset = .dateTime(date)
                case .words(let words): condition.onset = .string(words)
                case nil: break
                }
            },
            MappingRow(
                "endDate",
                """
                Condition.abatementDateTime (words as .abatementString), .clinicalStatus (resolved; \
                without it active)
                """
            ) { condition, fields, _ in
                switch fields.dateOrWords("endDate") {
                case .dateTime(let date): condition.abatement = .dateTime(date)
                case .words(let words): condition.abatement = .string(words)
                case nil: return
                }
                condition.clinicalStatus = .clinical("resolved", of: "condition")
            },
            MappingRow("notes", "Condition.note") { condition, fields, _ in
                condition.note = fields.notes("notes")
            },
        ],
        finish: { condition, context in [FactResource(condition, context.address("Condition"))] }
    )
}

extension CodeableConcept {
    /// The verification status of what a record states as a fact.
    static func confirmed(of type: String) -> CodeableConcept? {
        StatusTable.verification[type].map {
            CodeableConcept(Coding(system: FHIRURI($0), code: "confirmed", display: "Confirmed"))
        }
    }

    /// A clinical status of a condition or an allergy.
    static func clinical(_ code: String, of kind: String) -> CodeableConcept {
        CodeableConcept(
            Coding(system: FHIRURI("http://terminology.hl7.org/CodeSystem/\(kind)-clinical"), code: code)
        )
    }
}

extension FactFields {
    /// Free texts, each as an annotation.
    func notes(_ names: String...) -> [Annotation] {
        names.compactMap { text($0).map { Annotation(text: $0) } }
    }
}
