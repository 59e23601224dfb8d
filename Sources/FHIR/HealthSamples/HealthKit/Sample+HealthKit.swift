#if canImport(HealthKit)
import FHIR
import Foundation
import HealthKit
import OrderedJSON

extension Sample {
    /// A sample of HealthKit; nil for kinds that are not supported, such as audiograms, and for values
    /// that are not finite.
    ///
    ///     let sample = Sample(found) { type in units[type] }
    ///
    /// - Parameters:
    ///   - voltages: The voltages of an electrocardiogram, which HealthKit gives by a separate query.
    ///   - unit: Gives the unit in which a type's quantities are read, such as `count/min`, by the type's
    ///     identifier. It is also called for the members of a correlation.
    public init?(_ sample: HKSample, voltages: [HKQuantity] = [], unit: (String) -> String?) {
        guard let value = SampleValue(sample, voltages, unit) else { return nil }
        let type = value.ownType ?? sample.sampleType.identifier
        let zone =
            (sample.metadata?[HKMetadataKeyTimeZone] as? String).flatMap(TimeZone.init(identifier:))
            ?? .current
        func date(_ date: Date) -> FHIRDateTime {
            FHIRDateTime(date, offset: zone.secondsFromGMT(for: date) / 60)
        }
        self.init(
            type: type,
            uuid: sample.uuid.uuidString.lowercased(),
            start: date(sample.startDate),
            end: date(sample.endDate),
            value: value
        )
        device = sample.device.map(SampleDevice.init)
        source = SampleSource(sample.sourceRevision)
        for (name, fact) in sample.metadata ?? [:] {
            switch fact {
            case let fact as String: metadata[name] = .text(fact)
            case let fact as Date: metadata[name] = .date(date(fact))
            case let fact as HKQuantity:
                metadata[name] = ExportCategory.standard.metadata(name, "\(fact)")
            case let fact as NSNumber where CFGetTypeID(fact) == CFBooleanGetTypeID():
                metadata[name] = .boolean(fact.boolValue)
            case let fact as NSNumber: metadata[name] = FHIRDecimal(fact.doubleValue).map { .number($0) }
            default: metadata[name] = .text("\(fact)")
            }
        }
    }
}

extension SampleQuantity {
    fileprivate init?(_ quantity: HKQuantity?, _ unit: String) {
        guard let number = quantity.flatMap({ FHIRDecimal($0.doubleValue(for: HKUnit(from: unit))) })
        else { return nil }
        self.init(value: number, unit: .healthKit(unit))
    }
}

extension SampleValue {
    fileprivate init?(_ sample: HKSample, _ voltages: [HKQuantity], _ unit: (String) -> String?) {
        switch sample {
        case let sample as HKQuantitySample:
            guard let name = unit(sample.sampleType.identifier),
                let number = SampleQuantity(sample.quantity, name)
            else {
                return nil
            }
            self = .quantity(number)
        case let sample as HKCategorySample: self = .category(sample.value)
        case let sample as HKCorrelation:
            let members = sample.objects.compactMap { Sample($0, unit: unit) }
            guard members.count == sample.objects.count else { return nil }
            self = .correlation(members)
        case let sample as HKWorkout:
            let raw = Int(clamping: sample.workoutActivityType.rawValue)
            guard let activity = HealthMapping.standard.workouts.first(where: { $0.value == raw })?.key,
                let duration = FHIRDecimal(sample.duration)
            else { return nil }
            self = .workout(
                Workout(
                    activity: activity,
                    duration: SampleQuantity(value: duration, unit: .healthKit("s")),
                    energy: SampleQuantity(
                        sample.statistics(for: HKQuantityType(.activeEnergyBurned))?.sumQuantity(),
                        "kcal"
                    ),
                    distance: SampleQuantity(sample.totalDistance, "m")
                )
            )
        case let sample as HKElectrocardiogram:
            guard let frequency = SampleQuantity(sample.samplingFrequency, "Hz") else { return nil }
            let numbers = voltages.compactMap { SampleQuantity($0, "mcV")?.value }
            guard numbers.count == voltages.count, !numbers.isEmpty else { return nil }
            self = .electrocardiogram(
                Electrocardiogram(
                    classification: sample.classification.text,
                    symptoms: sample.symptomsStatus.text,
                    averageHeartRate: SampleQuantity(sample.averageHeartRate, "count/min"),
                    samplingFrequency: frequency,
                    voltages: numbers
                )
            )
        case let sample as HKStateOfMind:
            guard let valence = FHIRDecimal(sample.valence) else { return nil }
            self = .stateOfMind(
                StateOfMind(
                    kind: sample.kind == .dailyMood ? "daily mood" : "momentary emotion",
                    valence: valence,
                    classification: HKStateOfMind.classifications[sample.valenceClassification],
                    labels: sample.labels.map { HKStateOfMind.labelNames[$0] ?? "\($0.rawValue)" },
                    associations: sample.associations.map {
                        HKStateOfMind.associationNames[$0] ?? "\($0.rawValue)"
                    }
                )
            )
        #if !os(watchOS) && !os(tvOS)
        case let sample as HKClinicalRecord:
            guard let data = sample.fhirResource?.data,
                let resource = (try? JSONValue(parsing: data)).flatMap({ AnyResource(tree: $0) })
            else { return nil }
            self = .clinicalRecord(resource)
        #endif
        default: return nil
        }
    }
}

