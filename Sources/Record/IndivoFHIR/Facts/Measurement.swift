import FHIR

extension FactMapping {
    static let measurement = FactMapping(
        "Measurement",
        to: "Observation",
        start: { Observation(of: $0, nil) },
        rows: [
            MappingRow("type", "Observation.code.text: the app's own word") { observation, fields, _ in
                observation.code = fields.text("type").map { CodeableConcept(text: $0) } ?? .unknown
            },
            MappingRow("value, unit", "Observation.valueQuantity") { observation, fields, _ in
                let value = fields.number("value")
                let unit = fields.text("unit")
                if let value {
                    observation.value = .quantity(Quantity(value, unit: unit))
                } else if unit != nil {
                    fields.report(.noFact, "unit")
                }
            },
            MappingRow("datetime", "Observation.effectiveDateTime") { observation, fields, _ in
                observation.effective = fields.dateTime("datetime").map { .dateTime($0) }
            },
        ],
        finish: { observation, context in
            var observation = observation
            if observation.value == nil { observation.dataAbsentReason = .unknown }
            return [FactResource(observation, context.address("Observation"))]
        }
    )
}
