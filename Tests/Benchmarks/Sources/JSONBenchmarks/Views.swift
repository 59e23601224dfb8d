import FHIR
import Foundation
import Measuring
import OrderedJSON

/// How long it takes to make an Observation by the views and write it, and to read the same elements of one that
/// was parsed.
func reportViews() throws {
    let parsed = try Observation(parsing: HeartRate.observation(1).json())
    var number = 0
    let made = ProcessorTime.best(ofTurns: 50) {
        (0..<1_000).reduce(0) { sum, _ in
            number += 1
            return sum + HeartRate.observation(number).json().count
        }
    }
    let read = ProcessorTime.best(ofTurns: 50) {
        (0..<1_000).reduce(0) { sum, _ in sum + HeartRate.read(parsed) }
    }
    print(String(format: "%6.2f µs (target 6)    make an Observation by views, and write it", made / 1_000))
    print(String(format: "%6.2f µs (target 1.5)  read the same elements of a parsed one", read / 1_000))
}

/// What an app uploads for a sample: code, category, identifier, subject, time and quantity.
private enum HeartRate {
    static func observation(_ number: Int) -> Observation {
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

    static func read(_ observation: Observation) -> Int {
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
}
