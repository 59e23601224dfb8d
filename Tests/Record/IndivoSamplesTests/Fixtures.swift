import FHIR
import Foundation
import HealthSamples

/// Samples for tests.
enum Fixture {
    static func quantity(
        _ type: String,
        _ value: FHIRDecimal,
        _ unit: String,
        from start: FHIRDateTime = "2026-03-01T08:00:00+01:00",
        to end: FHIRDateTime? = nil,
        source: String? = nil
    ) -> Sample {
        Sample(
            type: "HKQuantityTypeIdentifier" + type,
            start: start,
            end: end ?? start,
            value: .quantity(SampleQuantity(value: value, unit: .healthKit(unit))),
            source: source.map { SampleSource(name: $0) }
        )
    }

    static func bloodPressure(_ start: FHIRDateTime = "2026-03-01T08:00:00+01:00") -> Sample {
        Sample(
            type: "HKCorrelationTypeIdentifierBloodPressure",
            start: start,
            end: start,
            value: .correlation([
                quantity("BloodPressureDiastolic", 80, "mmHg", from: start),
                quantity("BloodPressureSystolic", 120, "mmHg", from: start),
            ])
        )
    }
}
