import FHIR
import OrderedJSON

/// A task of ResearchKit, in the JSON of its serializer (`ORKOrderedTask`, `ORKNavigableOrderedTask`), as a
/// questionnaire that all of this module asks.
///
/// ```swift
/// let task = try ResearchKitQuestionnaire(JSONValue(parsing: data))
/// for diagnostic in task.diagnostics { … }      // what a questionnaire cannot say
/// var session = SurveySession(Survey(task.questionnaire))
/// session.fill(withResearchKitResult: result)   // what ResearchKit answered
/// ```
/// A form step is a group, a question step a question, an instruction step a display. Rules of navigation and
/// of visibility become conditions. Link ids are the identifiers, so that results fit. It is the inverse of
/// ``ResearchKitTask``: what that one writes of a questionnaire without groups in groups, and with types that
/// ResearchKit tells apart, is read back as it was.
public struct ResearchKitQuestionnaire: Sendable {
    public let questionnaire: Questionnaire
    /// The parts of the task that the questionnaire does not have.
    public let diagnostics: [SurveyDiagnostic]

    /// Whether this is the JSON of a task.
    public static func isTask(_ json: JSONValue) -> Bool {
        ["ORKOrderedTask", "ORKNavigableOrderedTask"].contains(json["_class"]?.string)
    }

    /// - Throws: ``ResearchKitTaskError`` when it is not a task, or too large.
    public init(_ task: JSONValue) throws(ResearchKitTaskError) {
        guard Self.isTask(task) else {
            throw ResearchKitTaskError(
                "this is no ORKOrderedTask or ORKNavigableOrderedTask of ResearchKit",
                task.location
            )
        }
        guard let steps = task["steps"]?.elements else {
            throw ResearchKitTaskError("the task has no list of steps", task.location)
        }
        var reader = ResearchKitTaskReader(task)
        try reader.read(Array(steps))
        questionnaire = Questionnaire(view: reader.questionnaire)
        diagnostics = reader.diagnostics
    }
}

/// Why JSON is not a task of ResearchKit.
public struct ResearchKitTaskError: Error, Sendable, Hashable, CustomStringConvertible {
    public let reason: String
    /// Where it is wrong; nil where the JSON was not parsed from a text.
    public let location: JSONLocation?

    init(_ reason: String, _ location: JSONLocation?) {
        self.reason = reason
        self.location = location
    }

    public var description: String { (location.map { "\($0): " } ?? "") + reason }
}
