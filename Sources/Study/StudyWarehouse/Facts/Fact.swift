/// One row of i2b2's `observation_fact`, without the numbers that a warehouse gives to patients and visits.
public struct Fact: Sendable, Hashable {
    /// What was observed, as in `LOINC:8302-2`; at most 50 characters.
    public var concept: String
    /// What qualifies the concept (`modifier_cd`); `@` for a row about the concept itself. In a row with a
    /// modifier, the value is that of the modifier.
    public var modifier = "@"
    /// Distinguishes occurrences of a concept in one visit, from 1; the rows of one occurrence share it.
    public var instance = 1
    /// When it was observed.
    public var start: WarehouseTime
    /// When that ended.
    public var end: WarehouseTime?
    public var value: FactValue
    /// The unit of a number.
    public var unit: String?
    /// `H`, `L` or `A`: above, below or outside of what is normal.
    public var flag: String?

    public init(_ concept: String, start: WarehouseTime, value: FactValue = .none) {
        self.concept = concept
        self.start = start
        self.value = value
    }

    /// Whether it is a number of its concept, which has a unit.
    var isMeasured: Bool {
        guard modifier == "@", case .number = value else { return false }
        return true
    }
}

/// The value of a fact.
public enum FactValue: Sendable, Hashable {
    /// The concept says it all.
    case none
    /// A number, with i2b2's operator: `E`, `L`, `LE`, `G`, `GE`.
    case number(WarehouseNumber, comparison: String)
    /// A text that is compared as a whole: its first 255 characters, as the column has them.
    case text(String)
    /// A text whose words are searched.
    case longText(String)

    /// The most characters of a text that is compared as a whole.
    static let maximumTextLength = 255

    /// A text of any length, whose words are searched when it has more than 255 characters.
    public init(text: String) {
        // Counted in code points, as databases count them.
        let text = Self.stored(text)
        self = text.unicodeScalars.count <= Self.maximumTextLength ? .text(text) : .longText(text)
    }

    /// The text of an answer to a question, which has the same form whatever its length: a query looks for
    /// all answers in one way.
    init(text: String, isLong: Bool) {
        let text = Self.stored(text)
        self = isLong ? .longText(text) : .text(text)
    }

    /// Databases have no NUL in texts.
    private static func stored(_ text: String) -> String {
        text.contains("\0") ? text.replacing("\0", with: "\u{FFFD}") : text
    }
}

/// A visit: what one delivery is about.
public struct StudyVisit: Sendable, Hashable {
    /// Identifies the visit at its source, for one participant; at most 200 characters.
    public var id: String
    /// When it began.
    public var start: WarehouseTime
    /// When it ended.
    public var end: WarehouseTime?
    /// The number, from 1, of one of several visits that a message has under the same id, and that do not
    /// replace each other.
    public var number = 1

    /// A visit.
    public init(id: String, start: WarehouseTime, end: WarehouseTime? = nil) {
        self.id = id
        self.start = start
        self.end = end
    }

    /// The id in tables, whose keys databases bound. It is unique, even for an id that ends like a numbered
    /// one.
    var key: String {
        let id = number == 1 && !id.contains("#equal-") ? id : "\(id)#equal-\(number)"
        return id.unicodeScalars.count <= 200 ? id : "sha-256:" + ConceptNames.digest(id)
    }
}

/// What `patient_dimension` knows of a participant.
public struct PatientDetails: Sendable, Hashable {
    /// `F`, `M`, `O` or `NI`.
    public var sex: String?
    /// The beginning of the year of birth.
    public var birth: WarehouseTime?
    /// The first digits of the postal code.
    public var postalCode: String?
    public var state: String?

    /// Nothing known.
    public init() {}
}

/// A concept as `concept_dimension` and the ontology have it.
public struct Concept: Sendable, Hashable {
    /// Where it is in the tree (`concept_path`), as in `\Study\Surveys\phq9-1f0c2d\q1\`.
    public var path: String
    public var code: String
    /// What people read.
    public var name: String
    /// What the code stands for in full, where the code is a digest of it.
    public var key: String
    /// The unit that a questionnaire gives to the numbers; `nil` where it says none.
    public var unit: String?

    /// A concept.
    public init(path: String, code: String, name: String, key: String, unit: String? = nil) {
        self.path = path
        self.code = code
        self.name = name
        self.key = key
        self.unit = unit
    }
}

/// What a resource is mapped to: one visit with its facts, or the details of the patient.
public struct FactSet: Sendable, Hashable {
    public var visit: StudyVisit
    /// Its facts, in the order of the resource.
    public var facts: [Fact] = []
    /// The concepts of the facts.
    public var concepts: [Concept] = []
    /// What is known of the participant; `nil` where the resource says nothing about that.
    public var patient: PatientDetails?
    /// The paths of elements that cannot become facts: attachments and references.
    public var omitted: [String] = []

    /// A visit without facts, which takes away those that it had.
    public init(_ visit: StudyVisit) { self.visit = visit }
}
