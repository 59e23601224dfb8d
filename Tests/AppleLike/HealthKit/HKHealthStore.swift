import Foundation

// Declares the store and the queries that the example app uses, from Apple's documentation. Nothing runs.

public final class HKWorkoutType: HKSampleType, @unchecked Sendable {}
public final class HKElectrocardiogramType: HKSampleType, @unchecked Sendable {}

extension HKObjectType {
    public class func workoutType() -> HKWorkoutType { fatalError() }
    public class func electrocardiogramType() -> HKElectrocardiogramType { fatalError() }
}

public enum HKUpdateFrequency: Int, Sendable {
    case immediate = 1
    case hourly, daily, weekly
}

open class HKQuery: NSObject, @unchecked Sendable {}

public typealias HKObserverQueryCompletionHandler = () -> Void

open class HKObserverQuery: HKQuery, @unchecked Sendable {
    public init(
        sampleType: HKSampleType,
        predicate: NSPredicate?,
        updateHandler:
            @escaping @Sendable (HKObserverQuery, @escaping HKObserverQueryCompletionHandler, (any Error)?) ->
            Void
    ) { fatalError() }
}

open class HKQueryAnchor: NSObject, NSSecureCoding, @unchecked Sendable {
    public static var supportsSecureCoding: Bool { true }
    public required init?(coder: NSCoder) { fatalError() }
    public func encode(with coder: NSCoder) { fatalError() }
}

open class HKDeletedObject: NSObject, @unchecked Sendable {}

public struct HKSamplePredicate<Sample: HKSample>: Sendable {}
extension HKSamplePredicate {
    public static func sample(type: HKSampleType, predicate: NSPredicate? = nil) -> HKSamplePredicate<
        HKSample
    >
    where Sample == HKSample { fatalError() }
}

public struct HKAnchoredObjectQueryDescriptor<Sample: HKSample>: Sendable {
    public struct Result: Sendable {
        public var addedSamples: [Sample] { fatalError() }
        public var deletedObjects: [HKDeletedObject] { fatalError() }
        public var newAnchor: HKQueryAnchor { fatalError() }
    }
    public init(predicates: [HKSamplePredicate<Sample>], anchor: HKQueryAnchor?, limit: Int? = nil) {
        fatalError()
    }
    public func result(for healthStore: HKHealthStore) async throws -> Result { fatalError() }
}

extension HKElectrocardiogram {
    public enum Lead: Int, Sendable { case appleWatchSimilarToLeadI = 1 }

    public final class VoltageMeasurement: NSObject, @unchecked Sendable {
        public func quantity(for lead: Lead) -> HKQuantity? { fatalError() }
    }
}

public struct HKElectrocardiogramQueryDescriptor: Sendable {
    public struct Results: AsyncSequence, Sendable {
        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async throws -> HKElectrocardiogram.VoltageMeasurement? {
                fatalError()
            }
        }
        public func makeAsyncIterator() -> AsyncIterator { fatalError() }
    }
    public init(_ electrocardiogram: HKElectrocardiogram) { fatalError() }
    public func results(for healthStore: HKHealthStore) -> Results { fatalError() }
}

open class HKHealthStore: NSObject, @unchecked Sendable {
    public class func isHealthDataAvailable() -> Bool { fatalError() }
    public func requestAuthorization(
        toShare typesToShare: Set<HKSampleType>,
        read typesToRead: Set<HKObjectType>
    ) async throws { fatalError() }
    public func execute(_ query: HKQuery) { fatalError() }
    public func stop(_ query: HKQuery) { fatalError() }
    public func enableBackgroundDelivery(for type: HKObjectType, frequency: HKUpdateFrequency) async throws {
        fatalError()
    }
    public func disableAllBackgroundDelivery() async throws { fatalError() }
}
