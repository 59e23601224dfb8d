import FHIR
import Foundation

/// Something that a phone, a watch or another sensor measured.
///
///     let sample = Sample(
///         type: "HKQuantityTypeIdentifierHeartRate",
///         start: "2026-03-29T08:00:00+02:00",
///         end: "2026-03-29T08:00:00+02:00",
///         value: .quantity(SampleQuantity(value: 72, unit: .healthKit("count/min")))
///     )
///
/// Dates and numbers are kept as they were written. ``init(json:)`` and ``json`` read and write a line of
/// JSON; coders such as `JSONEncoder` do too.
public struct Sample: Sendable, Hashable {
    /// The type's identifier, such as `HKQuantityTypeIdentifierHeartRate`.
    public var type: String
    /// The UUID that the sample has at its origin; nil where the origin gives none, as Apple's export.
    public var uuid: String?
    /// When it began, with a time and a zone.
    public var start: FHIRDateTime
    /// When it ended; the same as the start for what was measured at one moment.
    public var end: FHIRDateTime
    /// What was measured.
    public var value: SampleValue
    /// Further facts by name, such as `HKTimeZone`.
    public var metadata: [String: MetadataValue]
    /// The device that measured it.
    public var device: SampleDevice?
    /// The app that stored the sample.
    public var source: SampleSource?

    /// A sample.
    public init(
        type: String,
        uuid: String? = nil,
        start: FHIRDateTime,
        end: FHIRDateTime,
        value: SampleValue,
        metadata: [String: MetadataValue] = [:],
        device: SampleDevice? = nil,
        source: SampleSource? = nil
    ) {
        self.type = type
        self.uuid = uuid
        self.start = start
        self.end = end
        self.value = value
        self.metadata = metadata
        self.device = device
        self.source = source
    }

    /// The members of a correlation; of other samples none.
    public var members: [Sample] { if case .correlation(let members) = value { members } else { [] } }

    /// - Throws: ``SampleError`` where the dates have no time, or end before they start, or the UUID is
    ///   invalid.
    package func check() throws(SampleError) {
        guard let from = start.microseconds else { throw .date(name: "start", text: start.description) }
        guard let to = end.microseconds else { throw .date(name: "end", text: end.description) }
        guard from <= to else { throw .order(start: start.description, end: end.description) }
        if let uuid, !SampleIdentity.isUUID(uuid) { throw .uuid(uuid) }
        if case .quantity(let quantity) = value, !quantity.value.isNumber {
            throw .number(name: "value", text: quantity.value.description)
        }
    }
}

/// The value of a sample.
public indirect enum SampleValue: Sendable, Hashable {
    /// A number with a unit.
    case quantity(SampleQuantity)
    /// A number of the type's own enumeration; nil for types without values.
    case category(Int?)
    /// Samples that belong together, such as the two pressures.
    case correlation([Sample])
    /// A time of exercise.
    case workout(Workout)
    /// A heart's voltages.
    case electrocardiogram(Electrocardiogram)
    /// How somebody felt.
    case stateOfMind(StateOfMind)
    /// A resource of FHIR that a health care provider gave, as JSON.
    case clinicalRecord(AnyResource)
    /// The rings of a day.
    case activitySummary(ActivitySummary)
    /// The quietest tones that somebody heard.
    case audiogram(Audiogram)
    /// The way of a workout.
    case workoutRoute(WorkoutRoute)
}

extension SampleValue {
    /// The one type that HealthKit's samples with such a value have here; nil where many types have it.
    ///
    /// Its own identifiers of these types differ from the names of their classes
    /// (`HKDataTypeIdentifierElectrocardiogram`), clinical records have one a kind, and summaries of
    /// activities are no samples there.
    package var ownType: String? {
        let own: OwnType? =
            switch self {
            case .workout: .workout
            case .electrocardiogram: .electrocardiogram
            case .stateOfMind: .stateOfMind
            case .clinicalRecord: .clinicalRecord
            case .activitySummary: .activitySummary
            case .audiogram: .audiogram
            case .workoutRoute: .workoutRoute
            case .quantity, .category, .correlation: nil
            }
        return own?.rawValue
    }

