import FHIR

/// What a pharmacy dispensed, and on whose prescription.
private struct FillDraft {
    var dispense: MedicationDispense
    var prescriber: Practitioner?
    var insurance: String?
}

extension FactMapping {
    static let fill = FactMapping(
        "Fill",
        to: "MedicationDispense",
        start: { context in
            var dispense = MedicationDispense(status: .completed, medication: .codeableConcept(.unknown))
            dispense.subject = context.patient()
            return FillDraft(dispense: dispense)
        },
        rows: [
            MappingRow("date", "MedicationDispense.whenHandedOver") { draft, fields, _ in
                draft.dispense.whenHandedOver = fields.dateTime("date")
            },
            MappingRow("dispenseDaysSupply", "MedicationDispense.daysSupply") { draft, fields, _ in
                draft.dispense.daysSupply = fields.number("dispenseDaysSupply").map {
                    Quantity(value: $0, unit: "days", code: "d")
                }
            },
            MappingRow("quantityDispensed_*", "MedicationDispense.quantity") { draft, fields, _ in
                draft.dispense.quantity = fields.quantity("quantityDispensed", comparable: false)
            },
            MappingRow("pharmacy_*", "MedicationDispense.performer.actor, a contained Organization") {
                draft,
                fields,
                _ in
                guard let pharmacy = fields.organization("pharmacy", name: "_org") else { return }
                let reference = draft.dispense.contain(pharmacy, as: "pharmacy")
                draft.dispense.performer = [MedicationDispense.Performer(actor: Reference(reference))]
            },
            MappingRow(
                "provider_*",
                "MedicationDispense.authorizingPrescription, a contained MedicationRequest; "
                    + "its .requester, a contained Practitioner"
            ) { draft, fields, _ in
                draft.prescriber = fields.practitioner("provider")
            },
            MappingRow("pbm", "the same MedicationRequest's .insurance.display") { draft, fields, _ in
                draft.insurance = fields.text("pbm")
            },
        ],
        finish: { draft, context in
            var dispense = draft.dispense
            if draft.prescriber != nil || draft.insurance != nil {
                var request = MedicationRequest(
                    status: .unknown,
                    intent: .order,
                    medication: .codeableConcept(.unknown),
                    subject: context.patient()
                )
                if let prescriber = draft.prescriber {
                    request.requester = Reference(dispense.contain(prescriber, as: "prescriber"))
                }
                if let insurance = draft.insurance { request.insurance = [.named(insurance)] }
                dispense.authorizingPrescription = [Reference(dispense.contain(request, as: "prescription"))]
            }
            return [FactResource(dispense, context.address("MedicationDispense"))]
        }
    )
}

extension Reference {
    /// A reference to something that is known by its name only.
    static func named(_ name: String, type: FHIRURI? = nil) -> Reference {
        var reference = Reference(view: [:])
        reference.type = type
        reference.display = name
        return reference
    }
}
