import FHIR

/// A medication and the times it was dispensed.
private struct MedicationDraft {
    var statement: MedicationStatement
    var dispenses: [FactResource] = []
}

extension FactMapping {
    static let medication = FactMapping(
        "Medication",
        to: "MedicationStatement, and a MedicationDispense for each fill",
        start: { context in
            MedicationDraft(
                statement: MedicationStatement(
                    status: .active,
                    medication: .codeableConcept(.unknown),
                    subject: context.patient()
                )
            )
        },
        rows: [
            MappingRow("drugName_*", "MedicationStatement.medicationCodeableConcept") { draft, fields, _ in
                guard let drug = fields.concept("drugName", "name") else { return }
                draft.statement.medication = .codeableConcept(drug)
            },
            MappingRow(
                "startDate, endDate",
                "MedicationStatement.effectivePeriod, .status (completed with an end, else active)"
            ) { draft, fields, _ in
                let start = fields.dateTime("startDate")
                let end = fields.dateTime("endDate")
                if start != nil || end != nil {
                    draft.statement.effective = .period(Period(start: start, end: end))
                }
                if end != nil { draft.statement.status = .completed }
            },
            MappingRow("provenance_*", "MedicationStatement.extension (medication-provenance)") {
                draft,
                fields,
                _ in
                guard let provenance = fields.concept("provenance") else { return }
                draft.statement.extension.append(
                    Extension(url: Vocabulary.medicationProvenance, value: .codeableConcept(provenance))
                )
            },
            MappingRow("instructions", "MedicationStatement.dosage.text") { draft, fields, _ in
                guard let instructions = fields.text("instructions") else { return }
                var dosage = Dosage()
                dosage.text = instructions
                draft.statement.dosage = [dosage]
            },
            MappingRow(
                "frequency_*",
                "MedicationStatement.dosage.timing: .repeat for so many times a unit of time, else .code.text"
            ) { draft, fields, _ in
                guard let timing = fields.timing("frequency") else { return }
                var dosage = draft.statement.dosage.first ?? Dosage()
                dosage.timing = timing
                draft.statement.dosage = [dosage]
            },
            MappingRow("quantity_*", "MedicationStatement.dosage.doseAndRate.doseQuantity") {
                draft,
                fields,
                _ in
                guard let quantity = fields.quantity("quantity", comparable: false) else { return }
                var dosage = draft.statement.dosage.first ?? Dosage()
                var dose = Dosage.DoseAndRate()
                dose.dose = .quantity(quantity)
                dosage.doseAndRate = [dose]
                draft.statement.dosage = [dosage]
            },
            MappingRow("fulfillments", "a MedicationDispense each, see Fill; MedicationStatement.derivedFrom")
            {
                draft,
                fields,
                context in
                let drug = draft.statement.medication?.codeableConcept ?? .unknown
                for (index, fill) in fields.related("fulfillments").enumerated() {
                    let part = FactContext(subject: context.subject, key: "\(context.key).fill.\(index + 1)")
                    for var dispense in FactMapping.fill.convert(fill, part) {
                        dispense.name(drug)
                        draft.statement.derivedFrom.append(dispense.address.reference())
                        draft.dispenses.append(dispense)
                    }
                }
            },
        ],
        finish: { draft, context in
            [FactResource(draft.statement, context.address("MedicationStatement"))] + draft.dispenses
        }
    )
}

extension FactResource {
    /// Says which drug was dispensed, and prescribed.
    fileprivate mutating func name(_ drug: CodeableConcept) {
        guard var dispense = resource.as(MedicationDispense.self) else { return }
        dispense.medication = .codeableConcept(drug)
        dispense.contained = dispense.contained.map { inner in
            guard var request = inner.as(MedicationRequest.self) else { return inner }
            request.medication = .codeableConcept(drug)
            return AnyResource(request)
        }
        resource = AnyResource(dispense)
    }
}

extension FactFields {
    /// How often: so many times in a unit of time, such as 2 `/d`; anything else in words.
    func timing(_ name: String) -> Timing? {
        guard let (text, unit) = valueAndUnit(name) else { return nil }
        var timing = Timing()
        let period = unit?.trimmed
        if let times = Int(text.trimmed), times > 0, let period, period.hasPrefix("/"),
            ["s", "min", "h", "d", "wk", "mo", "a"].contains(period.dropFirst())
        {
            var rate = Timing.Repeat()
            rate.frequency = times
            rate.period = 1
            rate.periodUnit = UnitOfTime(String(period.dropFirst()))
            timing.repeat = rate
        } else {
            timing.code = CodeableConcept(text: [text, unit].compactMap { $0 }.joined(separator: " "))
        }
        return timing
    }
}
