import IndivoModel

/// A night's sleep: a class as a user of the library writes one.
class SleepNight: IndivoDocument {
    @Field public var started: XMLDateTime?
    @Field public var score: Double?
    @Field("device", formerly: "tracker") public var device: CodedValue?
    @Field public var restful: Bool?
    @Field("night-of") public var nightOf: XMLDate?
    @Field public var phases: [SleepPhase]
    @Field public var place: SleepPlace?
    /// Not a field: plain properties have nothing to do with XML.
    var isSelected = false
}

class SleepPhase: IndivoDocument {
    @Field public var kind: String?
    @Field public var duration: ValueAndUnit?
    @Field public var interruptions: [SleepPhase]
}

class SleepPlace: IndivoDocument {
    @Field public var name: String?
}

/// A subclass adds fields to those it inherits.
final class NapAtWork: SleepNight {
    @Field public var excuse: String?
    override class var modelName: String { "Nap" }
}
