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
    ]

    /// `modifier_cd`.
    public let code: String
    /// What people read.
    public let name: String
    /// The path of the concepts that it is for.
    let root: String
    /// What its values are.
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
