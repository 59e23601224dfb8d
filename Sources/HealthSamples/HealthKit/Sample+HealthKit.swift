#if canImport(HealthKit)
import FHIR
import Foundation
import HealthKit

extension Sample {
    /// A sample of HealthKit; nil for kinds that have none here, such as audiograms. Electrocardiograms and clinical records
    /// need a query for their content and are not made here.
    ///
    /// - Parameter unit: The unit in which a quantity is read, such as `count/min`; of a correlation that of each member. It is
    ///   asked for the type's identifier.
    public init?(_ sample: HKSample, unit: (String) -> String?) {
        func quantity(_ value: HKQuantity?, _ unit: String) -> SampleQuantity? {
            value.flatMap { FHIRDecimal($0.doubleValue(for: HKUnit(from: unit))) }.map { SampleQuantity(value: $0, unit: .healthKit(unit)) }
        }
        let type = sample.sampleType.identifier
        let value: SampleValue
        switch sample {
        case let sample as HKQuantitySample:
            guard let name = unit(type), let number = quantity(sample.quantity, name) else { return nil }
            value = .quantity(number)
        case let sample as HKCategorySample: value = .category(sample.value)
        case let sample as HKCorrelation:
            let members = sample.objects.compactMap { Sample($0, unit: unit) }
            guard members.count == sample.objects.count else { return nil }
            value = .correlation(members)
        case let sample as HKWorkout:
            let raw = Int(clamping: sample.workoutActivityType.rawValue)
            guard let activity = HealthMapping.standard.workouts.first(where: { $0.value == raw })?.key,
                let duration = FHIRDecimal(sample.duration)
            else { return nil }
            value = .workout(
                Workout(
                    activity: activity, duration: SampleQuantity(value: duration, unit: .healthKit("s")),
                    energy: quantity(sample.statistics(for: HKQuantityType(.activeEnergyBurned))?.sumQuantity(), "kcal"),
                    distance: quantity(sample.totalDistance, "m")))
        default: return nil
        }
        let zone = (sample.metadata?[HKMetadataKeyTimeZone] as? String).flatMap(TimeZone.init(identifier:)) ?? .current
        func date(_ date: Date) -> FHIRDateTime { FHIRDateTime(date, offset: zone.secondsFromGMT(for: date) / 60) }
        self.init(
            type: type, uuid: sample.uuid.uuidString.lowercased(), start: date(sample.startDate), end: date(sample.endDate), value: value)
        device = sample.device.map(SampleDevice.init)
        source = SampleSource(sample.sourceRevision)
        for (name, fact) in sample.metadata ?? [:] {
            switch fact {
            case let fact as String: metadata[name] = .text(fact)
            case let fact as Date: metadata[name] = .date(date(fact))
            case let fact as NSNumber where CFGetTypeID(fact) == CFBooleanGetTypeID(): metadata[name] = .boolean(fact.boolValue)
            case let fact as NSNumber: metadata[name] = FHIRDecimal(fact.doubleValue).map { .number($0) }
            default: metadata[name] = .text("\(fact)")
            }
        }
    }
}

extension SampleDevice {
    fileprivate init(_ device: HKDevice) {
        self.init()
        (name, manufacturer, model) = (device.name, device.manufacturer, device.model)
        (hardwareVersion, firmwareVersion, softwareVersion) = (device.hardwareVersion, device.firmwareVersion, device.softwareVersion)
        (localIdentifier, udi) = (device.localIdentifier, device.udiDeviceIdentifier)
    }
}

extension SampleSource {
    fileprivate init(_ revision: HKSourceRevision) {
        self.init(name: revision.source.name)
        let system = revision.operatingSystemVersion
        (bundleIdentifier, version, productType) = (revision.source.bundleIdentifier, revision.version, revision.productType)
        systemVersion = "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"
    }
}
#endif
