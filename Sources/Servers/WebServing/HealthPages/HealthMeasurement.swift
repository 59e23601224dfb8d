import Foundation
import UCUM

/// Something that was measured, as the pages show it.
package struct HealthMeasurement: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// A number in the unit of its quantity.
        case number(MeasuredQuantity, Decimal)
        case sleep(SleepStage)
        case workout(WorkoutFigures)
    }

    /// Microseconds since 1970; empty for what was measured at a moment.
    package var time: Range<Int>
    package var content: Content
    /// What measured, by any name: of overlapping sources one counts.
    package var source: String
    /// The page of what it stands in.
    package var page: String

    package init(_ content: Content, over time: Range<Int>, source: String = "", page: String = "") {
        self.content = content
        self.time = time
        self.source = source
        self.page = page
    }
}

/// The quantities that the pages show.
package enum MeasuredQuantity: String, Sendable, Hashable, CaseIterable {
    case steps, distance, flights, energy, exercise
    case heartRate, restingHeartRate, walkingHeartRate
    case systolic, diastolic
    case weight

    /// The name for people.
    var title: String {
        switch self {
        case .steps: "Steps"
        case .distance: "Walking and running"
        case .flights: "Flights climbed"
        case .energy: "Active energy"
        case .exercise: "Exercise"
        case .heartRate: "Heart rate"
        case .restingHeartRate: "Resting"
        case .walkingHeartRate: "Walking average"
        case .systolic: "Systolic"
        case .diastolic: "Diastolic"
        case .weight: "Weight"
        }
    }

    /// The unit of its numbers: a code of UCUM, and what people read.
    var unit: (code: String, text: String) {
        switch self {
        case .steps, .flights: ("1", "")
        case .distance: ("km", "km")
        case .energy: ("kcal", "kcal")
        case .exercise: ("min", "min")
        case .heartRate, .restingHeartRate, .walkingHeartRate: ("/min", "beats a minute")
        case .systolic, .diastolic: ("mm[Hg]", "mmHg")
        case .weight: ("kg", "kg")
        }
    }

    /// Codes of LOINC and names of HealthKit's types, short and in full.
    private var codes: [String] {
        switch self {
        case .steps: ["55423-8"] + Self.names("StepCount")
        case .distance: Self.names("DistanceWalkingRunning")
        case .flights: ["100304-5"] + Self.names("FlightsClimbed")
        case .energy: ["41981-2"] + Self.names("ActiveEnergyBurned")
        case .exercise: Self.names("AppleExerciseTime")
        case .heartRate: ["8867-4"] + Self.names("HeartRate")
        case .restingHeartRate: ["40443-4"] + Self.names("RestingHeartRate")
        case .walkingHeartRate: Self.names("WalkingHeartRateAverage")
        case .systolic: ["8480-6"] + Self.names("BloodPressureSystolic")
        case .diastolic: ["8462-4"] + Self.names("BloodPressureDiastolic")
        case .weight: ["29463-7", "3141-9"] + Self.names("BodyMass")
        }
    }

    private static func names(_ name: String) -> [String] { [name, "HKQuantityTypeIdentifier" + name] }

    private static let byCode: [String: MeasuredQuantity] = Dictionary(
        firstOf: allCases.flatMap { quantity in quantity.codes.map { ($0, quantity) } }
    )

    /// The quantity of any of these codes. More special ones stand first: a resting heart rate may have the
    /// heart rate's too.
    package static func find(_ codes: some Sequence<String>) -> MeasuredQuantity? {
        let found = Set(codes.compactMap { byCode[$0] })
        return found.count > 1 ? found.first { $0 != .heartRate } : found.first
    }

    /// All codes by which measurements are found: those of quantities, sleep, workouts and blood pressure.
    package static let allCodes: [String] =
        byCode.keys.sorted() + ["85354-9", "HKCorrelationTypeIdentifierBloodPressure"] + SleepStage.codes
        + WorkoutFigures.codes

    /// The number in the quantity's own unit; nil where it is not a number, too large, or in a unit of
    /// another dimension.
    package func value(_ digits: String, unit code: String) -> Decimal? {
        guard digits.utf8.count <= 60, let value = Decimal(string: digits, locale: nil), value.isFinite,
            // A name that is not a unit, as `steps`, is an annotation.
            let unit = (try? UCUMUnit(code)) ?? (try? UCUMUnit("{\(code)}")),
            let own = try? UCUMUnit(self.unit.code),
            let result = try? unit.convert(value, to: own), abs(result) < 1_000_000_000_000
        else { return nil }
        return result
    }
}

/// HealthKit's stages of sleep, by its numbers.
package enum SleepStage: Int, Sendable, Hashable, CaseIterable {
    case inBed, asleep, awake, core, deep, rem

    /// Names of the type in HealthKit.
    package static let codes = ["SleepAnalysis", "HKCategoryTypeIdentifierSleepAnalysis"]

    var title: String {
        switch self {
        case .inBed: "In bed"
        case .asleep: "Asleep"
        case .awake: "Awake"
        case .core: "Core"
        case .deep: "Deep"
        case .rem: "REM"
        }
    }

    /// The stages from top to bottom, as sleep is drawn.
    static let drawn: [SleepStage] = [.awake, .rem, .core, .deep, .asleep, .inBed]

    var isAsleep: Bool { self != .inBed && self != .awake }

    /// Where two overlap, the one that says more counts: stages, then sleep, then lying in bed.
    var rank: Int { self == .inBed ? 2 : self == .asleep ? 1 : 0 }
}

/// What a workout came to.
package struct WorkoutFigures: Sendable, Hashable {
    /// Names of the type in HealthKit, and LOINC's code.
    package static let codes = ["HKWorkoutTypeIdentifier", "73985-4"]

    package var activity: String
    /// Minutes without pauses.
    package var duration: Decimal?
    /// Kilocalories.
    package var energy: Decimal?
    /// Kilometres.
    package var distance: Decimal?

    package init(activity: String, duration: Decimal? = nil, energy: Decimal? = nil, distance: Decimal? = nil)
    {
        self.activity = activity
        self.duration = duration
        self.energy = energy
        self.distance = distance
    }

    /// The activity in words: `crossCountrySkiing` is “Cross country skiing”.
    var title: String {
        let words = activity.replacing(/([a-z])([A-Z])/) { "\($0.output.1) \($0.output.2.lowercased())" }
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
