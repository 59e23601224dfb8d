import FHIR

/// What the rings of a day came to, and their goals. (HealthKit's `HKActivitySummary`.)
///
/// Energy has a unit of energy, the times one of time; hours of standing are counted.
public struct ActivitySummary: Sendable, Hashable {
    /// The day, in whatever zones it was spent.
    public var day: FHIRDate
    public var activeEnergy: SampleQuantity?
    public var activeEnergyGoal: SampleQuantity?
    /// The time in motion, for those whose ring counts time and not energy.
    public var moveTime: SampleQuantity?
    /// The goal for the time in motion.
    public var moveTimeGoal: SampleQuantity?
    public var exerciseTime: SampleQuantity?
    public var exerciseTimeGoal: SampleQuantity?
    /// The hours with at least a minute of standing.
    public var standHours: SampleQuantity?
    public var standHoursGoal: SampleQuantity?

    /// A day without any numbers.
    public init(day: FHIRDate) { self.day = day }

    /// A member of the JSON and its property.
    static var members: [(name: String, path: WritableKeyPath<ActivitySummary, SampleQuantity?> & Sendable)] {
        [
            ("activeEnergy", \.activeEnergy), ("activeEnergyGoal", \.activeEnergyGoal),
            ("moveTime", \.moveTime), ("moveTimeGoal", \.moveTimeGoal),
            ("exerciseTime", \.exerciseTime), ("exerciseTimeGoal", \.exerciseTimeGoal),
            ("standHours", \.standHours), ("standHoursGoal", \.standHoursGoal),
        ]
    }
}
