import FHIR
import FHIRValidation
import Foundation
import HealthSamples
import Testing

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

    static var watch: SampleDevice {
        var device = SampleDevice()
        device.name = "Apple Watch"
        device.manufacturer = "Apple Inc."
        device.model = "Watch"
        device.hardwareVersion = "Watch6,1"
        return device
    }

    /// The errors of a resource, as the validator gives them.
    static func errors(_ resource: some FHIRResource) -> [String] {
        resource.issues().filter { $0.severity == .error || $0.severity == .fatal }.map(\.description)
    }
}
