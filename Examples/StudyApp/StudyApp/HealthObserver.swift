import Foundation
import HealthKit
import HealthSamples
import StudyDelivery

/// Reads what is new in the Health app, and queues it for the study: when the app is open, and when HealthKit
/// wakes it in the background.
actor HealthObserver {
    private let store = HKHealthStore()
    private let converter: SampleConverter
    private let anchors: URL
    private let delivery: Delivery
    private var queries: [HKObserverQuery] = []

    /// What is read, and the unit of its quantities.
    private static let types: [HKSampleType] = [
        HKQuantityType(.stepCount), HKQuantityType(.heartRate), HKCategoryType(.sleepAnalysis),
        HKObjectType.workoutType(), HKObjectType.electrocardiogramType(),
    ]
    private static let units = [
        "HKQuantityTypeIdentifierStepCount": "count", "HKQuantityTypeIdentifierHeartRate": "count/min",
    ]

    init(subject: String, anchors: URL, delivery: Delivery) {
        converter = SampleConverter(subject: subject)
        self.anchors = anchors
        self.delivery = delivery
    }

    /// Asks once which types may be read. HealthKit does not tell what the person chose: a type that may not
    /// be read has no samples.
    func begin() async throws {
        guard HKHealthStore.isHealthDataAvailable(), queries.isEmpty else { return }
        try await store.requestAuthorization(toShare: [], read: Set(Self.types))
        for type in Self.types {
            let query = HKObserverQuery(sampleType: type, predicate: nil) { [weak self] _, done, error in
                // HealthKit takes this call on any thread.
                nonisolated(unsafe) let done = done
                let observer = error == nil ? self : nil
                Task {
                    try? await observer?.read(type)
                    // After three updates without this call HealthKit sends no more.
                    done()
                }
            }
            queries.append(query)
            store.execute(query)
            try await store.enableBackgroundDelivery(for: type, frequency: .hourly)
        }
    }

    func end() async {
        for query in queries { store.stop(query) }
        queries = []
        try? await store.disableAllBackgroundDelivery()
    }

    /// Queues everything behind the anchor. The anchor is stored after the samples: an interrupted run reads
    /// some again, and the queue takes each of them once.
    private func read(_ type: HKSampleType) async throws {
        while true {
            let query = HKAnchoredObjectQueryDescriptor(
                predicates: [.sample(type: type)],
                anchor: anchor(of: type),
                limit: 500
            )
            let result = try await query.result(for: store)
            for found in result.addedSamples { try await queue(found) }
            try keep(result.newAnchor, of: type)
            if result.addedSamples.count < 500 { return }
        }
    }

    private func queue(_ found: HKSample) async throws {
        var voltages: [HKQuantity] = []
        if let ecg = found as? HKElectrocardiogram {
            for try await measurement in HKElectrocardiogramQueryDescriptor(ecg).results(for: store) {
                if let voltage = measurement.quantity(for: .appleWatchSimilarToLeadI) {
                    voltages.append(voltage)
                }
            }
        }
        guard let sample = Sample(found, voltages: voltages, unit: { Self.units[$0] }) else { return }
        for part in converter.parts(of: sample) {
            // A sample that FHIR has no mapping for is left out, and does not hold up the others.
            guard let resource = try? converter.resource(of: part) else { continue }
            try await delivery.submit(resource)
        }
    }

    // MARK: Anchors

    private func anchor(of type: HKSampleType) -> HKQueryAnchor? {
        guard let data = try? Data(contentsOf: file(of: type)) else { return nil }
        return try? NSKeyedUnarchiver.unarchivedObject(ofClass: HKQueryAnchor.self, from: data)
    }

    private func keep(_ anchor: HKQueryAnchor, of type: HKSampleType) throws {
        try FileManager.default.createDirectory(at: anchors, withIntermediateDirectories: true)
        let data = try NSKeyedArchiver.archivedData(withRootObject: anchor, requiringSecureCoding: true)
        try data.write(to: file(of: type), options: .atomic)
    }

    private func file(of type: HKSampleType) -> URL { anchors.appending(path: type.identifier) }
}