extension HKElectrocardiogram.Classification {
    /// As Apple's export names it.
    fileprivate var text: String? {
        switch self {
        case .notSet: nil
        case .sinusRhythm: "Sinus Rhythm"
        case .atrialFibrillation: "Atrial Fibrillation"
        case .inconclusiveLowHeartRate: "Low Heart Rate"
        case .inconclusiveHighHeartRate: "High Heart Rate"
        case .inconclusivePoorReading: "Poor Recording"
        case .inconclusiveOther: "Inconclusive"
        default: "Unrecognized"
        }
    }
}

extension HKElectrocardiogram.SymptomsStatus {
    fileprivate var text: String? {
        switch self {
        case .none: "none"
        case .present: "present"
        default: nil
        }
    }
}

extension HKStateOfMind {
    fileprivate static var classifications: [ValenceClassification: String] {
        [
            .veryUnpleasant: "very unpleasant", .unpleasant: "unpleasant",
            .slightlyUnpleasant: "slightly unpleasant",
            .neutral: "neutral", .slightlyPleasant: "slightly pleasant", .pleasant: "pleasant",
            .veryPleasant: "very pleasant",
        ]
    }

    fileprivate static var labelNames: [Label: String] {
        [
            .amazed: "amazed", .amused: "amused", .angry: "angry", .anxious: "anxious",
            .ashamed: "ashamed", .brave: "brave",
            .calm: "calm", .content: "content", .disappointed: "disappointed",
            .discouraged: "discouraged", .disgusted: "disgusted",
            .embarrassed: "embarrassed", .excited: "excited", .frustrated: "frustrated",
            .grateful: "grateful", .guilty: "guilty",
            .happy: "happy", .hopeless: "hopeless", .irritated: "irritated", .jealous: "jealous",
            .joyful: "joyful",
            .lonely: "lonely", .passionate: "passionate", .peaceful: "peaceful", .proud: "proud",
            .relieved: "relieved",
            .sad: "sad",
            .scared: "scared", .stressed: "stressed", .surprised: "surprised", .worried: "worried",
            .annoyed: "annoyed",
            .confident: "confident", .drained: "drained", .hopeful: "hopeful",
            .indifferent: "indifferent",
            .overwhelmed: "overwhelmed", .satisfied: "satisfied",
        ]
    }

    fileprivate static var associationNames: [Association: String] {
        [
            .community: "community", .currentEvents: "current events", .dating: "dating",
            .education: "education",
            .family: "family", .fitness: "fitness", .friends: "friends", .health: "health",
            .hobbies: "hobbies",
            .identity: "identity", .money: "money", .partner: "partner", .selfCare: "self-care",
            .spirituality: "spirituality",
            .tasks: "tasks", .travel: "travel", .work: "work", .weather: "weather",
        ]
    }
}

extension SampleDevice {
    fileprivate init(_ device: HKDevice) {
        self.init()
        name = device.name
        manufacturer = device.manufacturer
        model = device.model
        hardwareVersion = device.hardwareVersion
        firmwareVersion = device.firmwareVersion
        softwareVersion = device.softwareVersion
        localIdentifier = device.localIdentifier
        udi = device.udiDeviceIdentifier
    }
}

extension SampleSource {
    fileprivate init(_ revision: HKSourceRevision) {
        self.init(name: revision.source.name)
        let system = revision.operatingSystemVersion
        bundleIdentifier = revision.source.bundleIdentifier
        version = revision.version
        productType = revision.productType
        systemVersion = "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"
    }
}
#endif
