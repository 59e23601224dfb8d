import FHIR

extension FactMapping {
    static let measurement = FactMapping(
        "Measurement", to: "Observation", start: { Observation(of: $0, nil) },
        rows: [
            MappingRow("type", "Observation.code.text: the app's own word") { observation, fields, _ in
                observation.code = fields.text("type").map { CodeableConcept(text: $0) } ?? .unknown
            },
            MappingRow("value, unit", "Observation.valueQuantity") { observation, fields, _ in
                guard let value = fields.number("value") else { return }
                observation.value = .quantity(Quantity(value, unit: fields.text("unit")))
            },
            MappingRow("datetime", "Observation.effectiveDateTime") { observation, fields, _ in
                observation.effective = fields.dateTime("datetime").map { .dateTime($0) }
            },
        ],
        finish: { observation, context in
            var observation = observation
            if observation.value == nil { observation.dataAbsentReason = .unknown }
            return [FactResource(observation, context.address("Observation"))]
        })
}
