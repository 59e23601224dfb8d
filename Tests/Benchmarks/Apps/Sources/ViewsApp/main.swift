import FHIR
import Foundation
import ShortestTime

/// What an app uploads for a sample: code, category, identifier, subject, time and quantity.
func heartRate(_ number: Int) -> Observation {
    var observation = Observation(status: .final, code: .loinc("8867-4", "Heart rate"))
    observation.category = [
        .code(
            "vital-signs",
            system: "http://terminology.hl7.org/CodeSystem/observation-category",
            "Vital Signs"
        )
    ]
    observation.identifier = [Identifier(system: "urn:example:samples", value: "sample-\(number)")]
    observation.subject = Reference("Patient/7")
    observation.effective = .dateTime("2026-11-21T08:30:00+01:00")
    observation.value = .quantity(Quantity(value: 71.5, unit: "beats/minute", code: "/min"))
    return observation
}

func read(_ observation: Observation) -> Int {
    let quantity = observation.value?.quantity
    return [
        observation.status == .final ? 1 : 0,
        observation.code?.coding.first?.code?.utf8.count ?? 0,
        observation.category.first?.coding.first?.code?.utf8.count ?? 0,
        observation.identifier.first?.value?.utf8.count ?? 0,
        observation.subject?.reference?.utf8.count ?? 0,
        observation.effective?.dateTime?.time?.hour ?? 0,
        quantity?.value?.description.utf8.count ?? 0,
        quantity?.code?.utf8.count ?? 0,
    ].reduce(0, +)
}

let json = heartRate(1).json()
let parsed = try Observation(parsing: json)
showTime("make and write") { heartRate($0).json().count }
try showTime("parse and read") { _ in read(try Observation(parsing: json)) }
showTime("read") { _ in read(parsed) }
