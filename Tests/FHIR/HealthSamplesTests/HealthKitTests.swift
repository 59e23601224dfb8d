#if canImport(HealthKit)
import FHIR
import Foundation
import HealthKit
import HealthSamples
import Testing

/// Samples of HealthKit's classes; on Linux of a module that stands for them.
@Suite struct HealthKitTests {
    private let start = Date(timeIntervalSince1970: 1_775_000_000)

    private func pressure(_ value: Double) -> HKQuantitySample {
        HKQuantitySample(
            type: HKQuantityType(.bloodPressureSystolic),
            quantity: HKQuantity(unit: HKUnit(from: "mmHg"), doubleValue: value),
            start: start,
            end: start
        )
    }

    @Test("a quantity has its number, zone, device and metadata")
    func quantity() throws {
        let device = HKDevice(
            name: "Apple Watch",
            manufacturer: "Apple Inc.",
            model: "Watch",
            hardwareVersion: "Watch6,1",
            firmwareVersion: nil,
            softwareVersion: "10.1",
            localIdentifier: nil,
            udiDeviceIdentifier: nil
        )
        let measured = HKQuantitySample(
            type: HKQuantityType(.heartRate),
            quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 61.5),
            start: start,
            end: start.addingTimeInterval(60),
            device: device,
            metadata: [
                "HKTimeZone": "Asia/Kathmandu", "HKWasUserEntered": NSNumber(value: true),
                "count": NSNumber(value: 3), "at": start,
            ]
        )
        let sample = try #require(Sample(measured) { _ in "count/min" })
        #expect(
            sample.type == "HKQuantityTypeIdentifierHeartRate"
                && sample.uuid == measured.uuid.uuidString.lowercased()
        )
        #expect(sample.value == .quantity(SampleQuantity(value: 61.5, unit: .healthKit("count/min"))))
        #expect(sample.start.zone == "+05:45" && sample.end.microseconds == 1_775_000_060_000_000)
        #expect(sample.device?.hardwareVersion == "Watch6,1" && sample.source?.name != nil)
        #expect(
            sample.metadata["HKWasUserEntered"] == .boolean(true)
                && sample.metadata["count"] == .number(3)
        )
        #expect(Sample(measured) { _ in nil } == nil)
    }

    @Test("categories, correlations, workouts and moods are samples")
    func otherKinds() throws {
        let sleep = HKCategorySample(
            type: HKCategoryType(.sleepAnalysis),
            value: 3,
            start: start,
            end: start
        )
        #expect(Sample(sleep) { _ in nil }?.value == .category(3))
        let pair = HKCorrelation(
            type: HKCorrelationType(.bloodPressure),
            start: start,
            end: start,
            objects: [pressure(120)]
        )
        #expect(Sample(pair) { _ in "mmHg" }?.members.count == 1)
        let mood = HKStateOfMind(
            date: start,
            kind: .dailyMood,
            valence: 0.5,
            labels: [.calm],
            associations: [.selfCare]
        )
        guard case .stateOfMind(let state)? = Sample(mood, unit: { _ in nil })?.value else {
            return #expect(Bool(false))
        }
        #expect(
            state.kind == "daily mood" && state.labels == ["calm"] && state.associations == ["self-care"]
        )
        // HealthKit's own identifier is another one, which has no mapping.
        #expect(Sample(mood, unit: { _ in nil })?.type == "HKStateOfMind")
    }
}
#endif