    /// A type whose samples have a kind of value that no other type of HealthKit has.
    enum OwnType: String {
        case workout = "HKWorkoutTypeIdentifier"
        case electrocardiogram = "HKElectrocardiogram"
        case stateOfMind = "HKStateOfMind"
        case clinicalRecord = "HKClinicalRecord"
        case activitySummary = "HKActivitySummary"
        case audiogram = "HKAudiogramSample"
        case workoutRoute = "HKWorkoutRoute"
    }
}

/// A number with a unit.
public struct SampleQuantity: Sendable, Hashable {
    /// The digits as they were written.
    public var value: FHIRDecimal
    public var unit: SampleUnit

    /// A number with a unit.
    public init(value: FHIRDecimal, unit: SampleUnit) {
        self.value = value
        self.unit = unit
    }
}

/// A unit in one of two languages. They differ in what `%` means.
public enum SampleUnit: Sendable, Hashable {
    /// HealthKit's: `count/min`, `mL/kg*min`. Its `%` goes with a fraction, so that 0.98 is 98 per cent.
    case healthKit(String)
    /// UCUM: `/min`, `mL/kg/min`. Its `%` goes with 98.
    case ucum(String)
}

/// A time of exercise.
public struct Workout: Sendable, Hashable {
    /// The activity, such as `running`.
    public var activity: String
    /// How long it took without pauses.
    public var duration: SampleQuantity?
    /// The energy that was burned.
    public var energy: SampleQuantity?
    /// The way that was covered.
    public var distance: SampleQuantity?

    /// A workout.
    public init(
        activity: String,
        duration: SampleQuantity? = nil,
        energy: SampleQuantity? = nil,
        distance: SampleQuantity? = nil
    ) {
        self.activity = activity
        self.duration = duration
        self.energy = energy
        self.distance = distance
    }
}

/// A heart's voltages between two points of the body.
public struct Electrocardiogram: Sendable, Hashable {
    /// What the device made of it, such as `Sinus Rhythm`.
    public var classification: String?
    /// Symptoms that were given, in one text.
    public var symptoms: String?
    /// The mean heart rate.
    public var averageHeartRate: SampleQuantity?
    /// Measurements per second.
    public var samplingFrequency: SampleQuantity
    /// The voltages in microvolts.
    public var voltages: [FHIRDecimal]

    /// Measurements per second that a device can have.
    static let frequencies = Decimal(sign: .plus, exponent: -3, significand: 1)...100_000

    /// An electrocardiogram.
    public init(
        classification: String? = nil,
        symptoms: String? = nil,
        averageHeartRate: SampleQuantity? = nil,
        samplingFrequency: SampleQuantity,
        voltages: [FHIRDecimal]
    ) {
        self.classification = classification
        self.symptoms = symptoms
        self.averageHeartRate = averageHeartRate
        self.samplingFrequency = samplingFrequency
        self.voltages = voltages
    }
}

/// How somebody felt.
public struct StateOfMind: Sendable, Hashable {
    /// `momentary emotion` or `daily mood`.
    public var kind: String
    /// From -1, unpleasant, to 1, pleasant.
    public var valence: FHIRDecimal
    /// The valence in words.
    public var classification: String?
    /// Feelings, such as `calm`.
    public var labels: [String]
    /// What it had to do with, such as `family`.
    public var associations: [String]

    /// A state of mind.
    public init(
        kind: String,
        valence: FHIRDecimal,
        classification: String? = nil,
        labels: [String] = [],
        associations: [String] = []
    ) {
        self.kind = kind
        self.valence = valence
        self.classification = classification
        self.labels = labels
        self.associations = associations
    }
}
