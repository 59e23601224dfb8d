import Foundation

// Stands for the part of Apple's HealthKit that `Sample` reads, so that Linux compiles it: the same names and
// initialisers, and no store. Quantities know the unit that they were made in, and convert nothing.

public typealias CFTypeID = UInt

/// Of CoreFoundation, which HealthKit brings on Apple's systems.
public func CFGetTypeID(_ object: AnyObject) -> CFTypeID {
    // A Boolean has the type `char` in Objective-C.
    (object as? NSNumber).map { $0.objCType.pointee == CChar(UInt8(ascii: "c")) ? CFBooleanGetTypeID() : 22 }
        ?? 0
}

public func CFBooleanGetTypeID() -> CFTypeID { 21 }

public let HKMetadataKeyTimeZone = "HKTimeZone"

open class HKObjectType: NSObject, @unchecked Sendable {
    public let identifier: String
    public init(identifier: String) { self.identifier = identifier }
}

open class HKSampleType: HKObjectType, @unchecked Sendable {}

/// A type of samples and its name; HealthKit has a class and a structure of their own for each kind.
public final class HKTypeOf<Sample: HKSample>: HKSampleType, @unchecked Sendable {
    public struct Identifier: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public convenience init(_ identifier: Identifier) { self.init(identifier: identifier.rawValue) }
}

public typealias HKQuantityType = HKTypeOf<HKQuantitySample>
public typealias HKCategoryType = HKTypeOf<HKCategorySample>
public typealias HKCorrelationType = HKTypeOf<HKCorrelation>
public typealias HKQuantityTypeIdentifier = HKQuantityType.Identifier
public typealias HKCategoryTypeIdentifier = HKCategoryType.Identifier
public typealias HKCorrelationTypeIdentifier = HKCorrelationType.Identifier

extension HKQuantityTypeIdentifier {
    public static var activeEnergyBurned: Self {
        Self(rawValue: "HKQuantityTypeIdentifierActiveEnergyBurned")
    }
    public static var stepCount: Self { Self(rawValue: "HKQuantityTypeIdentifierStepCount") }
    public static var heartRate: Self { Self(rawValue: "HKQuantityTypeIdentifierHeartRate") }
    public static var bloodPressureSystolic: Self {
        Self(rawValue: "HKQuantityTypeIdentifierBloodPressureSystolic")
    }
}

extension HKCategoryTypeIdentifier {
    public static var sleepAnalysis: Self { Self(rawValue: "HKCategoryTypeIdentifierSleepAnalysis") }
}

extension HKCorrelationTypeIdentifier {
    public static var bloodPressure: Self { Self(rawValue: "HKCorrelationTypeIdentifierBloodPressure") }
}

public final class HKUnit: NSObject {
    public let unitString: String
    public init(from string: String) { unitString = string }
}

public final class HKQuantity: NSObject, @unchecked Sendable {
    private let unit: HKUnit
    private let value: Double

    public init(unit: HKUnit, doubleValue value: Double) {
        self.unit = unit
        self.value = value
    }

    public func doubleValue(for unit: HKUnit) -> Double {
        precondition(
            unit.unitString == self.unit.unitString,
            "this stands for HealthKit, and converts nothing"
        )
        return value
    }

    public override var description: String { "\(value) \(unit.unitString)" }
}

public final class HKDevice: NSObject {
    public let name, manufacturer, model, hardwareVersion, firmwareVersion, softwareVersion, localIdentifier,
        udiDeviceIdentifier: String?

    public init(
        name: String?,
        manufacturer: String?,
        model: String?,
        hardwareVersion: String?,
        firmwareVersion: String?,
        softwareVersion: String?,
        localIdentifier: String?,
        udiDeviceIdentifier: String?
    ) {
        self.name = name
        self.manufacturer = manufacturer
        self.model = model
        self.hardwareVersion = hardwareVersion
        self.firmwareVersion = firmwareVersion
        self.softwareVersion = softwareVersion
        self.localIdentifier = localIdentifier
        self.udiDeviceIdentifier = udiDeviceIdentifier
    }
}

public final class HKSource: NSObject {
    public var name: String { "Health" }
    public var bundleIdentifier: String { "com.apple.Health" }
}

public final class HKSourceRevision: NSObject {
    public var source: HKSource { HKSource() }
    public var version: String? { "1" }
    public var productType: String? { "Watch6,1" }
    public var operatingSystemVersion: OperatingSystemVersion {
        OperatingSystemVersion(majorVersion: 10, minorVersion: 1, patchVersion: 0)
    }
}

