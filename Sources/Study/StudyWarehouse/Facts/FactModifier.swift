/// A modifier of facts: what one more row says of a fact.
public struct FactModifier: Sendable, Hashable {
    /// The groups around a question, by their link ids from the outermost: `medications/dose`; `[2]` is a
    /// group's second occurrence.
    public static let group = "SURVEY:GROUP"
    /// The question, where its concept is a standard code that others share: `phq9-1f0c2d:q1`.
    public static let question = "SURVEY:QUESTION"
    /// When it was answered or measured as it was written, with its zone and precision.
    public static let time = "SURVEY:TIME"
    /// What a measurement's component belongs to: the concept of the measurement.
    public static let component = "OBSERVATION:PANEL"
    /// A number as it was given, in another unit than that of its concept.
    public static let original = "SURVEY:ORIGINAL"
    /// A time as it was written that is later than its receipt: a clock was ahead. The fact has the time of
    /// the receipt.
    public static let clock = "SURVEY:CLOCK"

    /// How many samples a day has.
    public static let count = "SAMPLE:COUNT"
    /// The sum of a day's samples.
    public static let sum = "SAMPLE:SUM"
    /// The mean of a day's samples, each counted alike.
    public static let mean = "SAMPLE:MEAN"
    /// The lowest of a day's samples.
    public static let minimum = "SAMPLE:MINIMUM"
    /// The highest of a day's samples.
    public static let maximum = "SAMPLE:MAXIMUM"
    /// The sample of a day that began last.
    public static let last = "SAMPLE:LAST"

    private static func ofDay(_ code: String, _ name: String, _ kind: ValueMetadata.Kind = .decimal)
        -> FactModifier
    {
        FactModifier(code, name, below: ConceptNames.measurements, ValueMetadata(kind))
    }

    /// All of them.
    public static let all = [
        FactModifier(group, "Group of the question", below: ConceptNames.surveys, ValueMetadata(.text)),
        FactModifier(question, "Question", below: ConceptNames.surveys, ValueMetadata(.text)),
        FactModifier(time, "Time as written", below: Ontology.root, ValueMetadata(.text)),
        FactModifier(
            component,
            "Panel of the component",
            below: ConceptNames.measurements,
            ValueMetadata(.text)
        ),
        FactModifier(original, "Number and unit as given", below: Ontology.root, ValueMetadata(.decimal)),
        FactModifier(clock, "Time of a clock that was ahead", below: Ontology.root, ValueMetadata(.text)),
        ofDay(count, "Number of the day’s samples", .positiveInteger), ofDay(sum, "Sum of the day’s samples"),
        ofDay(mean, "Mean of the day’s samples"), ofDay(minimum, "Lowest of the day’s samples"),
        ofDay(maximum, "Highest of the day’s samples"), ofDay(last, "Last of the day’s samples"),
    ]

    /// `modifier_cd`.
    public let code: String
    /// What people read.
    public let name: String
    /// The path of the concepts that it is for.
    let root: String
    let values: ValueMetadata?

    private init(_ code: String, _ name: String, below root: String, _ values: ValueMetadata) {
        self.code = code
        self.name = name
        self.root = root
        self.values = values
    }

    /// `modifier_path`.
    var path: String { ConceptNames.path(ConceptNames.modifiers, [code]) }
}
