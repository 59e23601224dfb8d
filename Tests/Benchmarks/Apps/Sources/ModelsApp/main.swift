import Foundation
import ModelsR4
import ShortestTime

func coding(_ code: String, _ system: String, _ display: String) -> CodeableConcept {
    CodeableConcept(coding: [
        Coding(
            code: code.asFHIRStringPrimitive(),
            display: display.asFHIRStringPrimitive(),
            system: system.asFHIRURIPrimitive()
        )
    ])
}

let encoder = JSONEncoder()
let decoder = JSONDecoder()

/// What an app uploads for a sample: code, category, identifier, subject, time and quantity.
func heartRate(_ number: Int) -> Observation {
    let observation = Observation(
        code: coding("8867-4", "http://loinc.org", "Heart rate"),
        status: FHIRPrimitive(.final)
    )
    observation.category = [
        coding(
            "vital-signs",
            "http://terminology.hl7.org/CodeSystem/observation-category",
            "Vital Signs"
        )
    ]
    observation.identifier = [
        Identifier(
            system: "urn:example:samples".asFHIRURIPrimitive(),
            value: "sample-\(number)".asFHIRStringPrimitive()
        )
    ]
    observation.subject = Reference(reference: "Patient/7".asFHIRStringPrimitive())
    observation.effective = .dateTime(FHIRPrimitive(DateTime("2026-11-21T08:30:00+01:00")))
    observation.value = .quantity(
        Quantity(
            code: "/min".asFHIRStringPrimitive(),
            system: "http://unitsofmeasure.org".asFHIRURIPrimitive(),
            unit: "beats/minute".asFHIRStringPrimitive(),
            value: FHIRPrimitive(FHIRDecimal(Decimal(string: "71.5") ?? 0))
        )
    )
    return observation
}

func read(_ observation: Observation) -> Int {
    var quantity: Quantity?
    if case .quantity(let value) = observation.value { quantity = value }
    var hour = 0
    if case .dateTime(let time) = observation.effective { hour = Int(time.value?.time?.hour ?? 0) }
    return [
        observation.status.value == .final ? 1 : 0,
        observation.code.coding?.first?.code?.value?.string.utf8.count ?? 0,
        observation.category?.first?.coding?.first?.code?.value?.string.utf8.count ?? 0,
        observation.identifier?.first?.value?.value?.string.utf8.count ?? 0,
        observation.subject?.reference?.value?.string.utf8.count ?? 0,
        hour,
        quantity?.value?.value?.decimal.description.utf8.count ?? 0,
        quantity?.code?.value?.string.utf8.count ?? 0,
    ].reduce(0, +)
}

let json = try encoder.encode(heartRate(1))
let parsed = try decoder.decode(Observation.self, from: json)
try showTime("make and write") { try encoder.encode(heartRate($0)).count }
try showTime("parse and read") { _ in read(try decoder.decode(Observation.self, from: json)) }
showTime("read") { _ in read(parsed) }