open class HKSample: NSObject, @unchecked Sendable {
    public let uuid = UUID()
    public let sampleType: HKSampleType
    public let startDate: Date
    public let endDate: Date
    public let device: HKDevice?
    public let metadata: [String: Any]?
    public var sourceRevision: HKSourceRevision { HKSourceRevision() }

    init(
        _ type: HKSampleType,
        _ start: Date,
        _ end: Date,
        _ device: HKDevice? = nil,
        _ metadata: [String: Any]? = nil
    ) {
        sampleType = type
        startDate = start
        endDate = end
        self.device = device
        self.metadata = metadata
    }
}

public final class HKQuantitySample: HKSample, @unchecked Sendable {
    public let quantity: HKQuantity

    public init(
        type: HKQuantityType,
        quantity: HKQuantity,
        start: Date,
        end: Date,
        device: HKDevice? = nil,
        metadata: [String: Any]? = nil
    ) {
        self.quantity = quantity
        super.init(type, start, end, device, metadata)
    }
}

public final class HKCategorySample: HKSample, @unchecked Sendable {
    public let value: Int

    public init(type: HKCategoryType, value: Int, start: Date, end: Date, metadata: [String: Any]? = nil) {
        self.value = value
        super.init(type, start, end, nil, metadata)
    }
}

public final class HKCorrelation: HKSample, @unchecked Sendable {
    public let objects: Set<HKSample>

    public init(
        type: HKCorrelationType,
        start: Date,
        end: Date,
        objects: Set<HKSample>,
        metadata: [String: Any]? = nil
    ) {
        self.objects = objects
        super.init(type, start, end, nil, metadata)
    }
}

public enum HKWorkoutActivityType: UInt, Sendable { case running = 37 }

public final class HKStatistics: NSObject { public func sumQuantity() -> HKQuantity? { nil } }

public final class HKWorkout: HKSample, @unchecked Sendable {
    public let workoutActivityType: HKWorkoutActivityType
    public var duration: TimeInterval { endDate.timeIntervalSince(startDate) }
    public var totalDistance: HKQuantity? { nil }
    public func statistics(for type: HKQuantityType) -> HKStatistics? { nil }

    public init(activityType: HKWorkoutActivityType, start: Date, end: Date) {
        workoutActivityType = activityType
        super.init(HKSampleType(identifier: "HKWorkoutTypeIdentifier"), start, end)
    }
}

public final class HKElectrocardiogram: HKSample, @unchecked Sendable {
    public enum Classification: Int, Sendable {
        case notSet, sinusRhythm, atrialFibrillation, inconclusiveLowHeartRate, inconclusiveHighHeartRate,
            inconclusivePoorReading
        case inconclusiveOther, unrecognized = 100
    }

    public enum SymptomsStatus: Int, Sendable { case notSet, none, present }

    public var classification: Classification { .notSet }
    public var symptomsStatus: SymptomsStatus { .notSet }
    public var averageHeartRate: HKQuantity? { nil }
    public var samplingFrequency: HKQuantity? { nil }
}

public final class HKStateOfMind: HKSample, @unchecked Sendable {
    public enum Kind: Int, Sendable { case momentaryEmotion = 1, dailyMood }

    public enum ValenceClassification: Int, Sendable {
        case veryUnpleasant = 1, unpleasant, slightlyUnpleasant, neutral, slightlyPleasant, pleasant,
            veryPleasant
    }

    public enum Label: Int, Sendable {
        case amazed = 1, amused, angry, anxious, ashamed, brave, calm, content, disappointed, discouraged,
            disgusted, embarrassed
        case excited, frustrated, grateful, guilty, happy, hopeless, irritated, jealous, joyful, lonely,
            passionate, peaceful, proud
        case relieved, sad, scared, stressed, surprised, worried, annoyed, confident, drained, hopeful,
            indifferent, overwhelmed
        case satisfied
    }

    public enum Association: Int, Sendable {
        case community = 1, currentEvents, dating, education, family, fitness, friends, health, hobbies,
            identity, money, partner
        case selfCare, spirituality, tasks, travel, work, weather
    }

    public let kind: Kind
    public let valence: Double
    public var valenceClassification: ValenceClassification { .pleasant }
    public let labels: [Label]
    public let associations: [Association]

    public init(date: Date, kind: Kind, valence: Double, labels: [Label], associations: [Association]) {
        self.kind = kind
        self.valence = valence
        self.labels = labels
        self.associations = associations
        super.init(HKSampleType(identifier: "HKDataTypeStateOfMind"), date, date)
    }
}

public final class HKFHIRResource: NSObject { public var data: Data { Data() } }

public final class HKClinicalRecord: HKSample, @unchecked Sendable {
    public var fhirResource: HKFHIRResource? { nil }
}
